"""List memories and sessions, and follow history and links."""

from __future__ import annotations

from typing import Annotated, Literal

from muninn_core.model.citation import Citation
from muninn_core.model.memory import Memory, Scope, Trust
from muninn_core.model.value import Meta, Value, field
from muninn_core.protocol.base import Result, SessionId, Text
from muninn_core.protocol.method import Family, Method
from muninn_core.protocol.repository import FocusStatus, ProjectStatus


class MemoriesParams(Value):
    """Which memories to list: every filter that is given must hold. Newest first."""

    id: Annotated[str | None, Meta(description="One memory, by its id or an unambiguous prefix of it.")] = None
    type: Annotated[str | None, Meta(description="Of this type.")] = None
    tag: Annotated[str | None, Meta(description="With this tag.")] = None
    file: Annotated[str | None, Meta(description="About this file, also under names that it had before.")] = None
    session: SessionId | None = None
    task: Annotated[str | None, Meta(description="Of this task; T-0042 finds MUNI-T-0042.")] = None
    scope: Annotated[Scope | None, Meta(description="Of this scope; session shows every session's notes.")] = None
    text: Annotated[str | None, Meta(description="Whose text or title contains this, whatever the case.")] = None
    min_importance: Annotated[int, Meta(ge=0, le=10, description="Of this importance or more; 0 is whatever.")] = 0
    since: Annotated[str | None, Meta(description="Changed since: 12h, 3d, 2w, 2026-01-31.")] = None
    order: Annotated[
        Literal["newest", "importance"], Meta(description="What comes first; the newer one among equals.")
    ] = "newest"
    archived: Annotated[bool, Meta(description="Archived, superseded, merged, rejected and expired ones, too.")] = False
    pending: Annotated[bool, Meta(description="Only those that wait for an approval.")] = False
    limit: Annotated[int, Meta(ge=1, le=10_000, description="The most memories to return.")] = 50
    offset: Annotated[int, Meta(ge=0, description="How many to leave out at the start.")] = 0
    at: Annotated[
        str | None,
        Meta(description="Answer as of this commit, branch or tag, from git's objects: what was remembered then."),
    ] = None
    branches: Annotated[
        bool, Meta(description="Also what is remembered on other branches only; it is labelled with their names.")
    ] = False


class Mention(Value):
    """Where another tool's memory (`origin`, of that `trust`) speaks of a file."""

    origin: str
    trust: Trust
    path: str
    start_line: int
    end_line: int
    title: str


class Access(Value):
    """How often a memory was part of an answer on this machine, and when last (RFC 3339)."""

    count: int = 0
    last: str = ""


class MemoriesResult(Result):
    """The memories that match; `total` counts them before limit and offset.

    `citations` says by a memory's id how what it cites stands in the work tree; `access`, of one that was asked for by
    its id, how often it was recalled here. Of a question about one file, `origin` is the pack that it belongs to, if
    any, and `mentions` are where the memory of other tools speaks of it.
    """

    memories: tuple[Memory, ...]
    total: int
    citations: dict[str, tuple[Citation, ...]] = field(default_factory=dict)
    access: Access | None = None
    origin: str = ""
    mentions: tuple[Mention, ...] = ()


class MemoryLink(Value):
    """A link that was followed: who states it, of whom, and at which step it was met."""

    source: str
    relation: str
    target: str
    strength: float
    depth: int
    reason: str = ""
    by: str = ""


class ShowParams(Value):
    """The memory to show."""

    id: Annotated[Text, Meta(description="The memory's id or an unambiguous prefix of it.")]


class ShowResult(Result):
    """A memory with its citations as they stand in the work tree, and its links in both directions.

    `linked` has the headline of each memory at the other end of `links`, by id.
    """

    memory: Memory
    citations: tuple[Citation, ...]
    links: tuple[MemoryLink, ...]
    linked: dict[str, str]
    access: Access


class HistoryParams(Value):
    """Whose life to tell."""

    id: Annotated[Text, Meta(description="The memory's id or an unambiguous prefix of it.")]


class Changed(Value):
    """One field of a memory that an event changed, in words. Both are empty once the memory is redacted."""

    name: str
    before: str
    after: str


class Event(Value):
    """One record about a memory: who wrote it, when, where HEAD was, and what it changed."""

    id: str
    ts: str
    type: str
    actor: str
    agent: str
    session: str
    task: str
    branch: str
    commit: str
    summary: str
    changes: tuple[Changed, ...] = ()
    sealed: bool = True


class HistoryResult(Result):
    """A memory as it is now, and its events, oldest first."""

    memory: Memory
    events: tuple[Event, ...]


RelationName = Annotated[str, Meta(pattern=r"^(contradicts|extends|implements|references|supersedes)$")]


