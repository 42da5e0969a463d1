"""Reports for `status` and `index`: the state of daemon and work tree, and what an indexing run did."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from muninn_core import git
from muninn_core.config import OWN_SETTINGS
from muninn_core.engine.memory.drafting.scopes import visible
from muninn_core.errors import MuninnError, memory_deleted
from muninn_core.launch.repository_location import RepositoryLocation
from muninn_core.model.answer import ReadState
from muninn_core.model.counting import number_of
from muninn_core.model.memory import Memory
from muninn_core.model.value import Value, replace
from muninn_core.protocol.families.repository import (
    BridgeStatus,
    IndexParams,
    IndexResult,
    IndexStatus,
    JournalStatus,
    LogStatus,
    Problem,
    ProjectStatus,
    SharedStatus,
    StatusResult,
)
from muninn_core.source.documents.project import read_project
from muninn_core.store.files.spool import unreconciled_sessions
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.current_task import focus
from muninn_core.worktree.indexing.index_updater import IndexUpdater
from muninn_core.worktree.journals import Journals
from muninn_core.worktree.knowledge.bridges import statuses
from muninn_core.worktree.local.private_layout import layout_at
from muninn_core.worktree.workspace import Workspace

SHOWN = 50
"""The most problems per source that `status` lists; the count of malformed lines is always complete."""

WAIT_SECONDS = 0.1
"""Interval of progress reports to a client that waits for indexing."""


class Process(Value):
    """State of the daemon process. The uptime is in seconds, the longest stall of the event loop in milliseconds."""

    version: str
    uptime_seconds: float
    clients: int
    longest_stall_ms: float


def journal_status(journals: Journals, location: RepositoryLocation) -> JournalStatus:
    """Return the state of the repository's journal; a journal that can't be opened is a failure."""
    try:
        found = journals.get(location)
        if found is None:
            return JournalStatus()
        return JournalStatus(
            path=str(found.journal.folder),
            events=found.journal.position,
            lag=found.projections.lag,
            failure=found.projections.failure,
        )
    except MuninnError as error:
        return JournalStatus(path=location.journal, failure=error.message)


def status(workspace: Workspace, process: Process, journal: JournalStatus, reconcile: str = "") -> StatusResult:
    """Return the status of an open work tree. `reconcile` is the state of the last run in the background."""
    log, state = workspace.memory.log, workspace.memory.log.state
    project = read_project(workspace.layout.root)
    shared = workspace.memory.shared
    return StatusResult(
        pid=os.getpid(),
        version=process.version,
        root=workspace.location.root,
        mode="read-write" if workspace.writable else "read-only",
        uptime_seconds=process.uptime_seconds,
        clients=process.clients,
        rss_bytes=resident_bytes(),
        longest_stall_ms=process.longest_stall_ms,
        index=_index_status(workspace),
        log=LogStatus(
            records=log.position,
            memories=state.active,
            unsealed=log.unsealed,
            segments=log.segments,
            malformed=len(log.malformed),
            conflicts=len(state.conflicts),
            pending=state.pending,
            sessions=unreconciled_sessions(workspace.layout),
            reconcile=reconcile,
            upkeep=workspace.upkeep.planned.steps,
        ),
        project=ProjectStatus(name=project.name, description=project.description),
        focus=focus(workspace, _visible(workspace), None),
        shared=SharedStatus(path=str(shared.layout.root), memories=shared.state.active) if shared else SharedStatus(),
        journal=journal,
        problems=_problems(workspace),
        bridges=_bridges(workspace),
        saw=workspace.read_state(),
    )


def _visible(workspace: Workspace) -> Iterator[Memory]:
    """Yield the memories that a question sees. Nothing is read before the first one is asked for."""
    yield from filter(visible(workspace.memory, None, None), workspace.memory.recallable().values())


def bare_status(location: RepositoryLocation, process: Process, problem: MuninnError) -> StatusResult:
    """Return the status of a work tree without `.muninn`; `problem` says why it is not open."""
    return StatusResult(
        pid=os.getpid(),
        version=process.version,
        root=location.root,
        mode="uninitialised",
        uptime_seconds=process.uptime_seconds,
        clients=process.clients,
        rss_bytes=resident_bytes(),
        longest_stall_ms=process.longest_stall_ms,
        index=IndexStatus(state="absent", generation=0, files=0, chunks=0, vectors=0, lag=0, model=""),
        log=LogStatus(records=0, memories=0, unsealed=0, segments=0, malformed=0, conflicts=0, pending=0),
        project=ProjectStatus(name=Path(location.root).name),
        problems=(Problem(kind=problem.kind, message=problem.message, hint=problem.hint),),
        saw=bare_state(location),
    )


def bare_state(location: RepositoryLocation) -> ReadState:
    """Return what an answer about a work tree that is not open was computed from: its commit and branch."""
    head = git.read_head(location)
    return ReadState(commit=head.commit, branch=head.branch)


def update_index(workspace: Workspace, params: IndexParams, call: CallContext) -> IndexResult:
    """Request an index update and return its result.

    With `params.wait` the call returns when all files, vectors and memories are indexed, reports progress, and can be
    cancelled. Raises MuninnError when that fails; the work is repeated later. Without `wait` the call returns at once.
    """
    started = time.monotonic()
    updater = workspace.updater
    ticket = updater.update_files(full=True, rebuild=params.rebuild)
    updater.update_memories({})  # retry memories that failed to be indexed
    if params.wait:
        call.report("begin", "comparing files")
        while not updater.wait_files(ticket, WAIT_SECONDS):
            call.raise_if_cancelled()
            call.report("report", _files_to_go(updater), updater.percentage)
        while not updater.wait_meaning(WAIT_SECONDS):
            call.raise_if_cancelled()
            call.report("report", f"words are ready, the meaning of {updater.unembedded} to go", updater.percentage)
        while not updater.index_memories(WAIT_SECONDS):
            call.raise_if_cancelled()
        while not updater.encoding.wait(WAIT_SECONDS):
            call.raise_if_cancelled()
            call.report(
                "report", f"{number_of(updater.encoding.missing, 'memory', 'memories')} to encode", updater.percentage
            )
        updater.raise_if_failed()
        workspace.evolution.follow()
        call.report("end", "up to date")
    state = _index_status(workspace)
    return IndexResult(
        files=state.files,
        chunks=state.chunks,
        changed=updater.scan.changed,
        removed=updater.scan.removed,
        seconds=round(time.monotonic() - started, 3),
        skipped=updater.scan.skipped,
        saw=workspace.read_state(),
    )


def _files_to_go(updater: IndexUpdater) -> str:
    if not updater.counted:
        return "comparing files"
    note = ", found by their words already" if updater.surveyed else ""
    remaining = updater.lag
    return f"{number_of(remaining, 'file')} to go{note}"


def resident_bytes() -> int:
    """Return the process's resident memory in bytes: the current size on Linux, the peak on macOS, 0 on Windows."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        pass
    if sys.platform == "win32":
        return 0
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _index_status(workspace: Workspace) -> IndexStatus:
    updater = workspace.updater
    model, encoder = workspace.embedder().name, workspace.encoder
    index = updater.index  # another thread may close it for a rebuild
    if index is None:
        return IndexStatus(
            state=updater.state,
            generation=0,
            files=0,
            chunks=0,
            vectors=0,
            lag=updater.lag,
            model=model,
            encoder=encoder.name if encoder is not None else "",
        )
    snapshot = index.snapshot()
    counts = snapshot.counts()
    return IndexStatus(
        state=updater.state,
        generation=snapshot.generation,
        files=counts["files"],
        chunks=counts["chunks"],
        vectors=counts["chunks"] - counts["unembedded"],
        lag=updater.lag,
        surveyed=updater.surveyed,
        model=model,
        skipped=updater.scan.skipped,
        repositories=updater.scan.repositories,
        encoder=encoder.name if encoder is not None else "",
        encoded=counts["memory"] - snapshot.unencoded_count,
    )


