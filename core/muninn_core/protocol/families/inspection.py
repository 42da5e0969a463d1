"""List and show memories and sessions, with their history and links."""

from __future__ import annotations

from typing import Annotated, Literal

from muninn_core.model.answer import AskedRepository
from muninn_core.model.citation import Citation
from muninn_core.model.memory import Memory, Scope, Trust
from muninn_core.model.role import RoleName
from muninn_core.model.value import Meta, Value, field
from muninn_core.protocol.base import AtRevision, MemoryId, OtherBranches, OtherRepositories, Result, SessionId
from muninn_core.protocol.families.repository import FocusStatus, ProjectStatus
from muninn_core.protocol.families.session import GivenCounts
from muninn_core.protocol.method import Family, Method

Order = Literal["newest", "importance"]


class MemoriesParams(Value):
    """Filters; a memory must pass all that are given. Newest first unless `order` says otherwise."""

    id: Annotated[str | None, Meta(description="One memory, by its id or an unambiguous prefix of it.")] = None
    type: Annotated[str | None, Meta(description="Only memories of this type.")] = None
    tag: Annotated[str | None, Meta(description="Only memories with this tag.")] = None
    file: Annotated[str | None, Meta(description="Only memories about this file, including its former names.")] = None
    session: SessionId | None = None
    task: Annotated[str | None, Meta(description="Only memories of this task; T-0042 finds MUNI-T-0042.")] = None
    scope: Annotated[
        Scope | None, Meta(description="Only memories of this scope; session shows the notes of every session.")
    ] = None
    text: Annotated[
        str | None, Meta(description="Only memories whose text or title contains this; case does not matter.")
    ] = None
    min_importance: Annotated[
        int, Meta(ge=0, le=10, description="Only memories of this importance or more; 0 admits all.")
    ] = 0
    since: Annotated[str | None, Meta(description="Only memories changed since then: 12h, 3d, 2w, 2026-01-31.")] = None
    role: Annotated[
        RoleName | None,
        Meta(description="Count the types of memory that matter to this role as more important."),
    ] = None
    order: Annotated[Order, Meta(description="The order; among equals the newer comes first.")] = "newest"
    archived: Annotated[
        bool, Meta(description="Include archived, superseded, merged, rejected and expired memories.")
    ] = False
    pending: Annotated[bool, Meta(description="Only memories that wait for approval.")] = False
    without_questions: Annotated[bool, Meta(description="Only memories that have no questions.")] = False
    limit: Annotated[int, Meta(ge=1, le=10_000, description="The most memories to return.")] = 50
    offset: Annotated[int, Meta(ge=0, description="How many results to skip.")] = 0
    at: AtRevision = None
    branches: OtherBranches = False
    repos: OtherRepositories = ()


class Mention(Value):
    """A passage about the file in the memory of another tool (`origin`)."""

    origin: str
    trust: Trust
    path: str
    start_line: int
    end_line: int
    title: str


class Access(Value):
    """How often a memory was part of an answer on this machine, and the last time (RFC 3339)."""

    count: int = 0
    last: str = ""


class MemoriesResult(Result):
    """The matching memories; `total` counts them before limit and offset.

    `citations` are the citations of each memory, judged against the work tree, by memory id. `access` is set when one
    memory was requested by id. For a question about one file, `origin` is the pack that the file belongs to, and
    `mentions` are passages about it in the memory of other tools. `repositories` are the other repositories that
    were asked; of their memories, only active ones are listed. `notes` of an empty list name values that no memory
    has.
    """

    memories: tuple[Memory, ...]
    total: int
    order: Order = "newest"
    citations: dict[str, tuple[Citation, ...]] = field(default_factory=dict)
    access: Access | None = None
    origin: str = ""
    mentions: tuple[Mention, ...] = ()
    notes: tuple[str, ...] = ()
    repositories: tuple[AskedRepository, ...] = ()


class MemoryLink(Value):
    """A link between two memories. `depth` is the step at which it was found, `by` the author of the link."""

    source: str
    relation: str
    target: str
    strength: float
    depth: int
    reason: str = ""
    by: str = ""


class ShowParams(Value):
    """The memory to show."""

    id: MemoryId


class ShowResult(Result):
    """A memory, its citations judged against the work tree, and its links in both directions.

    `linked` has the headline of the memory at the other end of each link, by id. `given` says how often sessions of
    agents on this machine received the memory, and the outcomes.
    """

    memory: Memory
    citations: tuple[Citation, ...]
    links: tuple[MemoryLink, ...]
    linked: dict[str, str]
    access: Access
    given: GivenCounts


class HistoryParams(Value):
    """The memory."""

    id: MemoryId


class Changed(Value):
    """A field that an event changed, in words. `before` and `after` are empty when the memory is redacted."""

    name: str
    before: str
    after: str


class Event(Value):
    """A record about a memory: its author, time, branch and commit, and what it changed.

    `author` is the author's name, "" where the record has none. The records of a `private` memory are never sealed.
    """

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
    private: bool = False
    author: str = ""


class HistoryResult(Result):
    """The memory in its current state, and its events, oldest first."""

    memory: Memory
    events: tuple[Event, ...]


class LogParams(Value):
    """Which records to list."""

    limit: Annotated[int, Meta(ge=1, le=500, description="The most records to return.")] = 20
    since: Annotated[str, Meta(description="Only records since then: 12h, 3d, 2w, 2026-01-31.")] = ""
    session: SessionId | None = None


class LogEntry(Value):
    """A record with the memory that it concerns. `title` is the memory's headline, "" when no memory has its id.

    `event` describes the record. `memory` is the id of the memory that it created or changed.
    """

    memory: str
    title: str
    event: Event