class LinksParams(Value):
    """From where to follow the links between memories, and how far."""

    id: Annotated[Text, Meta(description="The memory's id or an unambiguous prefix of it.")]
    depth: Annotated[int, Meta(ge=1, le=5, description="How many links to follow one after the other.")] = 2
    relation: Annotated[tuple[RelationName, ...], Meta(description="Only links of any of these relations.")] = ()
    archived: Annotated[bool, Meta(description="Over archived, superseded and expired ones, too.")] = False
    limit: Annotated[int, Meta(ge=1, le=500, description="The most memories to return.")] = 50
    session: SessionId | None = None


class LinksResult(Result):
    """The memories that links lead to, by the number of steps and then the newest first; the start is the first one.

    `depths` are the steps of each. `links` are those between them; `omitted` memories did not fit the limit.
    """

    memories: tuple[Memory, ...]
    depths: tuple[int, ...]
    links: tuple[MemoryLink, ...]
    omitted: int = 0


class OverviewParams(Value):
    """What counts as recent and as important."""

    days: Annotated[int, Meta(ge=0, le=36_500, description="Recent is what changed in so many days.")] = 7
    importance: Annotated[int, Meta(ge=1, le=10, description="Important is this much or more.")] = 8
    limit: Annotated[int, Meta(ge=1, le=100, description="The most memories of each sort.")] = 10
    session: SessionId | None = None


class OverviewResult(Result):
    """The memory of a project at a glance. `important` are those that are not `recent` already.

    `links` are those of both with others, whose headlines stand in `linked` by id. `memories` counts all that speak
    here, `kinds` by type, `scopes` by scope; `density` is the number of links for each memory.
    """

    project: ProjectStatus
    focus: FocusStatus
    recent: tuple[Memory, ...]
    important: tuple[Memory, ...]
    links: tuple[MemoryLink, ...]
    linked: dict[str, str]
    memories: int
    kinds: dict[str, int]
    scopes: dict[str, int]
    density: float


class SessionsParams(Value):
    """Which sessions to list: open ones first, then those that wrote last."""

    session: SessionId | None = None
    open: Annotated[bool, Meta(description="Only those with something that is not sealed yet.")] = False
    limit: Annotated[int, Meta(ge=1, le=10_000, description="The most sessions to return.")] = 50
    offset: Annotated[int, Meta(ge=0, description="How many to leave out at the start.")] = 0


class WorkSession(Value):
    """A working session. `title` is what a reader calls it: its summary, the name that somebody gave it, or its begin.

    It is open while some of its `records` wait to be sealed; `memories` speak. Branch, task, agent and actor are those
    of its last memory that says them.
    """

    session: str
    title: str
    state: Literal["open", "sealed"]
    begin: str
    end: str
    records: int
    waiting: int
    memories: int
    branch: str = ""
    task: str = ""
    agent: str = ""
    actor: str = ""


class SessionsResult(Result):
    """The sessions, open ones first; `total` counts them before limit and offset."""

    sessions: tuple[WorkSession, ...]
    total: int


FAMILY = Family(
    name="inspection",
    title="Inspect",
    summary="List memories and sessions, and follow history and links.",
    methods=(
        Method(
            verb="memories",
            title="List memories",
            summary="List, filter or get memories.",
            params=MemoriesParams,
            result=MemoriesResult,
            effect="read",
            tool=True,
            flags={"archived": "all"},
            use="Call to see what is remembered about a file, a task, a tag or a session, or to read one memory by id.",
            rooted_paths=("file",),
            shown=("id", "type", "tag", "file", "task", "text", "limit", "offset"),
            session_filter=True,
        ),
        Method(
            verb="show",
            title="Show a memory",
            summary="Show one memory whole, with its citations as they stand and its links in both directions.",
            params=ShowParams,
            result=ShowResult,
            effect="read",
            use="Call to read one memory whole, by an id that another answer gave.",
            positional=("id",),
            lsp_command="muninn.memory",
            example={"id": "0198c5"},
        ),
        Method(
            verb="history",
            title="History of a memory",
            summary="Tell every record about a memory: who, when, where HEAD was, and what it changed.",
            params=HistoryParams,
            result=HistoryResult,
            effect="read",
            positional=("id",),
            use="Call when it matters who said something, when, and what it was before; it is the audit trail.",
            example={"id": "0198c5"},
        ),
        Method(
            verb="links",
            title="Follow links",
            summary="Show what a memory is linked to, and that in turn, up to a depth.",
            params=LinksParams,
            result=LinksResult,
            effect="read",
            positional=("id",),
            use="Call when a memory that you found refers to others, or you want what was built on it: it shows the "
            "memories around it and how they are related.",
            example={"id": "0198c5"},
            shown=("id", "depth", "relation", "limit"),
        ),
        Method(
            verb="overview",
            title="Overview",
            summary=(
                "Show the project's memory at a glance: recent, important, how it hangs together, how much there is."
            ),
            params=OverviewParams,
            result=OverviewResult,
            effect="read",
            use="Call at the start of a session without a task yet, to learn what the project has been about lately.",
        ),
        Method(
            verb="sessions",
            title="List sessions",
            summary="List the sessions that wrote to the memory: open or sealed, when, on which branch, by whom.",
            params=SessionsParams,
            result=SessionsResult,
            effect="read",
        ),
    ),
)
