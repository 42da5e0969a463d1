"""The verbs of the family `reconciliation`."""

from __future__ import annotations

from muninn_core.engine.memory import changes, maintenance
from muninn_core.engine.memory.background_reconcile import check
from muninn_core.engine.memory.conflict_list import list_conflicts
from muninn_core.engine.memory.evolve import evolve
from muninn_core.engine.session import outcomes
from muninn_core.engine.session.journal import At
from muninn_core.engine.verbs.base import Verbs
from muninn_core.protocol.reconciliation import (
    ConflictsParams,
    ConflictsResult,
    EvolveParams,
    EvolveResult,
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
    """Consolidate the memory of sessions, and resolve contradictions."""

    def seal(self, params: SealParams, call: Call) -> SealResult:
        """Write open sessions to segments."""
        return maintenance.seal(self._writable(call), params)

    def reconcile(self, params: ReconcileParams, call: Call) -> ReconcileResult:
        """Consolidate all sessions into main.jsonl."""
        check(params)
        if params.background:
            return self.background_reconcile.start(self._writing(call), params)
        return maintenance.reconcile(
            self.trees.open(call.place) if params.dry_run else self._writable(call), params, call
        )

    def undo(self, _params: UndoParams, call: Call) -> UndoResult:
        """Undo the last reconcile or prune."""
        return maintenance.undo(self._writable(call))

    def prune(self, params: PruneParams, call: Call) -> PruneResult:
        """Move memories that can no longer be recalled to the archive."""
        return maintenance.prune(
            self.trees.open(call.place) if params.dry_run else self._writable(call), params, self.clock()
        )

    def evolve(self, params: EvolveParams, call: Call) -> EvolveResult:
        """Plan or record the upkeep of memory."""
        workspace = self._writing(call) if params.apply else self._reading(call)
        opened = self.journals.get(call.place)
        at = At(workspace, opened, self.journals.types(call.place)) if opened is not None else None
        return evolve(workspace, params, lambda memory: outcomes.counts(at, memory), self.ids, self.clock())

    def conflicts(self, params: ConflictsParams, call: Call) -> ConflictsResult:
        """List the contradictions that wait for a decision."""
        return list_conflicts(self._reading(call), params)

    def resolve(self, params: ResolveParams, call: Call) -> ResolveResult:
        """Resolve a conflict."""
        return changes.resolve(self._writable(call), params, call)
