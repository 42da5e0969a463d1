"""Every key of `.muninn/config.yaml`, once: type, default, limits, meaning and an example.

The parser, the template that `muninn init` writes, the reference page, the JSON schema, and completion and hovers in
editors are made from these classes. To add a key, add a field with a `key(...)`; `make generate` does the rest.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from muninn_core.expression import compile_expression
from muninn_core.model.value import Meta, Value
from muninn_core.protocol.families.search import Profile

BUNDLED_MODEL = "muninn/static-code-256"
MAX_WEIGHT = 10.0
CLAUDE_MEMORY = r"^(?:off|auto|(?:~|[A-Za-z]:)?/.*\bprojects/[^/]+/memory/?)$"
"""Only folders of this form: a slip must not open any other folder."""

OWN_SETTINGS = "~/.config/muninn/config.yaml"
"""The user's own settings, which no repository brings along."""

SKILL_PATHS = (
    ".claude/skills",
    ".agents/skills",
    "~/.claude/skills",
    "~/.agents/skills",
    "~/.claude/plugins/*/skills",
    "~/.claude/plugins/cache/*/*/*/skills",
)

Level = Literal["error", "warn", "off"]
AuthorForm = Literal["name", "email", "none"]
ToolSet = Literal["core", "all", "mnemosyne", "events", "hub", "hub_underscore", "kindling", "team"]
"""The sets of MCP tools; `muninn_server.mcp.toolsets` lists what is in them."""

TOOL_SETS: tuple[str, ...] = get_args(ToolSet)


def key(
    about: str,
    example: Any,
    *,
    unit: str = "",
    takes: str = "",
    words: tuple[str, ...] = (),
    check: Callable[[Any], None] | None = None,
    shared: Callable[[Any], None] | None = None,
    least: float | None = None,
    most: float | None = None,
    pattern: str | None = None,
) -> Meta:
    """Describe one key; it stands in the annotation of a field.

    about: sentences in Markdown; the first one is the comment in the template.
    example: a value other than the default, which shows what the key is for.
    takes: the allowed values in words, where type and limits do not say enough.
    words: values that an editor offers, where the type does not name them.
    check: raises ValueError, which says why, for a value that type and limits let pass.
    shared: raises ValueError for a value that counts only in a user's own settings, because the file comes with the
        repository; such a key can stand there.
    """
    extra = {"unit": unit, "takes": takes, "words": words, "check": check, "shared": shared}
    limits: dict[str, Any] = {"ge": least, "le": most, "pattern": pattern}
    return Meta(description=about, examples=[example], extra=extra, **limits)


def _check_expressions(patterns: tuple[str, ...]) -> None:
    for pattern in patterns:
        compile_expression(pattern)


def _check_patterns(patterns: tuple[str, ...]) -> None:
    for pattern in patterns:
        if pattern == "!" or (len(pattern) - len(pattern.rstrip("\\"))) % 2:  # gitignore(5): these never match
            raise ValueError(f"'{pattern}' is not a gitignore pattern")


def _check_skill_paths(paths: tuple[str, ...]) -> None:
    for path in paths:
        outside = _is_outside(path)
        if ".." in Path(path).parts or (outside and Path(path).name != "skills"):
            raise ValueError(f"'{path}' is neither below the root nor a folder named 'skills'")


def _check_shared_skill_paths(paths: tuple[str, ...]) -> None:
    for path in paths:
        if _is_outside(path) and path not in SKILL_PATHS:
            raise ValueError(f"'{path}' lies outside of the repository, and only {OWN_SETTINGS} can name such a folder")


def _check_shared_claude_memory(value: str) -> None:
    if value not in ("off", "auto"):
        raise ValueError(f"'{value}' lies outside of the repository, and only {OWN_SETTINGS} can name such a folder")


def _is_outside(path: str) -> bool:
    return path.startswith(("/", "~")) or Path(path).is_absolute()


class DaemonConfig(Value):
    """The daemon of the repository."""

    idle_seconds: Annotated[
        float, key("Time without a client after which the daemon exits.", 3600, unit="seconds", least=0)
    ] = 900.0


