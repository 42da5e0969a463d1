"""Set up Muninn in a repository, and inspect its daemon and index."""

from __future__ import annotations

from typing import Annotated

from muninn_core.model.memory import Trust
from muninn_core.model.value import Meta, Value, field
from muninn_core.protocol.base import Result
from muninn_core.protocol.method import Family, Method


class InitParams(Value):
    """`init` takes no parameters."""


class InitResult(Result):
    """The work tree's root, and the files that `init` created, relative to the root.

    `looked` is the number of commits that were read, the newest ones, and `memorable` how many of them `backfill git`
    would remember. Both are 0 in a repository that is initialised already. `repositories` are the folders with a
    repository of their own, such as submodules, whose files are not indexed.
    """

    root: str
    created: tuple[str, ...]
    looked: int = 0
    memorable: int = 0
    repositories: tuple[str, ...] = ()


class StatusParams(Value):
    """The verb takes no parameters."""


class Problem(Value):
    """A problem that a person should fix. `path` is relative to the root; `line` is 1-based, 0 for the whole file."""

    kind: str
    message: str
    path: str = ""
    line: int = 0
    hint: str = ""


class IndexStatus(Value):
    """The state of the index.

    `state` is absent, opening, building, ready or failed. `lag` counts changed files that are not fully searchable
    yet; of these, `surveyed` can be found by the words of the whole file. `chunks` are searchable by words,
    `vectors` of them also by meaning. `skipped` counts the files that are not indexed, by reason. `repositories`
    are the folders with a repository of their own, such as submodules, whose files are not indexed. `encoder` is
    the text encoder for memories, "" where it is not installed; `encoded` memories have its vector.
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
    repositories: tuple[str, ...] = ()
    encoder: str = ""
    encoded: int = 0


class LogStatus(Value):
    """The memory log.

    `memories` counts active ones, `unsealed` the records that no segment holds yet, `pending` the memories that wait
    for approval. `sessions` counts those with records since the last reconcile. `reconcile` is how the last run in the
    background began or ended, "" for none since the daemon started. `upkeep` counts the steps of `evolve` that wait, as
    they were last planned.
    """

    records: int
    memories: int
    unsealed: int
    segments: int
    malformed: int
    conflicts: int
    pending: int = 0
    sessions: int = 0
    reconcile: str = ""
    upkeep: int = 0


class BridgeStatus(Value):
    """The memory of another tool. `on` says whether it is read, `files` how many of its files are indexed.

    `trust` is the trust of its memories. `folder` is set when it lies outside the work tree.
    """

    name: str
    title: str
    on: bool
    files: int
    trust: Trust
    folder: str = ""


class ProjectStatus(Value):
    """The project's name and description, from CLAUDE.md or the name of its folder."""

    name: str = ""
    description: str = ""


class WorkItem(Value):
    """A vision, or an initiative or task in progress. `memories` counts the memories made while working on it.

    `summary` is the first paragraph of a vision.
    """

    code: str
    level: str
    title: str
    phase: str
    path: str
    memories: int = 0
    summary: str = ""


class FocusStatus(Value):
    """The current work. `source` is how the current task was found: session, branch, active, or "" for no task."""

    task: str = ""
    source: str = ""
    items: tuple[WorkItem, ...] = ()


class SharedStatus(Value):
    """The user's global memory. `path` is "" when it is disabled or has no folder."""

    path: str = ""
    memories: int = 0


class JournalStatus(Value):
    """The journal. `path` is "" while nothing was recorded. `lag` counts events that a projection lacks.

    `failure` says why the projections do not follow.
    """

    path: str = ""
    events: int = 0
    lag: int = 0
    failure: str = ""


class StatusResult(Result):
    """The state of the daemon and the repository.

    `mode` is read-write, read-only or uninitialised. Sizes are in bytes.
    """

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
    journal: JournalStatus = JournalStatus()
    problems: tuple[Problem, ...] = ()
    bridges: tuple[BridgeStatus, ...] = ()


class ReadyParams(Value):
    """The verb takes no parameters."""


class ReadyCheck(Value):
    """One check: memory, index, journal or projections. `hint` says what to do, "" when there is nothing to do."""

    name: str
    ok: bool
    message: str
    hint: str = ""


class ReadyResult(Result):
    """Whether all checks are good, and the checks."""

    ok: bool
    checks: tuple[ReadyCheck, ...]


class MetricsParams(Value):
    """The verb takes no parameters."""


class MetricsResult(Result):
    """The metrics in Prometheus' text format, version 0.0.4. Times are in seconds, sizes in bytes."""

    text: str


class IndexParams(Value):
    """How to update the index."""

    wait: Annotated[
        bool, Meta(description="Answer after all files on disk are searchable by words and by meaning.")
    ] = True
    rebuild: Annotated[bool, Meta(description="Delete the index and build it again from the files.")] = False


