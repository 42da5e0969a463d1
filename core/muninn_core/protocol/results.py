"""The results of every verb. Each carries `saw`: the state that it was computed from."""

from __future__ import annotations

from muninn_core.model.answer import Hit, Reason, Saw
from muninn_core.model.chunk import SourceKind
from muninn_core.model.citation import Citation
from muninn_core.model.memory import Memory
from muninn_core.model.value import Value, field


class Result(Value):
    """What every answer has."""

    saw: Saw


class InitResult(Result):
    """The folder is there; `created` are the files that were written, relative to the root."""

    root: str
    created: tuple[str, ...]


class Problem(Value):
    """Something that a person should mend. `path` is relative to the root; `line` 0 is the whole file."""

    kind: str
    message: str
    path: str = ""
    line: int = 0
    hint: str = ""


class IndexStatus(Value):
    """The index. `state` is absent, building, ready or failed; `lag` counts changed files not yet searchable."""

    state: str
    generation: int
    files: int
    chunks: int
    vectors: int
    lag: int
    model: str
    skipped: dict[str, int] = field(default_factory=dict)


class LogStatus(Value):
    """The memory log: records read, memories that are active, and what is not sealed yet."""

    records: int
    memories: int
    unsealed: int
    segments: int
    malformed: int
    conflicts: int


class StatusResult(Result):
    """The daemon and the repository. `mode` is read-write, read-only or uninitialised; sizes are in bytes."""

    pid: int
    version: str
    root: str
    mode: str
    uptime_seconds: float
    clients: int
    rss_bytes: int
    longest_stall_ms: float
    index: IndexStatus
    log: LogStatus
    problems: tuple[Problem, ...] = ()


class IndexResult(Result):
    """What indexing did."""

    files: int
    chunks: int
    changed: int
    removed: int
    seconds: float
    skipped: dict[str, int] = field(default_factory=dict)


class RememberResult(Result):
    """The ids in the order of the request. `memory` is there when one was stored; `masked` counts masked secrets."""

    ids: tuple[str, ...]
    memory: Memory | None = None
    masked: int = 0


class RecallResult(Result):
    """Best first; ties by kind, path, line and id."""

    hits: tuple[Hit, ...]


class PackItem(Value):
    """One item of a pack. `tier` says why it is where it is: pin, task, memory, knowledge or code."""

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
    why: tuple[Reason, ...] = ()
    cites: tuple[Citation, ...] = ()


class ContextResult(Result):
    """A pack. `text` is its markdown; `tokens` counts all of it and never exceeds `budget`."""

    text: str
    items: tuple[PackItem, ...]
    tokens: int
    budget: int
    omitted: int


class MemoriesResult(Result):
    """The memories that match; `total` counts them before limit and offset.

    `citations` says by a memory's id how what it cites stands in the work tree.
    """

    memories: tuple[Memory, ...]
    total: int
    citations: dict[str, tuple[Citation, ...]] = field(default_factory=dict)


class ForgetResult(Result):
    """The memory as it is now."""

    memory: Memory


class SealResult(Result):
    """The segments that were written, relative to the root, and how many records they hold."""

    segments: tuple[str, ...]
    records: int


class Merge(Value):
    """Memories that said the same: `kept` speaks for `merged` from now on."""

    kept: str
    merged: tuple[str, ...]
    reason: str


class ReconcileResult(Result):
    """What reconciling did, or would do. `summary` is the line for people."""

    consolidated: int
    duplicates: int
    conflicts: int
    segments: tuple[str, ...]
    merges: tuple[Merge, ...]
    dry_run: bool
    summary: str


class Conflict(Value):
    """Two memories that can't both hold, and why they were put side by side."""

    id: str
    left: Memory
    right: Memory
    reason: str
    ts: str


class ConflictsResult(Result):
    """The conflicts that wait for a person, oldest first; `citations` by memory, as in the result of `memories`."""

    conflicts: tuple[Conflict, ...]
    citations: dict[str, tuple[Citation, ...]] = field(default_factory=dict)


class ResolveResult(Result):
    """Both sides as they are now."""

    conflict: str
    left: Memory
    right: Memory


class ShutdownResult(Value):
    """The daemon that leaves."""

    pid: int


class BriefResult(Result):
    """The brief as markdown, and the memories that it shows."""

    text: str
    ids: tuple[str, ...]


class CaptureResult(Result):
    """What was remembered; `note` is the line to show, "" when there is nothing to say."""

    ids: tuple[str, ...]
    note: str


class Verified(Value):
    """A memory whose citations are not all fresh. `fixed`: it cites the new places from now on."""

    id: str
    type: str
    title: str
    cites: tuple[Citation, ...]
    fixed: bool = False


class VerifyResult(Result):
    """How many citations there are in each state, of how many memories, and the memories that need a look.

    Those with something gone come first, then drifted, unchecked, moved; by id among equals.
    """

    memories: int
    states: dict[str, int]
    found: tuple[Verified, ...]
    fixed: int = 0
