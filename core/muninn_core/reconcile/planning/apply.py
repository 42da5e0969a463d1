"""Applies a plan: writes the new main.jsonl, then removes the consolidated segments.

The writes go through the undo journal of `store`, so that they can be undone in one step. Running it again completes an
interrupted run.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from muninn_core.errors import BusyError, NotFoundError, StorageError
from muninn_core.model.counting import number_of
from muninn_core.protocol.families.reconciliation import Reconciled
from muninn_core.reconcile.planning.plan import Plan, Source, Task, plan
from muninn_core.reconcile.planning.plan_process import MANY, plan_in_other_process
from muninn_core.store.files.lines import MAX_FILE_BYTES
from muninn_core.store.files.undo_journal import FileRewrite, digest, read_content, rewrite
from muninn_core.store.log import Log


def _ignore_progress(_message: str, _percentage: int) -> None:
    pass


def reconcile(
    log: Log,
    *,
    archive: bool = False,
    dry_run: bool = False,
    session: str | None = None,
    progress: Callable[[str, int], None] = _ignore_progress,
) -> Reconciled:
    """Seal open spools, plan, apply and refresh the log; of one session only, when `session` is given.

    A dry run changes no memory and returns what a run would do. `progress` is called before each step with a message
    and a percentage; an exception that it raises ends the run. Raises NotFoundError for an unknown session, BusyError,
    StorageError or ReadOnlyError.
    """
    if session is not None and not any(session in memory.sessions for memory in log.state.memories.values()):
        raise NotFoundError(f"no memory belongs to session '{session}'", hint="`muninn sessions` lists them.")
    if not dry_run:
        progress("sealing open spools", 5)
        log.seal(session)
    progress("comparing memories", 20)
    planned = _planned(
        log, Task(layout=log.layout, with_spool=dry_run, session=session), lambda: progress("comparing memories", 20)
    )
    progress(f"{number_of(len(planned.segments), 'segment')} compared", 80)
    outcome = apply(planned, archive=archive, dry_run=dry_run)
    log.refresh()
    return outcome


def _planned(log: Log, task: Task, check: Callable[[], None]) -> Plan:
    apart = plan_in_other_process(task, check) if log.position >= MANY else None
    return apart or plan(task.layout, with_spool=task.with_spool, session=task.session)


def apply(planned: Plan, *, archive: bool = False, dry_run: bool = False) -> Reconciled:
    """Write main.jsonl as planned, then delete or archive the segments that it was made from.

    A segment that has changed since stays for the next run. Raises BusyError when main.jsonl has changed, StorageError
    for a main.jsonl that would be too large, ReadOnlyError when a file can't be written.
    """
    duplicates = sum(len(merge.merged) for merge in planned.merges)
    summary = summary_of(planned.consolidated, duplicates, len(planned.conflicts), len(planned.superseded))
    if not dry_run:
        rewrite(planned.layout, "reconcile", summary, _changes(planned, archive))
    return Reconciled(
        consolidated=planned.consolidated,
        duplicates=duplicates,
        conflicts=len(planned.conflicts),
        segments=tuple(planned.layout.relative(segment.path) for segment in planned.segments),
        merges=planned.merges,
        superseded=planned.superseded,
        dry_run=dry_run,
        summary=summary,
        opened=planned.conflicts,
    )


def summary_of(consolidated: int, duplicates: int, conflicts: int, superseded: int = 0) -> str:
    """Return one line: "5 memories consolidated, 2 duplicates removed, 1 superseded, 1 conflict"."""
    return (
        f"{number_of(consolidated, 'memory', 'memories')} consolidated, {number_of(duplicates, 'duplicate')} removed, "
        f"{f'{superseded} superseded, ' if superseded else ''}"
        f"{number_of(conflicts, 'conflict')}"
    )


def _changes(planned: Plan, archive: bool) -> list[FileRewrite]:
    layout = planned.layout
    before = read_content(layout.main)
    if digest(before) != (planned.main.digest if planned.main else ""):
        raise BusyError(f"{layout.relative(layout.main)} has changed meanwhile", hint="Reconcile again.")
    if planned.content and len(planned.content) > MAX_FILE_BYTES:
        shown = layout.relative(layout.main)
        raise StorageError(
            f"{shown} would have {len(planned.content):,} bytes, the maximum is {MAX_FILE_BYTES:,}",
            hint="Nothing was changed. `muninn prune` moves inactive memories to the archive.",
        )
    changes = [FileRewrite(path=layout.main, before=before, after=planned.content or before)]
    for segment in planned.segments:
        content = read_content(segment.path)
        if content is None or digest(content) != segment.digest:
            continue
        if archive:
            kept = _archived(content)
            target = _place(planned, segment, kept)
            changes.append(FileRewrite(path=target, before=read_content(target), after=kept))
        changes.append(FileRewrite(path=segment.path, before=content, after=None))
    return changes


def _place(planned: Plan, segment: Source, kept: bytes) -> Path:
    """Return the path in the archive. Only files that were named by hand can collide."""
    target = planned.layout.archive / segment.path.name
    if read_content(target) in (None, kept):
        return target
    return target.with_name(f"{target.stem}-{segment.digest[:12]}{target.suffix}")


def _archived(content: bytes) -> bytes:
    """Put a blank before each line: the records stay the same, and git detects no rename.

    A segment that git takes as renamed conflicts with a branch that has deleted it. Git compares files by pieces of 64
    bytes from the start of each line, so one more byte at the start changes every piece.
    """
    return b"".join(b" " + line + b"\n" for line in content.split(b"\n") if line.strip())
