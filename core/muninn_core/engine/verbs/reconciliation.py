"""The verbs of the family `reconciliation`."""

from __future__ import annotations

from muninn_core.engine.memory import lookup
from muninn_core.engine.verbs.base import Verbs
from muninn_core.errors import BadParams
from muninn_core.protocol.reconciliation import (
    ConflictsParams,
    ConflictsResult,
    PruneParams,
    PruneResult,
    ReconcileParams,
    ReconcileResult,
    ResolveParams,
    ResolveResult,
    SealParams,
    SealResult,
    UndoParams,
    UndoResult,
)
from muninn_core.worktree.call import Call


class ReconciliationVerbs(Verbs):
    """Turn what sessions stored into one consolidated memory, and settle contradictions."""

    def seal(self, params: SealParams, call: Call) -> SealResult:
        """Turn open sessions into segments."""
        workspace = self._writable(call)
        sealed = workspace.log.seal(params.session)
        return SealResult(segments=sealed.segments, records=sealed.records, saw=workspace.saw())

    def reconcile(self, params: ReconcileParams, call: Call) -> ReconcileResult:
        """Consolidate all sessions into main.jsonl."""
        workspace = self.trees.open(call.place) if params.dry_run else self._writable(call)
        from muninn_core.reconcile.apply import reconcile as consolidate

        def step(message: str, percentage: int) -> None:
            call.check()
            call.report("report", message, percentage)

        call.report("begin", "reading sessions")
        workspace.log.refresh()
        result = consolidate(
            workspace.log, dry_run=params.dry_run, archive=params.archive, session=params.session, told=step
        )
        call.report("end", "reconciled")
        workspace.hand_over_memories()
        told = {name: getattr(result, name) for name in result.__struct_fields__}
        return ReconcileResult(**told, saw=workspace.saw())

    def undo(self, _params: UndoParams, call: Call) -> UndoResult:
        """Take back the last reconcile or prune."""
        workspace = self._writable(call)
        from muninn_core.store.undo_journal import undo as take_back

        undone = take_back(workspace.layout)
        workspace.follow()
        return UndoResult(kind=undone.kind, files=undone.files, summary=undone.summary, saw=workspace.saw())

    def prune(self, params: PruneParams, call: Call) -> PruneResult:
        """Move what speaks no longer to the archive."""
        workspace = self.trees.open(call.place) if params.dry_run else self._writable(call)
        from muninn_core.reconcile.prune import prune as move_away

        pruned = move_away(workspace.log, workspace.config.prune, self.clock(), dry_run=params.dry_run)
        workspace.hand_over_memories()
        return PruneResult(
            **{name: getattr(pruned, name) for name in pruned.__struct_fields__},
            dry_run=params.dry_run,
            saw=workspace.saw(),
        )

    def conflicts(self, params: ConflictsParams, call: Call) -> ConflictsResult:
        """Show the contradictions that wait for a person."""
        workspace = self._reading(call)
        found = lookup.with_code(workspace, params.id)
        sides = {memory.id: memory for conflict in found for memory in (conflict.left, conflict.right)}
        citations = workspace.citations.look().of_all(sides.values())
        return ConflictsResult(conflicts=found, citations=citations, saw=workspace.saw())

    def resolve(self, params: ResolveParams, call: Call) -> ResolveResult:
        """Decide a conflict."""
        workspace = self._writable(call)
        if params.text and params.keep == "both":
            raise BadParams("'text' rewords the side that is kept", hint="Keep left or right, or leave 'text' out.")
        (conflict,) = lookup.conflicts(workspace.log.state, params.id)
        wording = {"text": params.text} if params.text else {}
        self._change(workspace, call, params.session, "resolve", conflict=conflict.id, keep=params.keep, **wording)
        memories = workspace.log.state.memories
        return ResolveResult(
            conflict=conflict.id,
            left=memories[conflict.left.id],
            right=memories[conflict.right.id],
            saw=workspace.saw(),
        )