class IndexConfig(Value):
    """What is indexed, and how."""

    model: Annotated[
        str,
        key(
            "Embedding model: the bundled one, or the name of a fastembed model that is on the machine already.",
            "BAAI/bge-small-en-v1.5",
        ),
    ] = BUNDLED_MODEL
    max_file_bytes: Annotated[int, key("Longer files are not indexed.", 250_000, unit="bytes", least=0)] = 1_000_000
    exclude: Annotated[
        tuple[str, ...],
        key(
            "Gitignore patterns of files that are not indexed. They add to the built-in list; a pattern that begins"
            " with `!` brings back what that list leaves out.",
            ["vendor/", "*.gen.go", "!*.csv"],
            takes="a list of strings, each a gitignore pattern",
            check=_check_patterns,
        ),
    ] = ()
    workers: Annotated[
        int,
        key(
            "Processes that build the first index; 0 starts one per processor core, at most four.", 2, least=0, most=64
        ),
    ] = 0


class MemoryConfig(Value):
    """What can be remembered, and how long it counts."""

    author: Annotated[
        AuthorForm,
        key(
            "The author that new memories record, from git's `user.name`: the name, the name with the e-mail address,"
            " or none.",
            "none",
        ),
    ] = "name"
    kinds: Annotated[tuple[str, ...], key("Kinds of memory besides the built-in ones.", ["runbook", "incident"])] = ()
    secrets: Annotated[
        tuple[str, ...],
        key(
            "Regular expressions of secrets besides the built-in ones. Matches are masked before anything is written."
            " The syntax is RE2's, which has no lookaround.",
            ["acme-[0-9a-f]{32}"],
            takes="a list of strings, each a regular expression",
            check=_check_expressions,
        ),
    ] = ()
    global_scope: Annotated[
        bool,
        key("Whether your memory of all projects is recalled and written here.", False),
    ] = True
    ask_agent: Annotated[
        bool,
        key(
            "Whether the hooks ask an agent, once in a session that stated something worth keeping, to remember it"
            " before it stops. This costs one more turn of the model.",
            True,
        ),
    ] = False
    half_life_days: Annotated[
        float,
        key(
            "Time without a change after which an unpinned memory's importance counts half; 0 is never.",
            365,
            unit="days",
            least=0,
        ),
    ] = 180.0


def _weight(about: str, example: float) -> Meta:
    return key(about, example, least=0, most=MAX_WEIGHT)


class RankingConfig(Value):
    """What each signal of a memory weighs when it is recalled."""

    words: Annotated[float, _weight("Weight of the words that a memory shares with the question.", 2.0)] = 1.3
    meaning: Annotated[float, _weight("Weight of the closeness in meaning to the question.", 0.8)] = 1.2
    graph: Annotated[float, _weight("Weight of links to other memories that the question finds.", 0.0)] = 0.4
    importance: Annotated[float, _weight("Weight of a memory's importance.", 0.5)] = 0.2
    recency: Annotated[float, _weight("Weight of a memory's age.", 0.3)] = 0.1
    profile: Annotated[
        Profile,
        key(
            "Ranking of questions that ask for memories alone. `mnemosyne` ranks by words and links, with weights of"
            " its own.",
            "mnemosyne",
        ),
    ] = "muninn"


def _level(about: str, example: Level) -> Meta:
    return key(about, example)


class CheckConfig(Value):
    """How `muninn check` and editors report each kind of problem."""

    malformed: Annotated[Level, _level("Lines of memory that can't be read, and merge markers.", "warn")] = "error"
    secrets: Annotated[Level, _level("Secrets in memory and knowledge that git tracks.", "warn")] = "error"
    config: Annotated[Level, _level("Keys of this file that are unknown or have a wrong value.", "warn")] = "error"
    conflicts: Annotated[Level, _level("Contradictions that are not decided.", "error")] = "warn"
    unsealed: Annotated[Level, _level("Sessions whose memories are not in a file that git tracks yet.", "off")] = "warn"
    dangling: Annotated[Level, _level("References to files, definitions and records that do not exist.", "error")] = (
        "warn"
    )
    knowledge: Annotated[Level, _level("Frontmatter that can't be read or has unknown keys.", "error")] = "warn"
    pending: Annotated[Level, _level("Memories that wait for an approval.", "error")] = "warn"
    packs: Annotated[Level, _level("Packs whose files differ from what was added.", "error")] = "warn"


