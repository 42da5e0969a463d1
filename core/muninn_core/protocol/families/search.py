"""Find code, knowledge and memories, and gather the context of a task."""

from __future__ import annotations

from typing import Annotated, Literal

from muninn_core.model.answer import AskedRepository, Hit, ReadState, Reason
from muninn_core.model.chunk import SourceKind
from muninn_core.model.citation import Citation
from muninn_core.model.memory import Scope, Trust, Work
from muninn_core.model.value import Meta, Value
from muninn_core.protocol.base import AtRevision, Names, OtherBranches, OtherRepositories, Result, SessionId, Text
from muninn_core.protocol.exploration import Exploration
from muninn_core.protocol.method import Family, Method

ScopeOfQuestion = Annotated[
    Scope | None,
    Meta(
        description="session: this session's notes only; project: project and global memory; global: all memory, "
        "including notes of other sessions. Without it: this session's notes, project and global "
        "memory."
    ),
]


Profile = Literal["muninn", "mnemosyne"]
"""The rankings of memories that a question can select. `retrieval.rankers.link_ranking` documents the second."""


class RecallParams(Value):
    """A question by `query`, by `like`, or a further page. Filters in the parameters and in `query` must all hold."""

    query: Annotated[
        str,
        Meta(
            description='Words, identifiers or a sentence; also "exact phrase" and filters: type:decision tag:auth '
            "path:src/** lang:python kind:code author:user importance:>=7 since:2w until:2026-01-31 "
            "session:ID task:ID branch:NAME at:REV; -KEY:VALUE excludes."
        ),
    ] = ""
    limit: Annotated[int, Meta(ge=1, le=200, description="The most hits to return.")] = 10
    kind: Annotated[SourceKind | None, Meta(description="Only code, only knowledge or only memories.")] = None
    type: Annotated[Names, Meta(description="Only memories and knowledge of these types.")] = ()
    tag: Annotated[Names, Meta(description="Only memories and knowledge with any of these tags.")] = ()
    domain: Annotated[Names, Meta(description="Only knowledge, and memories, of these domains.")] = ()
    path: Annotated[
        Names,
        Meta(description="Only files that match any of these globs, as in .gitignore, and memories about them."),
    ] = ()
    lang: Annotated[Names, Meta(description="Only files in these languages: python, ts, go.")] = ()
    phrase: Annotated[Names, Meta(description="Only results that contain these exact phrases.")] = ()
    author: Annotated[
        Names, Meta(description="Only memories by these authors: user, assistant, tool, a person's or an agent's name.")
    ] = ()
    min_importance: Annotated[
        int, Meta(ge=0, le=10, description="Only memories of this importance or more; 0 admits all.")
    ] = 0
    since: Annotated[str | None, Meta(description="Only memories changed since then: 12h, 3d, 2w, 2026-01-31.")] = None
    until: Annotated[str | None, Meta(description="Only memories last changed before then: 2w, 2026-01-31.")] = None
    branch: Annotated[Names, Meta(description="Only memories made on these branches (globs).")] = ()
    from_session: Annotated[Names, Meta(description="Only memories of these sessions.")] = ()
    task: Annotated[
        str | None, Meta(description="Only memories of this task, and its document; T-0042 finds MUNI-T-0042.")
    ] = None
    like: Annotated[
        str | None,
        Meta(description="Find results similar to this: FILE:LINE or a memory's id. Words in `query` count as well."),
    ] = None
    at_hand: Annotated[
        Names,
        Meta(description="Files in use: files that changed together with them or are next to them rank higher."),
    ] = ()
    by_file: Annotated[
        bool, Meta(description="Return one hit per file: its best place, and how many of its chunks matched.")
    ] = False
    page: Annotated[str | None, Meta(description="The next page of an earlier answer: its `next`.")] = None
    profile: Annotated[
        Profile | None,
        Meta(
            description="The ranking. muninn ranks everything; mnemosyne finds memories only, by words and links. "
            "Without it the configuration decides for questions about memories."
        ),
    ] = None
    depth: Annotated[
        int,
        Meta(ge=0, le=5, description="For the profile mnemosyne: how many links to follow from the matches."),
    ] = 2
    plain: Annotated[bool, Meta(description="Read the query as words only, without filters and phrases.")] = False
    scope: ScopeOfQuestion = None
    session: SessionId | None = None
    at: AtRevision = None
    branches: OtherBranches = False
    repos: OtherRepositories = ()


