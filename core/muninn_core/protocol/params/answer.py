"""Parameters about questions: recall, contexts, the map of the code, skills."""

from __future__ import annotations

from typing import Annotated, Literal

from muninn_core.model.chunk import SourceKind
from muninn_core.model.memory import Scope
from muninn_core.model.value import Meta, Value
from muninn_core.protocol.params.base import SessionId, Text

ScopeOfQuestion = Annotated[
    Scope | None,
    Meta(
        description="session: only this session's notes; project: project and global memory; global: all memory, other "
        "sessions' notes too. Otherwise this session's, the project's and the global one."
    ),
]

Profile = Literal["muninn", "mnemosyne"]
"""The rankings of memories that a question can name; `retrieval.profile` says what the second is."""


class RecallParams(Value):
    """A question: `query`, or what it shall be like, or a further page. All filters must hold, those in `query` too."""

    query: Annotated[
        str,
        Meta(
            description='Words, identifiers or a sentence; also "exact phrase" and filters: type:decision tag:auth '
            "path:src/** lang:python kind:code author:user importance:>=7 since:2w until:2026-01-31 session:ID "
            "task:ID branch:NAME at:REV; -KEY:VALUE leaves out."
        ),
    ] = ""
    limit: Annotated[int, Meta(ge=1, le=200, description="The most hits to return.")] = 10
    kind: Annotated[SourceKind | None, Meta(description="Only code, only knowledge or only memory.")] = None
    type: Annotated[tuple[str, ...], Meta(description="Only memories of any of these types.")] = ()
    tag: Annotated[tuple[str, ...], Meta(description="Only memories with any of these tags.")] = ()
    path: Annotated[
        tuple[str, ...],
        Meta(description="Only files that match any of these globs, as in .gitignore, and memories about them."),
    ] = ()
    lang: Annotated[tuple[str, ...], Meta(description="Only files in any of these languages: python, ts, go.")] = ()
    phrase: Annotated[tuple[str, ...], Meta(description="Only what holds these words side by side.")] = ()
    author: Annotated[
        tuple[str, ...], Meta(description="Only memories by any of these: user, assistant, tool, an agent's name.")
    ] = ()
    min_importance: Annotated[
        int, Meta(ge=0, le=10, description="Only memories of this importance or more; 0 is whatever importance.")
    ] = 0
    since: Annotated[str | None, Meta(description="Only memories changed since: 12h, 3d, 2w, 2026-01-31.")] = None
    until: Annotated[str | None, Meta(description="Only memories last changed before: 2w, 2026-01-31.")] = None
    branch: Annotated[tuple[str, ...], Meta(description="Only memories made on any of these branches (globs).")] = ()
    from_session: Annotated[tuple[str, ...], Meta(description="Only memories of any of these sessions.")] = ()
    task: Annotated[
        str | None, Meta(description="Only what was learned on this task, and its document; T-0042 finds MUNI-T-0042.")
    ] = None
    like: Annotated[
        str | None, Meta(description="More like this: FILE:LINE, or a memory's id. Words in `query` count as well.")
    ] = None
    at_hand: Annotated[
        tuple[str, ...],
        Meta(description="Files at hand: what changed together with them, or is beside them, counts more."),
    ] = ()
    by_file: Annotated[
        bool, Meta(description="One hit a file: its best place, and how many of its pieces were found.")
    ] = False
    page: Annotated[str | None, Meta(description="Further hits of an earlier answer: what it gave as `next`.")] = None
    profile: Annotated[
        Profile | None,
        Meta(
            description="How hits are ranked. mnemosyne finds memories alone, by words and the links between them; "
            "muninn is the ranking of everything. Otherwise what the config says of questions for memories."
        ),
    ] = None
    depth: Annotated[
        int,
        Meta(ge=0, le=5, description="With the profile mnemosyne: how many links are followed from what words find."),
    ] = 2
    plain: Annotated[bool, Meta(description="Take the query as words alone: no filters, no phrases in it.")] = False
    scope: ScopeOfQuestion = None
    session: SessionId | None = None
    at: Annotated[
        str | None,
        Meta(description="Answer as of this commit, branch or tag, from git's objects: what was remembered then."),
    ] = None
    branches: Annotated[
        bool, Meta(description="Also what is remembered on other branches only; it is labelled with their names.")
    ] = False


