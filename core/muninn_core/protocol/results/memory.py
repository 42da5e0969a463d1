"""Results about memories: stored, listed, joined, changed, approved, given up, found in what was there before."""

from __future__ import annotations

from muninn_core.model.citation import Citation
from muninn_core.model.memory import Memory, Trust
from muninn_core.model.value import Value, field
from muninn_core.protocol.results.base import Result
from muninn_core.protocol.results.repository import FocusStatus, ProjectStatus


class RememberResult(Result):
    """The ids in the order of the request. `memory` is there when one was stored; `masked` counts masked secrets."""

    ids: tuple[str, ...]
    memory: Memory | None = None
    masked: int = 0


class MemoryLink(Value):
    """A link that was followed: who states it, of whom, and at which step it was met."""

    source: str
    relation: str
    target: str
    strength: float
    depth: int
    reason: str = ""
    by: str = ""


class LinksResult(Result):
    """The memories that links lead to, by the number of steps and then the newest first; the start is the first one.

    `depths` are the steps of each. `links` are those between them; `omitted` memories did not fit the limit.
    """

    memories: tuple[Memory, ...]
    depths: tuple[int, ...]
    links: tuple[MemoryLink, ...]
    omitted: int = 0


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


class UpdateResult(Result):
    """The memory as it is now. `changed` names what changed, none where all was so already."""

    memory: Memory
    changed: tuple[str, ...]
    masked: int = 0


class ConsolidateResult(Result):
    """What was decided. `kept` speaks now; `gone` were merged into it or superseded by it.

    `apart` are the ids that stay for themselves. `contradictions` say which of them can't both hold, and why.
    """

    decision: str
    kept: Memory | None
    gone: tuple[str, ...]
    apart: tuple[str, ...]
    contradictions: tuple[str, ...] = ()
    reason: str = ""
    dry_run: bool = False


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


class ForgetResult(Result):
    """The memory as it is now."""

    memory: Memory


class PromoteResult(Result):
    """The memory in its wider scope, and the id that it was made from."""

    memory: Memory
    source: str


class ReviewResult(Result):
    """The memories that were decided about, as they are now."""

    memories: tuple[Memory, ...]


class RedactResult(Result):
    """What was blanked: the memories (those that were merged say the same) and the files, relative to the root."""

    ids: tuple[str, ...]
    files: tuple[str, ...]
    memory: Memory


class HoldingCommit(Value):
    """A commit that put the text into its tree (`holds`) or took it out (`removes`), and the files."""

    commit: str
    time: str
    subject: str
    effect: str
    paths: tuple[str, ...]


class PurgeResult(Result):
    """Where git still holds what the memories said. `refs` are branches, tags and stashes whose tree has it now.

    `total` counts commits; `blobs` are the file contents that would have to leave the history. Nothing was changed.
    """

    ids: tuple[str, ...]
    total: int
    refs: tuple[str, ...]
    redacted: bool
    commits: tuple[HoldingCommit, ...] = ()
    blobs: tuple[str, ...] = ()


class Recollection(Value):
    """A memory that a backfill makes. `time` is when the thing was that it tells; `commit` and `session` say where.

    `known`: it is stored already, and is not stored again.
    """

    id: str
    type: str
    title: str
    text: str
    time: str
    importance: int
    confidence: float
    trust: Trust
    files: tuple[str, ...] = ()
    commit: str = ""
    session: str = ""
    known: bool = False


class BackfillResult(Result):
    """What a backfill remembers, or would (`applied` is false), oldest first; `ids` are those that it has stored.

    `looked` counts commits or transcripts; `skipped` those that give no memory, by the reason. `malformed` are lines
    that can't be read, as `path:line`; `masked` counts secrets.
    """

    source: str
    applied: bool
    looked: int
    found: tuple[Recollection, ...]
    ids: tuple[str, ...] = ()
    skipped: dict[str, int] = field(default_factory=dict)
    malformed: tuple[str, ...] = ()
    masked: int = 0