def _bridges(workspace: Workspace) -> tuple[BridgeStatus, ...]:
    index = workspace.updater.index
    counts = workspace.bridge_counts.counts(index.snapshot()) if index is not None else {}
    return statuses(workspace.config, workspace.external_folder, counts)


def _problems(workspace: Workspace) -> tuple[Problem, ...]:
    config = str(workspace.layout.relative(workspace.layout.config))
    problems = list(workspace.problems)
    problems += [
        Problem(kind="config", message=problem.message, path=config, line=problem.line, hint=problem.hint)
        for problem in workspace.settings.problems
    ]
    problems += [
        Problem(kind="config", message=problem.message, path=OWN_SETTINGS, line=problem.line, hint=problem.hint)
        for problem in workspace.settings.own_problems
    ]
    missing = workspace.external_folder.problem()
    problems += [replace(missing, path=OWN_SETTINGS)] if missing else []
    problems += workspace.memory.log.problems[:SHOWN]
    problems += workspace.documents.read().problems()[:SHOWN]
    problems += workspace.memory.shared.problems[:SHOWN] if workspace.memory.shared is not None else ()
    if not layout_at(workspace.location).muninn.is_dir():
        gone = memory_deleted()
        problems.append(Problem(kind="gone", message=gone.message, hint=gone.hint))
    elif (failure := workspace.updater.failure) is not None:
        problems.append(Problem(kind="index", message=failure.message, hint=failure.hint))
    return tuple(problems)