class PruneConfig(Value):
    """What `muninn prune` moves to the archive. It moves nothing while `age_days`, `confidence` and `max_bytes` are 0.

    A memory is inactive when it is archived, superseded, merged into another one or expired. Pinned and redacted
    memories always stay.
    """

    age_days: Annotated[
        int, key("Moves inactive memories that did not change for this long.", 365, unit="days", least=0)
    ] = 0
    confidence: Annotated[
        float, key("Moves active memories of that age, too, with less confidence than this.", 0.3, least=0)
    ] = 0.0
    max_bytes: Annotated[
        int,
        key(
            "Moves the oldest inactive memories while `main.jsonl` is larger than this.",
            5_000_000,
            unit="bytes",
            least=0,
        ),
    ] = 0
    importance: Annotated[int, key("Memories with at least this importance stay.", 5, least=0)] = 8
    user: Annotated[bool, key("Whether memories that a user stated are moved, too.", True)] = False


class EvolveConfig(Value):
    """When the daemon plans the upkeep of memory, as `muninn evolve` does."""

    days: Annotated[
        int,
        key(
            "Time after which an idle daemon plans again. `status` and briefs say how many steps wait; 0 never plans.",
            7,
            unit="days",
            least=0,
        ),
    ] = 30


class ReviewConfig(Value):
    """Which new memories wait until another person approves them."""

    pending: Annotated[
        tuple[str, ...],
        key(
            "Actors (user, assistant, tool, hook, import) and kinds of memory. What a user states waits only where"
            " `user` is in the list.",
            ["assistant", "decision"],
            takes="a list of actors and kinds of memory",
        ),
    ] = ()

    def holds(self, actor: str, kind: str) -> bool:
        """Whether a memory of an actor and a kind waits. What a user says waits only where `user` is named."""
        return actor in self.pending or (kind in self.pending and actor != "user")


class BridgesConfig(Value):
    """Which memory of other tools is read. It is never written; what is off is not indexed."""

    instructions: Annotated[
        bool, key("`CLAUDE.md`, `CLAUDE.local.md`, `AGENTS.md` and the rules in `.claude/rules`.", False)
    ] = True
    gemini: Annotated[bool, key("`GEMINI.md`.", False)] = True
    copilot: Annotated[bool, key("`.github/copilot-instructions.md` and `.github/instructions`.", False)] = True
    cursor: Annotated[bool, key("Cursor's `.cursor/rules` and `.cursorrules`.", False)] = True
    windsurf: Annotated[bool, key("Windsurf's `.windsurf/rules`, `.devin/rules` and `.windsurfrules`.", False)] = True
    cline: Annotated[bool, key("Cline's `.clinerules` and `.cline/rules`.", False)] = True
    roo: Annotated[bool, key("Roo Code's `.roo/rules`, `.roo/rules-MODE` and `.roorules`.", False)] = True
    junie: Annotated[bool, key("Junie's `.junie/guidelines.md`.", False)] = True
    kiro: Annotated[bool, key("Kiro's `.kiro/steering`.", False)] = True
    continue_dev: Annotated[bool, key("Continue's `.continue/rules`.", False)] = True
    amazon_q: Annotated[bool, key("Amazon Q's `.amazonq/rules`.", False)] = True
    aider: Annotated[bool, key("`CONVENTIONS.md` at the root, as aider reads it.", False)] = True
    memory_bank: Annotated[bool, key("The memory bank of an agent: `memory-bank`.", False)] = True
    adr: Annotated[bool, key("Decision records: `docs/adr`, `docs/decisions`, `doc/adr`, `adr` and others.", False)] = (
        True
    )
    metis: Annotated[bool, key("Documents in `.metis`.", False)] = True
    serena: Annotated[bool, key("Memories in `.serena/memories`.", False)] = True
    claude_memory: Annotated[
        str,
        key(
            "Claude Code's auto memory, which lies outside of the repository. `auto` is the folder that Claude Code"
            f" keeps for this repository; only your own settings, `{OWN_SETTINGS}`, can name another one.",
            "auto",
            takes="off, auto or a path like ~/.claude/projects/NAME/memory",
            words=("off", "auto"),
            pattern=CLAUDE_MEMORY,
            shared=_check_shared_claude_memory,
        ),
    ] = "off"


