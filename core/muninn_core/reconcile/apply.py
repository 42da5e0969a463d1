"""Carrying a plan out: first the new main.jsonl, then the segments go. Running it again ends what was interrupted."""

from __future__ import annotations

import hashlib
from pathlib import Path

from muninn_core.errors import BusyError
from muninn_core.model.value import Value
from muninn_core.protocol.results import Merge
from muninn_core.reconcile.plan import Plan, Source, plan
from muninn_core.store.disk import remove, write_whole
from muninn_core.store.log import Log


class Outcome(Value):
    """What reconciling did, or would do; the fields are those of the verb's result. `segments` are relative paths."""

    consolidated: int
    duplicates: int
    conflicts: int
    segments: tuple[str, ...]
    merges: tuple[Merge, ...]
    dry_run: bool
    summary: str


def reconcile(log: Log, *, archive: bool = False, dry_run: bool = False) -> Outcome:
    """Seal what is open, plan, apply, and let the log see the result.

    A dry run says what that would do and changes nothing. Raises BusyError, StorageError or ReadOnlyError.
    """
    if not dry_run:
        log.seal()
    outcome = apply(plan(log, with_spool=dry_run), archive=archive, dry_run=dry_run)
    log.refresh()
    return outcome


def apply(planned: Plan, *, archive: bool = False, dry_run: bool = False) -> Outcome:
    """Write main.jsonl as planned, then delete the segments that it was made from, or archive them.

    A segment that changed meanwhile stays for the next time. Raises BusyError when main.jsonl itself has changed,
    StorageError or ReadOnlyError when something can't be written.
    """
    if not dry_run:
        layout = planned.layout
        before = planned.main.digest if planned.main else None
        if _digest(layout.main) != before:
            raise BusyError(f"{layout.relative(layout.main)} has changed meanwhile", hint="Reconcile again.")
        if planned.content and hashlib.sha256(planned.content).hexdigest() != before:
            write_whole(layout.main, planned.content)
        for segment in planned.segments:
            if _digest(segment.path) == segment.digest:
                _retire(planned, segment, archive)
    duplicates = sum(len(merge.merged) for merge in planned.merges)
    return Outcome(
        consolidated=planned.consolidated,
        duplicates=duplicates,
        conflicts=len(planned.conflicts),
        segments=tuple(planned.layout.relative(segment.path) for segment in planned.segments),
        merges=planned.merges,
        dry_run=dry_run,
        summary=summary_of(planned.consolidated, duplicates, len(planned.conflicts)),
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


def _retire(planned: Plan, segment: Source, archive: bool) -> None:
    if not archive:
        remove(segment.path)
        return
    content = _archived(segment.path.read_bytes())
    target = planned.layout.archive / segment.path.name
    if _digest(target) not in (None, hashlib.sha256(content).hexdigest()):
        # Only a file that somebody named by hand can meet another of its name.
        target = target.with_name(f"{target.stem}-{segment.digest[:12]}{target.suffix}")
    write_whole(target, content)
    remove(segment.path)


def _archived(content: bytes) -> bytes:
    """Put a blank before each line: the records are the same, and git finds no likeness.

    A segment that git takes as renamed conflicts with a branch that has deleted it. Git compares files by pieces of
    64 bytes from the start of each line, so that one byte more at the start changes every piece.
    """
    return b"".join(b" " + line + b"\n" for line in content.split(b"\n") if line.strip())


def _digest(path: Path) -> str | None:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        return None
