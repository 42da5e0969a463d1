"""Set Muninn up in a repository, and see how its daemon and index are doing."""

from __future__ import annotations

from typing import Annotated

from muninn_core.model.memory import Trust
from muninn_core.model.value import Meta, Value, field
from muninn_core.protocol.base import Result
from muninn_core.protocol.method import Family, Method


class InitParams(Value):
    """Nothing to say: `init` writes the folder and its defaults."""


class InitResult(Result):
    """The folder is there; `created` are the files that were written, relative to the root."""

    root: str
    created: tuple[str, ...]


class StatusParams(Value):
    """Nothing to say."""


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


class IndexParams(Value):
    """What to bring up to date."""

    wait: Annotated[
        bool, Meta(description="Answer only when everything on disk is found, by words and by meaning.")
    ] = True
    rebuild: Annotated[bool, Meta(description="Throw the index away and build it from the files.")] = False


class IndexResult(Result):
    """What indexing did."""

    files: int
    chunks: int
    changed: int
    removed: int
    seconds: float
    skipped: dict[str, int] = field(default_factory=dict)


class ShutdownParams(Value):
    """Nothing to say."""


class ShutdownResult(Value):
    """The daemon that leaves."""

    pid: int


FAMILY = Family(
    name="repository",
    title="Repository",
    summary="Set Muninn up in a repository, and see how its daemon and index are doing.",
    methods=(
        Method(
            verb="init",
            title="Initialise the repository's memory",
            summary="Write .muninn with its defaults; what is there already stays as it is.",
            params=InitParams,
            result=InitResult,
            effect="write",
        ),
        Method(
            verb="status",
            title="Status",
            summary="Say how the daemon, the index and the log are, and what needs a person.",
            params=StatusParams,
            result=StatusResult,
            effect="read",
            tool=True,
            use="Call when an answer looks incomplete or an error says so: it tells whether the index lags and what is "
            "broken.",
        ),
        Method(
            verb="index",
            title="Bring the index up to date",
            summary="Compare every file with the index and take in what changed.",
            params=IndexParams,
            result=IndexResult,
            effect="control",
            retry=True,
            progress="Indexing",
        ),
        Method(
            verb="shutdown",
            title="Stop the daemon",
            summary="Stop the repository's daemon; it finishes what it has acknowledged.",
            params=ShutdownParams,
            result=ShutdownResult,
            effect="control",
        ),
    ),
)
