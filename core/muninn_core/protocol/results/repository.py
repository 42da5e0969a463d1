"""Results about what there is: the folder, the daemon, the index, and how they are."""

from __future__ import annotations

from muninn_core.model.memory import Trust
from muninn_core.model.value import Value, field
from muninn_core.protocol.results.base import Result


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
    """The index. `state` is absent, building, ready or failed; `lag` counts changed files not yet searchable
    in full; `surveyed` of them are found by their words as a whole, which is how the first look at a large tree begins.

    `chunks` are found by their words, `vectors` of them by their meaning, too: that follows after a first index.
    """

    state: str
    generation: int
    files: int
    chunks: int
    vectors: int
    lag: int
    model: str
    surveyed: int = 0
    skipped: dict[str, int] = field(default_factory=dict)


class LogStatus(Value):
    """The memory log: records read, memories that are active, what is not sealed yet, what waits for an approval."""

    records: int
    memories: int
    unsealed: int
    segments: int
    malformed: int
    conflicts: int
    pending: int = 0


class BridgeStatus(Value):
    """Memory of another tool that is read here: whether it is `on`, and how many of its files are in the index.

    `trust` is that of who writes it; `folder` is named where it lies outside of the work tree.
    """

    name: str
    title: str
    on: bool
    files: int
    trust: Trust
    folder: str = ""


class ProjectStatus(Value):
    """What the project calls itself, in CLAUDE.md or by its folder."""

    name: str = ""
    description: str = ""


class WorkItem(Value):
    """An initiative or task that is under way, and how many memories were made on it."""

    code: str
    level: str
    title: str
    phase: str
    path: str
    memories: int = 0


class FocusStatus(Value):
    """What is being worked at. `source` says what told the current task: session, branch, active, or "" for none."""

    task: str = ""
    source: str = ""
    items: tuple[WorkItem, ...] = ()


class SharedStatus(Value):
    """The user's global memory. `path` is "" where there is none: it is switched off, or has no place."""

    path: str = ""
    memories: int = 0


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
    project: ProjectStatus = ProjectStatus()
    focus: FocusStatus = FocusStatus()
    shared: SharedStatus = SharedStatus()
    problems: tuple[Problem, ...] = ()
    bridges: tuple[BridgeStatus, ...] = ()


class IndexResult(Result):
    """What indexing did."""

    files: int
    chunks: int
    changed: int
    removed: int
    seconds: float
    skipped: dict[str, int] = field(default_factory=dict)


class ShutdownResult(Value):
    """The daemon that leaves."""

    pid: int