class LogResult(Result):
    """The records of the log, newest first. `total` counts them before the limit."""

    entries: tuple[LogEntry, ...]
    total: int


RelationName = Annotated[str, Meta(pattern=r"^(contradicts|extends|implements|references|supersedes)$")]


class LinksParams(Value):
    """Where to start, and which links to follow."""

    id: MemoryId
    depth: Annotated[int, Meta(ge=1, le=5, description="How many links to follow in a row.")] = 2
    relation: Annotated[tuple[RelationName, ...], Meta(description="Only links of these relations.")] = ()
    archived: Annotated[bool, Meta(description="Follow links of archived, merged and expired memories, too.")] = False
    limit: Annotated[int, Meta(ge=1, le=500, description="The most memories to return.")] = 50
    session: SessionId | None = None


class LinksResult(Result):
    """The memories that links lead to, by distance and then newest first. The first is the start.

    `depths` are their distances in links. `omitted` counts memories beyond the limit.
    """

    memories: tuple[Memory, ...]
    depths: tuple[int, ...]
    links: tuple[MemoryLink, ...]
    omitted: int = 0


class OverviewParams(Value):
    """Which memories count as recent and as important. The newest are shown where none does."""

    days: Annotated[int, Meta(ge=0, le=36_500, description="Memories changed within this many days are recent.")] = 7
    importance: Annotated[int, Meta(ge=1, le=10, description="Memories of this importance or more are important.")] = 8
    limit: Annotated[int, Meta(ge=1, le=100, description="The most memories in each list.")] = 10
    session: SessionId | None = None


class FileCount(Value):
    """A file, and the number of recallable memories that name or cite it."""

    path: str
    memories: int


class OverviewResult(Result):
    """An overview of a project's memory.

    `important` excludes memories that are in `recent`. `links` are the links of both lists; `linked` has the headlines
    of the memories at their other ends, by id. `memories` counts all recallable memories, `kinds` by type, `scopes` by
    scope. `density` is the number of links per memory. `weeks` counts the memories made in each of the last twelve
    weeks, oldest first. `files` are the files with the most memories.
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
    weeks: tuple[int, ...] = ()
    files: tuple[FileCount, ...] = ()


class SessionsParams(Value):
    """Which sessions to list. Open ones come first, then the last to write."""

    session: SessionId | None = None
    open: Annotated[bool, Meta(description="Only sessions with records that are not sealed.")] = False
    limit: Annotated[int, Meta(ge=1, le=10_000, description="The most sessions to return.")] = 50
    offset: Annotated[int, Meta(ge=0, description="How many results to skip.")] = 0


class WorkSession(Value):
    """A working session.

    `title` is its summary, its given name, or its start time. A session is open while some of its `records` are not
    sealed (`waiting`). `memories` counts recallable memories. Branch, task, agent, author and actor are those of its
    latest memory that has them.
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
    author: str = ""
    actor: str = ""


class SessionsResult(Result):
    """The sessions, open ones first. `total` counts them before limit and offset."""

    sessions: tuple[WorkSession, ...]
    total: int


FAMILY = Family(
    name="inspection",
    title="Inspect",
    summary="List and show memories and sessions, with their history and links.",
    methods=(
        Method(
            verb="memories",
            title="List memories",
            everyday="List memories: by type, tag, file, text or time.",
            aliases=("list",),
            synonyms=("all", "notes"),
            summary="List memories by type, tag, file, task, session, text or time.",
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
            everyday="Show one memory in full.",
            aliases=("get",),
            synonyms=("view",),
            summary="Show one memory in full, with the state of its citations and its links in both directions.",
            params=ShowParams,
            result=ShowResult,
            effect="read",
            use="Call to read one memory whole, by an id from another answer.",
            positional=("id",),
            lsp_command="muninn.memory",
            example={"id": "0198c5"},
        ),
        Method(
            verb="history",
            title="Show a memory's history",
            synonyms=("changes",),
            summary="List every record about a memory: author, time, commit, and what it changed.",
            params=HistoryParams,
            result=HistoryResult,
            effect="read",
            positional=("id",),
            use="Call when it matters who stored or changed a memory, when, and what it said before.",
            example={"id": "0198c5"},
        ),
        Method(
            verb="log",
            title="List recent changes of memory",
            everyday="Show what was remembered and changed lately.",
            synonyms=("recent", "activity"),
            summary="List the newest records of memory: what was remembered, changed, merged or archived, and by whom.",
            params=LogParams,
            result=LogResult,
            effect="read",
            use="Call to see what changed in memory lately, for example since a date.",
            session_filter=True,
            shown=("limit", "since"),
        ),
        Method(
            verb="links",
            title="Follow links",
            summary="Show the memories linked to a memory, up to a number of steps.",
            params=LinksParams,
            result=LinksResult,
            effect="read",
            positional=("id",),
            use=(
                "Call when a memory refers to others, or to see what was built on it: it returns the linked "
                "memories and their relations."
            ),
            example={"id": "0198c5"},
            shown=("id", "depth", "relation", "limit"),
        ),
        Method(
            verb="overview",
            title="Show an overview",
            synonyms=("stats", "summary"),
            summary=("Summarise the project's memory: recent and important memories, their links, and counts."),
            params=OverviewParams,
            result=OverviewResult,
            effect="read",
            use=("Call at the start of a session that has no task yet, to see what the project has been about lately."),
        ),
        Method(
            verb="sessions",
            title="List sessions",
            summary="List the sessions that stored memories: state, time, branch and author.",
            params=SessionsParams,
            result=SessionsResult,
            effect="read",
        ),
    ),
)