class IndexResult(Result):
    """The index after the update. `changed` and `removed` count files; `skipped` counts files by reason."""

    files: int
    chunks: int
    changed: int
    removed: int
    seconds: float
    skipped: dict[str, int] = field(default_factory=dict)


class ConfigListParams(Value):
    """Which keys to list."""

    section: Annotated[str, Meta(description="Only the keys of this section; all of them without it.")] = ""
    changed: Annotated[bool, Meta(description="Only keys that are not at their default.")] = False


class ConfigEntry(Value):
    """A key of the configuration with its value.

    `value` and `default` are as YAML writes them. `origin` is `default`, or the file that sets the key with its line.
    """

    key: str
    value: str
    default: str
    origin: str
    about: str
    takes: str


class ConfigListResult(Result):
    """The keys in the order of the reference. `problems` are wrong keys of the files, one sentence each."""

    entries: tuple[ConfigEntry, ...]
    problems: tuple[str, ...] = ()


ConfigKey = Annotated[str, Meta(min_length=1, description="The key with its section: memory.half_life_days.")]


class ConfigGetParams(Value):
    """The key to show."""

    key: ConfigKey


class ConfigSetParams(Value):
    """The key to set, and its value."""

    key: ConfigKey
    value: Annotated[str, Meta(description="The value as YAML writes it: 30, off, [a, b].")]


class ConfigUnsetParams(Value):
    """The key whose default shall apply."""

    key: ConfigKey


class ConfigResult(Result):
    """A key with its value. `changed` is true when the file was changed."""

    entry: ConfigEntry
    changed: bool = False


class ShutdownParams(Value):
    """The verb takes no parameters."""


class ShutdownResult(Value):
    """The process id of the daemon that stops."""

    pid: int


FAMILY = Family(
    name="repository",
    title="Repository",
    summary="Set up Muninn in a repository, and inspect its daemon and index.",
    groups={"config": "Show and change the settings of this repository, in .muninn/config.yaml."},
    methods=(
        Method(
            verb="init",
            title="Initialise Muninn",
            everyday="Create .muninn in this repository.",
            synonyms=("create", "new"),
            summary="Create .muninn with its defaults; existing files are not changed.",
            params=InitParams,
            result=InitResult,
            effect="write",
            without_memory=True,
        ),
        Method(
            verb="status",
            title="Show the status",
            everyday="Show problems, and the state of daemon and index.",
            synonyms=("state", "info"),
            summary=(
                "Report the state of the daemon, the index and the log, and the problems that a person should fix."
            ),
            params=StatusParams,
            result=StatusResult,
            effect="read",
            without_memory=True,
            tool=True,
            use=(
                "Call when an answer looks incomplete or an error refers to it: it reports whether the index "
                "lags and what is broken."
            ),
        ),
        Method(
            verb="ready",
            title="Check readiness",
            summary="Check that memory and the journal take writes, the index is current, and the projections follow.",
            params=ReadyParams,
            result=ReadyResult,
            effect="read",
            without_memory=True,
        ),
        Method(
            verb="metrics",
            title="Show metrics",
            summary="Show latencies, errors, turns, lags and sizes in Prometheus' text format.",
            params=MetricsParams,
            result=MetricsResult,
            effect="read",
        ),
        Method(
            verb="index",
            title="Update the index",
            synonyms=("reindex", "rebuild", "refresh", "scan"),
            summary="Compare every file with the index and index what changed.",
            params=IndexParams,
            result=IndexResult,
            effect="control",
            for_agents=True,
            retry=True,
            progress="Indexing",
        ),
        Method(
            verb="config.list",
            title="List the settings",
            summary="List the settings of this repository with their origin.",
            params=ConfigListParams,
            result=ConfigListResult,
            effect="read",
            positional=("section",),
        ),
        Method(
            verb="config.get",
            title="Show a setting",
            summary="Show a setting with its origin, its default and what it takes.",
            params=ConfigGetParams,
            result=ConfigResult,
            effect="read",
            positional=("key",),
            example={"key": "memory.half_life_days"},
        ),
        Method(
            verb="config.set",
            title="Change a setting",
            summary="Set a key in .muninn/config.yaml; comments and other keys do not change.",
            params=ConfigSetParams,
            result=ConfigResult,
            effect="write",
            positional=("key", "value"),
            example={"key": "memory.half_life_days", "value": "90"},
        ),
        Method(
            verb="config.unset",
            title="Reset a setting",
            summary="Remove a key from .muninn/config.yaml, so that its default applies.",
            params=ConfigUnsetParams,
            result=ConfigResult,
            effect="write",
            positional=("key",),
            example={"key": "memory.half_life_days"},
        ),
        Method(
            verb="shutdown",
            title="Stop the daemon",
            suggested=False,
            summary="Stop the repository's daemon after it has finished the requests it accepted.",
            params=ShutdownParams,
            result=ShutdownResult,
            effect="control",
            without_memory=True,
        ),
    ),
)
