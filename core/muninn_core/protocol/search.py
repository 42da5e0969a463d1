"""Find code, knowledge and memories, and gather what a task needs."""

from __future__ import annotations

from typing import Annotated, Literal

from muninn_core.model.answer import Hit, ReadState, Reason
from muninn_core.model.chunk import SourceKind
from muninn_core.model.citation import Citation
from muninn_core.model.memory import Scope, Trust, Work
from muninn_core.model.value import Meta, Value
from muninn_core.protocol.base import Result, SessionId
from muninn_core.protocol.method import Family, Method

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


class RecallResult(Result):
    """Best first; ties by kind, path, line and id.

    `next` is what `page` takes for the hits that come after these, "" when there are none. `notes` say what filters
    left out, and which of them nothing passes.
    """

    hits: tuple[Hit, ...]
    next: str = ""
    notes: tuple[str, ...] = ()


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


class PackItem(Value):
    """One item of a pack. `tier` says why it is where it is: pin, task, hand, skill, memory, knowledge or code.

    `form`: whole; part, where text and lines are those that fit, and `id` has the lines of the whole; headline, where
    only its place is named. `tokens` is the most that it takes in any format.
    """

    tier: str
    kind: SourceKind
    id: str
    path: str
    start_line: int
    end_line: int
    title: str
    text: str
    tokens: int
    score: float
    form: Literal["whole", "part", "headline"] = "whole"
    symbol: str = ""
    why: tuple[Reason, ...] = ()
    elsewhere: tuple[str, ...] = ()
    work: Work = ""
    private: bool = False
    scope: Scope = "project"
    status: str = ""
    trust: Trust | None = None
    origin: str = ""
    cites: tuple[Citation, ...] = ()


class LeftOut(Value):
    """A candidate that a pack does not hold: what it would have taken, and the reason."""

    tier: str
    kind: SourceKind
    id: str
    path: str
    start_line: int
    end_line: int
    title: str
    tokens: int
    score: float
    reason: str
    why: tuple[Reason, ...] = ()


class ContextResult(Result):
    """A pack. `text` is it in the format that was asked for; `tokens` counts all of it and never exceeds `budget`.

    `bundle` names it, for `why` and `replay`. `inputs` are what was asked with; `question` is what was looked for,
    `asked` when. `omitted` counts `left_out`.
    """

    text: str
    items: tuple[PackItem, ...]
    tokens: int
    budget: int
    omitted: int
    bundle: str = ""
    inputs: ContextParams = ContextParams()
    question: str = ""
    asked: str = ""
    left_out: tuple[LeftOut, ...] = ()


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


class WhyResult(Result):
    """An explanation of a context. `then` is the state that it was gathered from, `saw` that of now.

    `items` and `left_out` are those of the context, or of them those that `item` names; `text` tells it in words.
    """

    bundle: str
    inputs: ContextParams
    question: str
    asked: str
    then: ReadState
    tokens: int
    budget: int
    items: tuple[PackItem, ...]
    left_out: tuple[LeftOut, ...]
    text: str


class ReplayParams(Value):
    """Which context to give again."""

    bundle: BundleId
    fresh: Annotated[bool, Meta(description="Gather it anew from what it was asked with, and say what differs.")] = (
        False
    )


class ReplayResult(Result):
    """A context once more. `source`: kept, then it is the very answer; fresh, then it was gathered anew.

    `same` says whether its text is that of the first time. `moved` says in which ways the repository is no longer in
    the state that the first answer saw; `differs` what that changed in the answer.
    """

    source: Literal["kept", "fresh"]
    same: bool
    moved: tuple[str, ...]
    differs: tuple[str, ...]
    context: ContextResult


FAMILY = Family(
    name="search",
    title="Search",
    summary="Find code, knowledge and memories, and gather what a task needs.",
    methods=(
        Method(
            verb="recall",
            title="Recall",
            summary="Find code, knowledge and memories for a question, each with the reasons for its place.",
            params=RecallParams,
            result=RecallResult,
            effect="read",
            tool=True,
            positional=("query",),
            flags={"by_file": "files"},
            use=(
                "Call before you search the code by hand, and before you decide something that may have been "
                "decided: it finds code by words and meaning, and what was decided, learned or tried about it. "
                "Narrow with `kind`, `path` or `type`; `like` finds what resembles a place; `page` goes on where an"
                " answer ended."
            ),
            example={"query": "how does a client find the daemon"},
            rooted_paths=("like",),
            searches=True,
            shown=("query", "limit", "kind", "type", "path", "like", "page"),
            may_omit=("query",),
            always_loaded=True,
        ),
        Method(
            verb="context",
            title="Gather context",
            summary="Make a pack of what matters for a task, within a token budget.",
            params=ContextParams,
            result=ContextResult,
            effect="read",
            tool=True,
            positional=("query",),
            flags={"open_files": "open"},
            use=(
                "Call once at the start of a task: it returns pins, the task, decisions, knowledge and code that "
                "belong to it, deduplicated and within `budget` tokens. Name the files that you work on; `cursor` "
                "and `diff` bring the code around a place or a change."
            ),
            example={"query": "how does a client find the daemon"},
            rooted_paths=("files", "open_files", "cursor"),
            searches=True,
            shown=("query", "budget", "files", "cursor", "diff", "task"),
            may_omit=("query",),
            always_loaded=True,
            bare={"diff": "HEAD"},
        ),
        Method(
            verb="why",
            title="Explain a context",
            summary=(
                "Say why a context holds what it holds: inputs, the signals of each item, what was left out and why."
            ),
            params=WhyParams,
            result=WhyResult,
            effect="read",
            positional=("bundle",),
            use="Call when you wonder why a context holds or lacks something: it names the signals of each item.",
            example={"bundle": "c-5d41402abc4b2a76"},
        ),
        Method(
            verb="replay",
            title="Replay a context",
            summary="Give a context once more, byte for byte; or gather it anew and say what differs.",
            params=ReplayParams,
            result=ReplayResult,
            effect="read",
            positional=("bundle",),
            example={"bundle": "c-5d41402abc4b2a76"},
        ),
    ),
)
