"""The verbs that rewrite memory's files: seal, reconcile, prune and undo."""

from __future__ import annotations

from datetime import datetime

from muninn_core.protocol.families.reconciliation import (
    PruneParams,
    PruneResult,
    ReconcileParams,
    ReconcileResult,
    SealParams,
    SealResult,
    UndoResult,
)
from muninn_core.reconcile.planning.apply import reconcile as consolidate
from muninn_core.reconcile.planning.prune import prune as move_to_archive
from muninn_core.store.files.undo_journal import undo as undo_last
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.workspace import Workspace


def seal(workspace: Workspace, params: SealParams) -> SealResult:
    """Write the spool of one session, or of all, to segments that git can commit."""
    sealed = workspace.memory.seal(params.session)
    return SealResult(segments=sealed.segments, records=sealed.records, saw=workspace.read_state())


def reconcile(workspace: Workspace, params: ReconcileParams, call: CallContext) -> ReconcileResult:
    """Consolidate all segments into main.jsonl; `dry_run` changes nothing."""

    def step(message: str, percentage: int) -> None:
        call.raise_if_cancelled()
        call.report("report", message, percentage)

    memory = workspace.memory
    call.report("begin", "reading sessions")
    memory.log.refresh()
    result = consolidate(
        memory.log, dry_run=params.dry_run, archive=params.archive, session=params.session, progress=step
    )
    call.report("end", "reconciled")
    memory.publish()
    memory.save_cache()
    fields = {name: getattr(result, name) for name in result.__struct_fields__}
    return ReconcileResult(**fields, saw=workspace.read_state())


def prune(workspace: Workspace, params: PruneParams, now: datetime) -> PruneResult:
    """Move memories that can no longer be recalled to the archive, by the configured policy."""
    pruned = move_to_archive(workspace.memory.log, workspace.config.prune, now, dry_run=params.dry_run)
    workspace.memory.publish()
    fields = {name: getattr(pruned, name) for name in pruned.__struct_fields__}
    return PruneResult(**fields, dry_run=params.dry_run, saw=workspace.read_state())


def undo(workspace: Workspace) -> UndoResult:
    """Restore the files as they were before the last reconcile or prune."""
    undone = undo_last(workspace.layout)
    workspace.follow()
    return UndoResult(kind=undone.kind, files=undone.files, summary=undone.summary, saw=workspace.read_state())