class ContextParams(Value):
    """What to gather context for: a query, or a task, files, a cursor or a diff to make one from; all may be given."""

    query: Annotated[
        str, Meta(description="The task or question at hand; follows from what else is given when absent.")
    ] = ""
    budget: Annotated[int, Meta(ge=50, le=200_000, description="The most tokens of the whole pack.")] = 4000
    files: Annotated[tuple[str, ...], Meta(description="Files at hand; what is remembered of them counts more.")] = ()
    cursor: Annotated[
        str | None,
        Meta(description="Where the work is: FILE:LINE or FILE:LINE:COL. The code around it comes first."),
    ] = None
    diff: Annotated[
        str | None,
        Meta(
            description="Changes at hand: HEAD or another revision for those of the work tree against it, A..B for "
            "those between two, or a patch as `git diff` writes it."
        ),
    ] = None
    open_files: Annotated[
        tuple[str, ...], Meta(description="Files that are open in the asker's editor, the last used first.")
    ] = ()
    task: Annotated[str | None, Meta(description="A task's id; its document and memories come first.")] = None
    scope: ScopeOfQuestion = None
    session: SessionId | None = None
    at: Annotated[
        str | None,
        Meta(description="Answer as of this commit, branch or tag, from git's objects: what was remembered then."),
    ] = None
    branches: Annotated[
        bool, Meta(description="Also what is remembered on other branches only; it is labelled with their names.")
    ] = False
    format: Annotated[
        Literal["markdown", "json", "xml"], Meta(description="How `text` is written; the items are the same in all.")
    ] = "markdown"
    skills: Annotated[bool, Meta(description="Also the skills that help with it, in at most 30 % of the budget.")] = (
        False
    )


BundleId = Annotated[
    str, Meta(min_length=1, description="The id that `context` gave its answer, or an unambiguous prefix of it.")
]


class WhyParams(Value):
    """Which context to explain."""

    bundle: BundleId
    item: Annotated[
        str | None,
        Meta(description="Only this item, taken or left out: its id, a path, or the beginning of either."),
    ] = None


class ReplayParams(Value):
    """Which context to give again."""

    bundle: BundleId
    fresh: Annotated[bool, Meta(description="Gather it anew from what it was asked with, and say what differs.")] = (
        False
    )


class SkillsListParams(Value):
    """Which skills: all, or those with which something is wrong."""

    problems: Annotated[bool, Meta(description="Only those with which something is wrong.")] = False


class SkillsMatchParams(Value):
    """The task, and the budget of the context that skills may take 30 % of."""

    task: Annotated[str, Meta(description="What is to be done, in a sentence.")]
    budget: Annotated[
        int, Meta(ge=50, le=200_000, description="Tokens of the whole context; skills take at most 30 % of them.")
    ] = 20_000


class SymbolsParams(Value):
    """Which definitions to find."""

    query: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=200,
            description="A name, its beginning, its humps (`gUN` for getUserName) or a part; `Class.method`, too.",
        ),
    ]
    kind: Annotated[str | None, Meta(description="Only of this kind: class, function, method, constant …")] = None
    language: Annotated[str | None, Meta(description="Only of this language: python, typescript, go …")] = None
    path: Annotated[str | None, Meta(description="Only in this folder, or in files of this pattern: `src/*.py`.")] = (
        None
    )
    limit: Annotated[int, Meta(ge=1, le=500, description="The most definitions.")] = 20


class OutlineParams(Value):
    """Whose definitions to tell."""

    path: Annotated[Text, Meta(description="A file, relative to the root.")]


class GraphParams(Value):
    """What to look around from, and where to."""

    start: Annotated[
        Text, Meta(description="A file, a definition (`name`, `Class.method`), or one of a file: `path#Class.method`.")
    ]
    relation: Annotated[
        str,
        Meta(
            description="What to follow: definitions, imports, importers, callers, callees, tests, or neighbours, "
            "which are all but definitions."
        ),
    ] = "neighbours"
    depth: Annotated[int, Meta(ge=1, le=3, description="How many steps to go.")] = 1
    limit: Annotated[int, Meta(ge=1, le=500, description="The most edges.")] = 50