class RecallResult(Result):
    """The hits, best first; ties by kind, path, line and id.

    `next` is the `page` of the following hits, "" when there are none. `notes` report what filters excluded, and
    filters that nothing passes. `remembered` are the memories that answer the question, at most three, the most certain
    first; they may be among the hits, too. Front ends show them above the others. It is empty on further
    pages, and for questions of one `kind`. `repositories` are the other repositories that were asked. `ranked` is
    false for a list, which a question of filters alone gets: memories by importance and age, then files by path. Its
    scores compare nothing, and front ends show none.
    """

    hits: tuple[Hit, ...]
    remembered: tuple[Hit, ...] = ()
    next: str = ""
    notes: tuple[str, ...] = ()
    repositories: tuple[AskedRepository, ...] = ()
    ranked: bool = True


class ContextParams(Value):
    """What to gather context for: a query, or a task, files, a cursor or a diff to derive one from. They may be
    combined.
    """

    query: Annotated[
        str, Meta(description="The task or question. Without it, it is derived from the other parameters.")
    ] = ""
    budget: Annotated[int, Meta(ge=50, le=200_000, description="The token budget of the whole pack.")] = 4000
    files: Annotated[Names, Meta(description="Files in use; memories about them rank higher.")] = ()
    cursor: Annotated[
        str | None,
        Meta(description="The cursor: FILE:LINE or FILE:LINE:COL. The code around it comes first."),
    ] = None
    diff: Annotated[
        str | None,
        Meta(
            description="The current changes: a revision such as HEAD compares the work tree with it; A..B compares "
            "two revisions; or a patch in the format of `git diff`."
        ),
    ] = None
    open_files: Annotated[Names, Meta(description="Files open in the editor, the last used first.")] = ()
    task: Annotated[str | None, Meta(description="A task's id; its document and memories come first.")] = None
    scope: ScopeOfQuestion = None
    session: SessionId | None = None
    at: AtRevision = None
    branches: OtherBranches = False
    repos: OtherRepositories = ()
    format: Annotated[
        Literal["markdown", "json", "xml"],
        Meta(description="The format of `text`, which the budget applies to."),
    ] = "markdown"
    skills: Annotated[bool, Meta(description="Include matching skills, in at most 30 % of the budget.")] = False


class PackItem(Value):
    """An item of a pack.

    `tier` is why it is in its place: pin, task, hand (the working set), explored, skill, memory, knowledge or code.
    `form` is whole; part, where text and lines are cut to fit and `id` has the lines of the whole; or headline, where
    only its place is named. `tokens` is the most that it takes in any format. `type`, `author` and `ts` are those of a
    memory.
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
    type: str = ""
    author: str = ""
    ts: str = ""
    why: tuple[Reason, ...] = ()
    elsewhere: tuple[str, ...] = ()
    work: Work = ""
    private: bool = False
    scope: Scope = "project"
    status: str = ""
    trust: Trust | None = None
    origin: str = ""
    cites: tuple[Citation, ...] = ()
    repository: str = ""


class LeftOut(Value):
    """A candidate that was left out of a pack: the tokens it needs, and the reason."""

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
    repository: str = ""


class ContextResult(Result):
    """A pack. `text` is the pack in the requested format; `tokens` counts all of it and never exceeds `budget`.

    `bundle` identifies it for `why` and `replay`. `inputs` are the parameters, `question` is what was searched for, and
    `asked` is the time. `omitted` counts `left_out`. `explored` is how `explore` found the items of the tier explored.
    `repositories` are the other repositories that were asked.
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
    explored: Exploration | None = None
    repositories: tuple[AskedRepository, ...] = ()


class ExploreParams(Value):
    """A question for a model that explores the repository, and the limits of the exploration."""

    query: Annotated[Text, Meta(max_length=4000, description="The question, or the task to find the places for.")]
    budget: Annotated[int, Meta(ge=200, le=200_000, description="The token budget of the pack.")] = 4000
    depth: Annotated[int, Meta(ge=0, le=3, description="How deep explorations of parts may be nested.")] = 1
    calls: Annotated[int, Meta(ge=1, le=200, description="The most calls of the model.")] = 24
    tokens: Annotated[
        int, Meta(ge=1_000, le=5_000_000, description="The most tokens that the model reads and writes.")
    ] = 150_000
    seconds: Annotated[float, Meta(gt=0, le=3600, description="The longest time in seconds.")] = 240
    show_prompt: Annotated[bool, Meta(description="Show the first prompt; ask no model.")] = False
    session: SessionId | None = None


class ExploreResult(Result):
    """The pack: what the model named comes first, and what `context` finds fills the rest of the budget.

    `context` is None with `show_prompt`, which fills `prompt` with the text that would be sent, `tokens` with its
    estimated length and `usd` with the most that this first call may cost.
    """

    context: ContextResult | None
    prompt: str = ""
    tokens: int = 0
    usd: float = 0.0


