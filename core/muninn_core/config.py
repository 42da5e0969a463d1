"""The configuration `.muninn/config.yaml`: every key with its default, and errors that name key, line and values.

A key that is wrong keeps its default; the rest of the file holds. The only importer of PyYAML for configuration.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, get_args

import yaml

from muninn_core.model.memory import ACTORS, KINDS
from muninn_core.model.value import ValidationError, Value, from_plain, replace
from muninn_core.near_match import nearest
from muninn_core.protocol.search import Profile

BUNDLED_MODEL = "muninn/static-code-256"


class DaemonConfig(Value):
    """`daemon`: seconds without a client after which the daemon leaves."""

    idle_seconds: float = 900.0


class IndexConfig(Value):
    """`index`: what is indexed and how. `exclude` are gitignore patterns; `workers` 0 is one a core, at most four."""

    model: str = BUNDLED_MODEL
    max_file_bytes: int = 1_000_000
    exclude: tuple[str, ...] = ()
    workers: int = 0


class MemoryConfig(Value):
    """`memory`: additional kinds of memory, and additional patterns (regular expressions) of secrets to mask.

    `global_scope`: whether the user's global memory takes part here. `half_life_days`: after how many days without a
    change a memory's importance counts half; 0 is never.
    """

    kinds: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    global_scope: bool = True
    half_life_days: float = 180.0


class RankingConfig(Value):
    """`ranking`: what the signals of a memory weigh, 0 to 10: its words and meaning, links to what is found beside it,
    importance, recency. `profile` mnemosyne is another ranking, for questions that ask for memories alone."""

    words: float = 1.3
    meaning: float = 1.2
    graph: float = 0.4
    importance: float = 0.2
    recency: float = 0.1
    profile: Profile = "muninn"


MOST_WEIGHT = 10.0

Level = Literal["error", "warn", "off"]


class CheckConfig(Value):
    """`check`: how `muninn check` judges each thing that it finds."""

    malformed: Level = "error"
    secrets: Level = "error"
    config: Level = "error"
    conflicts: Level = "warn"
    unsealed: Level = "warn"
    dangling: Level = "warn"
    knowledge: Level = "warn"
    pending: Level = "warn"
    packs: Level = "warn"


class PruneConfig(Value):
    """`prune`: what `muninn prune` moves from main.jsonl to the archive; 0 everywhere is nothing.

    `age_days` since the last word on a memory that speaks no longer; `confidence` below which one of that age that
    still speaks goes, too; `max_bytes` of main.jsonl, above which the oldest silent ones go whatever their age. What
    has `importance` or more stays, and what a user said unless `user`.
    """

    age_days: int = 0
    confidence: float = 0.0
    max_bytes: int = 0
    importance: int = 8
    user: bool = False


class ReviewConfig(Value):
    """`review`: whose memories wait for an approval, by actor, and which kinds, whoever but a user states them."""

    pending: tuple[str, ...] = ()

    def holds(self, actor: str, kind: str) -> bool:
        """Whether a memory of an actor and a kind waits. What a user says waits only where `user` is named."""
        return actor in self.pending or (kind in self.pending and actor != "user")


class BridgesConfig(Value):
    """`bridges`: which memory of other tools is read; what is off is not indexed.

    `claude_memory` is off, auto (the folder that Claude Code keeps for this repository in the user's home) or a path
    like `~/.claude/projects/NAME/memory`: it is the one that lies outside of the work tree.
    """

    instructions: bool = True
    adr: bool = True
    metis: bool = True
    serena: bool = True
    claude_memory: str = "off"


ToolSet = Literal["core", "all", "mnemosyne"]
"""The named sets of tools that an agent can be shown; `muninn_server.mcp.toolsets` says what is in them."""

TOOL_SETS: tuple[str, ...] = get_args(ToolSet)


class McpConfig(Value):
    """`mcp`: which sets of tools an agent is shown that asks for none itself; of one name the first set's counts."""

    tools: tuple[ToolSet, ...] = ("core",)


class SkillsConfig(Value):
    """`skills`: where skills are looked for; `~` is the user's home, `*` any one name, others are below the root."""

    paths: tuple[str, ...] = (
        ".claude/skills",
        ".agents/skills",
        "~/.claude/skills",
        "~/.agents/skills",
        "~/.claude/plugins/*/skills",
        "~/.claude/plugins/cache/*/*/*/skills",
    )


class Config(Value):
    """All settings of one work tree."""

    daemon: DaemonConfig = DaemonConfig()
    index: IndexConfig = IndexConfig()
    memory: MemoryConfig = MemoryConfig()
    ranking: RankingConfig = RankingConfig()
    check: CheckConfig = CheckConfig()
    prune: PruneConfig = PruneConfig()
    review: ReviewConfig = ReviewConfig()
    bridges: BridgesConfig = BridgesConfig()
    mcp: McpConfig = McpConfig()
    skills: SkillsConfig = SkillsConfig()


class ConfigProblem(Value):
    """A key that could not be taken. `line` is 1-based. `word` stands there, and `near` was probably meant."""

    key: str
    line: int
    message: str
    hint: str = ""
    word: str = ""
    near: str = ""


DEFAULT_TEXT = """\
# Muninn's settings for this repository. Every key has a default, shown here; a changed file is read at once.

#daemon:
#  idle_seconds: 900          # the daemon leaves after this long without a client

#index:
#  model: muninn/static-code-256   # in the package, offline; or a fastembed model that you have downloaded
#  max_file_bytes: 1000000    # longer files are not indexed
#  exclude: []                # more patterns that are not indexed, as in .gitignore
#  workers: 0                 # processes for a first index; 0: one a core, at most four

#memory:
#  kinds: []                  # more kinds of memory than the built-in ones
#  secrets: []                # more regular expressions of secrets that are masked before anything is written
#  global_scope: true         # false: your memory of all projects is neither recalled nor written here
#  half_life_days: 180        # an unpinned memory's importance counts half after so long; 0: always in full

#ranking:                     # what the signals of a memory weigh when it is recalled, 0 to 10
#  words: 1.3                 # it holds the words of the question
#  meaning: 1.2               # it says the like
#  graph: 0.4                 # it is linked to another memory that is found
#  importance: 0.2            # it is important
#  recency: 0.1               # it is new
#  profile: muninn            # mnemosyne: another ranking where memories alone are asked for (kind: memory)

#check:                       # what `muninn check` says of each: error, warn or off
#  malformed: error           # lines of memory that can't be read, merge markers among them
#  secrets: error             # secrets in tracked memory and knowledge
#  config: error              # keys of this file that can't be taken
#  conflicts: warn            # contradictions that nobody has decided
#  unsealed: warn             # sessions that git can't carry yet
#  dangling: warn             # memories that cite or name files which are not there
#  knowledge: warn            # frontmatter that can't be read
#  pending: warn              # memories that wait for an approval
#  packs: warn                # packs whose files are not as they came


#prune:                       # what `muninn prune` moves to memory/archive; nothing while the first three are 0
#  age_days: 0                # archived, superseded, merged and expired ones, so long after the last word on them
#  confidence: 0.0            # and those of that age that are less sure than this
#  max_bytes: 0               # the oldest of the silent ones, while main.jsonl is larger than this
#  importance: 8              # never what is as important as this
#  user: false                # true: also what a user said

#review:                      # whose memories wait until somebody else approves them
#  pending: []                # actors (user, assistant, tool, hook, import) and kinds of memory; nobody's by default

#bridges:                     # memory of other tools that is read, never written; what is off is not indexed
#  instructions: true         # CLAUDE.md, CLAUDE.local.md, AGENTS.md
#  adr: true                  # decision records: docs/adr, docs/decisions, doc/adr, adr, …
#  metis: true                # .metis
#  serena: true               # .serena/memories
#  claude_memory: off         # auto, or a path like ~/.claude/projects/NAME/memory: Claude Code's auto memory

#mcp:                         # what agents are shown
#  tools: [core]              # sets of tools: core, all (whatever an agent may call), mnemosyne

#skills:                      # folders with SKILL.md files; those in this repository come first
#  paths: [.claude/skills, .agents/skills, ~/.claude/skills, ~/.agents/skills,
#    "~/.claude/plugins/*/skills", "~/.claude/plugins/cache/*/*/*/skills"]
"""


def load_config(path: Path) -> tuple[Config, tuple[ConfigProblem, ...]]:
    """Read a config file. A missing file is the defaults; a broken one is the defaults for what is broken."""
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        return Config(), ()
    except OSError as error:
        return Config(), (_unread(f"the file can't be read: {error.strerror}"),)
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        return Config(), (_unread("the file can't be read: it is not UTF-8", line),)
    return read_config(text)


def _unread(message: str, line: int = 0) -> ConfigProblem:
    return ConfigProblem(key="", line=line, message=message, hint="Until it is mended every key has its default.")


def read_config(text: str) -> tuple[Config, tuple[ConfigProblem, ...]]:
    """Read the text of a config file, as `load_config` does."""
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        what = getattr(error, "problem", None) or "not YAML"
        return Config(), (_unread(f"not YAML: {what}", mark.line + 1 if mark else 0),)
    if node is None:
        return Config(), ()
    problems: list[ConfigProblem] = []
    config = _read(Config(), node, "", problems)
    problems += _unknown_names(config, node)
    return config, tuple(problems)


def _unknown_names(config: Config, node: yaml.Node) -> list[ConfigProblem]:
    """Return a problem for each name of `review.pending` that is no actor and no kind: nobody would ever wait by it."""
    if not config.review.pending:
        return []
    known = (*ACTORS, *KINDS, *config.memory.kinds)
    review = next(value for key, value in node.value if key.value == "review")
    line = next(key.start_mark.line + 1 for key, _ in review.value if key.value == "pending")
    return [
        ConfigProblem(
            key="review.pending",
            line=line,
            message=f"'review.pending': there is no actor and no kind of memory '{name}'",
            hint=f"Did you mean '{near}'?" if near else f"It takes {', '.join(known)}.",
            word=name,
            near=near or "",
        )
        for name in config.review.pending
        if name not in known
        for near in [nearest(name, known)]
    ]


def _read(defaults: Any, node: yaml.Node, prefix: str, problems: list[ConfigProblem]) -> Any:
    """Return the defaults with every key of a mapping node that is right."""
    if node.tag == "tag:yaml.org,2002:null":
        return defaults  # a table whose keys are all commented out
    if not isinstance(node, yaml.MappingNode):
        message = f"'{prefix or 'the file'}' is a table of keys"
        problems.append(ConfigProblem(key=prefix, line=node.start_mark.line + 1, message=message))
        return defaults
    changes: dict[str, Any] = {}
    known = defaults.__struct_fields__
    for key_node, value_node in node.value:
        name = str(key_node.value)
        full = f"{prefix}.{name}" if prefix else name
        line = key_node.start_mark.line + 1
        if name not in known:
            near = nearest(name, known)
            hint = f"Did you mean '{near}'?" if near else f"The keys here are {', '.join(known)}."
            problems.append(
                ConfigProblem(
                    key=full,
                    line=line,
                    message=f"there is no key '{full}'",
                    hint=hint,
                    word=name,
                    near=near or "",
                )
            )
            continue
        default = getattr(defaults, name)
        if isinstance(default, Value):
            changes[name] = _read(default, value_node, full, problems)
            continue
        try:
            changes[name] = _checked(defaults, name, value_node)
        except (ValidationError, ValueError, yaml.YAMLError) as error:
            said = str(getattr(error, "problem", None) or error).partition(" - at `$")[0]
            taken = "error, warn or off" if isinstance(defaults, CheckConfig) else _allowed(default)
            taken = f"a number from 0 to {MOST_WEIGHT:g}" if isinstance(defaults, RankingConfig) else taken
            taken = "muninn or mnemosyne" if name == "profile" else taken
            taken = f"a list of {', '.join(TOOL_SETS)}" if isinstance(defaults, McpConfig) else taken
            taken = "off, auto or a path like ~/.claude/projects/NAME/memory" if name == "claude_memory" else taken
            allowed = f"It takes {taken}; the default is {_shown(default)}."
            problems.append(ConfigProblem(key=full, line=line, message=f"'{full}': {said}", hint=allowed))
    return replace(defaults, **changes)


def _checked(defaults: Any, name: str, node: yaml.Node) -> Any:
    loader = yaml.SafeLoader("")
    try:
        value = loader.construct_object(node, deep=True)
    finally:
        loader.dispose()
    if (isinstance(defaults, CheckConfig) or name == "claude_memory") and value is False:
        value = "off"  # YAML 1.1 reads the bare word as false
    checked = getattr(from_plain({name: value}, type(defaults)), name)
    if isinstance(checked, (int, float)) and not checked >= 0:  # so, that .nan is refused, too
        raise ValueError(f"{checked} is not 0 or more")
    if isinstance(defaults, RankingConfig) and isinstance(checked, float) and checked > MOST_WEIGHT:
        raise ValueError(f"{checked} is more than {MOST_WEIGHT:g}")
    if (defaults.__class__, name) == (MemoryConfig, "secrets"):
        _compile(checked)
    if (defaults.__class__, name) == (IndexConfig, "exclude"):
        _check_patterns(checked)
    if (defaults.__class__, name) == (BridgesConfig, "claude_memory"):
        _check_claude_memory(checked)
    if (defaults.__class__, name) == (SkillsConfig, "paths"):
        _check_skill_paths(checked)
    return checked


def _check_claude_memory(folder: str) -> None:
    # The file comes with the repository: it must not open just any folder of whoever clones it.
    import re

    if folder not in ("off", "auto") and not re.search(r"^(?:~|[A-Za-z]:)?/.*\bprojects/[^/]+/memory/?$", folder):
        raise ValueError(f"'{folder}' is no folder of Claude Code's auto memory")


def _check_skill_paths(paths: tuple[str, ...]) -> None:
    # As above: what lies outside of the repository has to be a folder that is there for skills.
    for path in paths:
        outside = path.startswith(("/", "~")) or Path(path).is_absolute()
        if ".." in Path(path).parts or (outside and Path(path).name != "skills"):
            raise ValueError(f"'{path}' is neither below the root nor a folder with the name 'skills'")


def _compile(patterns: tuple[str, ...]) -> None:
    import re

    for pattern in patterns:
        try:
            re.compile(pattern)
        except re.error as error:
            raise ValueError(f"{pattern!r} is no regular expression: {error}") from None


def _check_patterns(patterns: tuple[str, ...]) -> None:
    for pattern in patterns:
        if pattern == "!" or (len(pattern) - len(pattern.rstrip("\\"))) % 2:  # gitignore(5): these never match
            raise ValueError(f"{pattern!r} is no pattern")


def _allowed(default: Any) -> str:
    if isinstance(default, tuple):
        return "a list of strings"
    names = {bool: "true or false", int: "a whole number, 0 or more", float: "a number, 0 or more"}
    return names.get(type(default), "a string")


def _shown(default: Any) -> str:
    return f"[{', '.join(default)}]" if isinstance(default, tuple) else str(default)