def _check_types(types: tuple[str, ...]) -> None:
    for name in types:
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_.:-]{0,99}", name) or name.startswith("muninn."):
            raise ValueError(f"'{name}' is not a name of a type: a letter, then letters, digits, '_', '.', ':' and '-'")


class JournalConfig(Value):
    """What the journal records. It is private to this machine and is never in git."""

    project_id: Annotated[
        str,
        key("The only project that may be recorded here; empty lets each session name its own.", "shop"),
    ] = ""
    types: Annotated[
        tuple[str, ...],
        key(
            "The types of events that may be recorded; an empty list allows all. The JSON schema of a type, if there is"
            " one, is `.muninn/events/TYPE.json`.",
            ["deploy", "incident"],
            check=_check_types,
        ),
    ] = ()
    require_turns: Annotated[bool, key("Whether each event needs an open turn and its token.", True)] = False
    agents: Annotated[
        bool,
        key(
            "Whether the hooks of agents and the gateway record prompts, tool calls, answers and used tokens, and which"
            " memories a session was given.",
            False,
        ),
    ] = True
    turn_seconds: Annotated[
        int, key("Time after which the token of a turn expires.", 900, unit="seconds", least=1, most=86_400)
    ] = 3600
    seal_months: Annotated[
        int,
        key(
            "Months before the current one whose events stay in the database. Older ones are sealed while the daemon"
            " is idle; 0 leaves that to `muninn audit seal`.",
            12,
            unit="months",
            least=0,
            most=1200,
        ),
    ] = 3
    retention_days: Annotated[
        int,
        key("Age at which sealing removes sealed months; 0 keeps them.", 365, unit="days", least=0),
    ] = 0


class McpConfig(Value):
    """What agents are shown over MCP."""

    tools: Annotated[
        tuple[ToolSet, ...],
        key(
            "Sets of tools for agents that choose none. Where two sets have a tool of one name,"
            " the first set's is shown.",
            ["core", "mnemosyne"],
        ),
    ] = ("core",)


class SkillsConfig(Value):
    """Where skills are found."""

    paths: Annotated[
        tuple[str, ...],
        key(
            "Folders with `SKILL.md` files, searched in this order. `~` is your home folder and `*` any one folder;"
            " a folder outside of the repository must be named `skills`, and other than the default ones only your own"
            f" settings, `{OWN_SETTINGS}`, can name it.",
            [".claude/skills", "tools/skills"],
            takes="a list of folders",
            check=_check_skill_paths,
            shared=_check_shared_skill_paths,
        ),
    ] = SKILL_PATHS


class Config(Value):
    """All settings of one work tree."""

    daemon: DaemonConfig = DaemonConfig()
    index: IndexConfig = IndexConfig()
    memory: MemoryConfig = MemoryConfig()
    ranking: RankingConfig = RankingConfig()
    check: CheckConfig = CheckConfig()
    prune: PruneConfig = PruneConfig()
    evolve: EvolveConfig = EvolveConfig()
    review: ReviewConfig = ReviewConfig()
    bridges: BridgesConfig = BridgesConfig()
    journal: JournalConfig = JournalConfig()
    mcp: McpConfig = McpConfig()
    skills: SkillsConfig = SkillsConfig()