BundleId = Annotated[
    str, Meta(min_length=1, description="The `bundle` of an answer of `context`, or an unambiguous prefix of it.")
]


class WhyParams(Value):
    """The context to explain."""

    bundle: BundleId
    item: Annotated[
        str | None,
        Meta(description="Only this item, included or left out: its id, a path, or a prefix of either."),
    ] = None


class WhyResult(Result):
    """An explanation of a context. `then` is the state that it was computed from, `saw` the current one.

    `items` and `left_out` are the context's, or those that `item` selects. `text` explains them in words.
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
    """The context to replay."""

    bundle: BundleId
    fresh: Annotated[
        bool, Meta(description="Gather it again from the same parameters, and report the differences.")
    ] = False


class ReplayResult(Result):
    """A replayed context. `source` is kept for the stored answer, fresh for one that was gathered again.

    `same` is true when the text did not change. `moved` names what changed in the repository since the first answer,
    `differs` what that changed in the answer.
    """

    source: Literal["kept", "fresh"]
    same: bool
    moved: tuple[str, ...]
    differs: tuple[str, ...]
    context: ContextResult


FAMILY = Family(
    name="search",
    title="Search",
    summary="Find code, knowledge and memories, and gather the context of a task.",
    methods=(
        Method(
            verb="recall",
            title="Search memory and code",
            everyday="Find code and memories for a question.",
            aliases=("search", "find"),
            synonyms=("query", "ask", "lookup", "where", "what", "how", "which", "when"),
            summary="Find code, knowledge and memories for a question, each with the reasons for its rank.",
            params=RecallParams,
            result=RecallResult,
            effect="read",
            tool=True,
            positional=("query",),
            flags={"by_file": "files"},
            use=(
                "Call before you search the code by hand, and before you decide something that may have been "
                "decided: it finds code by words and meaning, and what was decided, learned or tried about "
                "it. Narrow with `kind`, `path` or `type`; `like` finds similar places; `page` continues an "
                "answer."
            ),
            example={"query": "how does a client find the daemon"},
            rooted_paths=("like",),
            searches=True,
            shown=("query", "limit", "kind", "type", "path", "like", "page", "repos"),
            may_omit=("query",),
            always_loaded=True,
        ),
        Method(
            verb="context",
            title="Gather context",
            everyday="Gather what a task needs, within a token budget.",
            synonyms=("prompt",),
            summary="Return a pack of what a task needs, within a token budget.",
            params=ContextParams,
            result=ContextResult,
            effect="read",
            tool=True,
            positional=("query",),
            flags={"open_files": "open"},
            use=(
                "Call once at the start of a task: it returns pinned memories, the task, decisions, knowledge"
                " and code for it, without duplicates and within `budget` tokens. Name the files in use; "
                "`cursor` and `diff` add the code around a place or a change."
            ),
            example={"query": "how does a client find the daemon"},
            rooted_paths=("files", "open_files", "cursor"),
            searches=True,
            shown=("query", "budget", "files", "cursor", "diff", "task", "repos"),
            may_omit=("query",),
            always_loaded=True,
            bare={"diff": "HEAD"},
        ),
        Method(
            verb="explore",
            title="Explore with a model",
            summary="Let a model explore the repository for a question, and return a pack of the places it names.",
            params=ExploreParams,
            result=ExploreResult,
            effect="control",
            idempotent=False,
            positional=("query",),
            use=(
                "Call for a question about many places, if the user has set a model for it: a model reads the "
                "repository and names the lines that answer. It takes minutes and costs tokens; `context` does not."
            ),
            example={"query": "which limits apply to a request"},
            searches=True,
            shown=("query", "budget", "calls"),
            progress="Exploring",
        ),
        Method(
            verb="why",
            title="Explain a context",
            summary=("Explain what a context contains: inputs, the signals of each item, and what was left out."),
            params=WhyParams,
            result=WhyResult,
            effect="read",
            positional=("bundle",),
            use=("Call to learn why a context contains or lacks something: it lists the signals of each item."),
            example={"bundle": "c-5d41402abc4b2a76"},
        ),
        Method(
            verb="replay",
            title="Replay a context",
            summary="Return a context again, byte for byte, or gather it again and report the differences.",
            params=ReplayParams,
            result=ReplayResult,
            effect="read",
            positional=("bundle",),
            example={"bundle": "c-5d41402abc4b2a76"},
        ),
    ),
)
