"""Carrying a plan out: first the new main.jsonl, then the segments go. Running it again ends what was interrupted.

The journal of `store` makes it one step that can be taken back.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from muninn_core.errors import BusyError, NotFoundError, StorageError
from muninn_core.protocol.reconciliation import Reconciled
from muninn_core.reconcile.plan import Plan, Source, plan
from muninn_core.store.lines import MAX_FILE_BYTES
from muninn_core.store.log import Log
from muninn_core.store.undo_journal import FileRewrite, digest, read_content, rewrite


def _nobody(_message: str, _percentage: int) -> None:
    """Tell nobody."""


def reconcile(
    log: Log,
    *,
    archive: bool = False,
    dry_run: bool = False,
    session: str | None = None,
    told: Callable[[str, int], None] = _nobody,
) -> Reconciled:
    """Seal what is open, plan, apply, and let the log see the result; only one session's when that is named.

    A dry run says what that would do and changes nothing. `told` hears of each step before it begins, 0 to 100, and
    may end all by raising. Raises NotFoundError for a session that nobody knows, BusyError, StorageError or
    ReadOnlyError.
    """
    if session is not None and not any(session in memory.sessions for memory in log.state.memories.values()):
        raise NotFoundError(f"there is nothing of a session '{session}'", hint="`muninn memories` shows sessions.")
    if not dry_run:
        told("sealing what is open", 5)
        log.seal(session)
    told("comparing what the sessions say", 20)
    planned = plan(log, with_spool=dry_run, session=session)
    told(f"{len(planned.segments)} segments compared", 80)
    outcome = apply(planned, archive=archive, dry_run=dry_run)
    log.refresh()
    return outcome


def apply(planned: Plan, *, archive: bool = False, dry_run: bool = False) -> Reconciled:
    """Write main.jsonl as planned, then delete the segments that it was made from, or archive them.

    A segment that changed meanwhile stays for the next time. Raises BusyError when main.jsonl itself has changed,
    StorageError or ReadOnlyError when something can't be written.
    """
    duplicates = sum(len(merge.merged) for merge in planned.merges)
    summary = summary_of(planned.consolidated, duplicates, len(planned.conflicts))
    if not dry_run:
        rewrite(planned.layout, "reconcile", summary, _changes(planned, archive))
    return Reconciled(
        consolidated=planned.consolidated,
        duplicates=duplicates,
        conflicts=len(planned.conflicts),
        segments=tuple(planned.layout.relative(segment.path) for segment in planned.segments),
        merges=planned.merges,
        dry_run=dry_run,
        summary=summary,
    )


def summary_of(consolidated: int, duplicates: int, conflicts: int) -> str:
    """Return the line for people: "5 memories consolidated, 2 duplicates removed, 1 conflict"."""
    memories = "memory" if consolidated == 1 else "memories"
    return (
        f"{consolidated} {memories} consolidated, {duplicates} duplicate{_s(duplicates)} removed, "
        f"{conflicts} conflict{_s(conflicts)}"
    )


def _s(count: int) -> str:
    return "" if count == 1 else "s"


def _changes(planned: Plan, archive: bool) -> list[FileRewrite]:
    layout = planned.layout
    before = read_content(layout.main)
    if digest(before) != (planned.main.digest if planned.main else ""):
        raise BusyError(f"{layout.relative(layout.main)} has changed meanwhile", hint="Reconcile again.")
    if planned.content and len(planned.content) > MAX_FILE_BYTES:
        shown = layout.relative(layout.main)
        raise StorageError(
            f"{shown} would have {len(planned.content):,} bytes, and at most {MAX_FILE_BYTES:,} are read",
            hint="Everything stays as it is. `muninn prune` moves what speaks no longer to the archive.",
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
    """Where a segment is archived. Only a file that somebody named by hand can meet another of its name."""
    target = planned.layout.archive / segment.path.name
    if read_content(target) in (None, kept):
        return target
    return target.with_name(f"{target.stem}-{segment.digest[:12]}{target.suffix}")


def _archived(content: bytes) -> bytes:
    """Put a blank before each line: the records are the same, and git finds no likeness.

    A segment that git takes as renamed conflicts with a branch that has deleted it. Git compares files by pieces of
    64 bytes from the start of each line, so that one byte more at the start changes every piece.
    """
    return b"".join(b" " + line + b"\n" for line in content.split(b"\n") if line.strip())
