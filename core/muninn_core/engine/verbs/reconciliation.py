"""The verbs of the family `reconciliation`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from muninn_core.engine.memory.changes import maintenance, record_changes
from muninn_core.engine.memory.changes.evolve import evolve, plan_when_due
from muninn_core.engine.memory.inspection.conflict_list import list_conflicts
from muninn_core.engine.memory.models.background_reconcile import check
from muninn_core.engine.session import outcomes
from muninn_core.engine.session.journal import At
from muninn_core.engine.verbs.base import Verbs
from muninn_core.model.memory import Memory
from muninn_core.protocol.families.reconciliation import (
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
from muninn_core.protocol.families.session import GivenCounts
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.workspace import Workspace


class ReconciliationVerbs(Verbs):
    """Consolidate the memory of sessions, and resolve contradictions."""

    def seal(self, params: SealParams, call: CallContext) -> SealResult:
        """Write open sessions to segments."""
        return maintenance.seal(self._writable(call), params)

    def reconcile(self, params: ReconcileParams, call: CallContext) -> ReconcileResult:
        """Consolidate all sessions into main.jsonl."""
        check(params)
        if params.background:
            return self.background_reconcile.start(self._writing(call), params)
        return maintenance.reconcile(
            self.trees.open(call.location) if params.dry_run else self._writable(call), params, call
        )

    def undo(self, _params: UndoParams, call: CallContext) -> UndoResult:
        """Undo the last reconcile or prune."""
        return maintenance.undo(self._writable(call))

    def prune(self, params: PruneParams, call: CallContext) -> PruneResult:
        """Move memories that can no longer be recalled to the archive."""
        return maintenance.prune(
            self.trees.open(call.location) if params.dry_run else self._writable(call), params, self.clock()
        )

    def evolve(self, params: EvolveParams, call: CallContext) -> EvolveResult:
        """Plan or record the upkeep of memory."""
        workspace = self._writing(call) if params.apply else self._reading(call)
        return evolve(workspace, params, self._outcomes(workspace, call.raise_if_cancelled), self.ids, self.clock())

    def plan_upkeep(self, checkpoint: Callable[[], None]) -> None:
        """Plan the upkeep of the open work trees, as `evolve.days` says. `checkpoint` is called for each memory.

        Raises MuninnError, and what `checkpoint` raises.
        """
        for workspace in self.trees:
            plan_when_due(workspace, self._outcomes(workspace, checkpoint), self.ids, self.clock())

    def _outcomes(self, workspace: Workspace, checkpoint: Callable[[], None]) -> Callable[[Memory], GivenCounts]:
        """Return what counts the outcomes of a memory in sessions."""

        @cache
        def at() -> At | None:
            opened = self.journals.get(workspace.location)
            return At(workspace, opened, self.journals.types(workspace.location)) if opened is not None else None

        def counts(memory: Memory) -> GivenCounts:
            checkpoint()
            return outcomes.counts(at(), memory)

        return counts

    def conflicts(self, params: ConflictsParams, call: CallContext) -> ConflictsResult:
        """List the contradictions that wait for a decision."""
        return list_conflicts(self._reading(call), params)

    def resolve(self, params: ResolveParams, call: CallContext) -> ResolveResult:
        """Resolve a conflict."""
        return record_changes.resolve(self._writable(call), params, call)
