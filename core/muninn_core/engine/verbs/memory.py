"""The verbs of the family `memory`."""

from __future__ import annotations

from muninn_core.engine.memory.changes import edits, record_changes
from muninn_core.engine.memory.drafting.remember import remember
from muninn_core.engine.verbs.base import Verbs
from muninn_core.protocol.families.memory import (
    ConsolidateParams,
    ConsolidateResult,
    ForgetParams,
    ForgetResult,
    PinParams,
    PromoteParams,
    PromoteResult,
    RememberParams,
    RememberResult,
    RestoreParams,
    UpdateParams,
    UpdateResult,
)
from muninn_core.store.records.timestamps import timestamp
from muninn_core.worktree.call_context import CallContext


class MemoryVerbs(Verbs):
    """Store, change and archive memories."""

    def remember(self, params: RememberParams, call: CallContext) -> RememberResult:
        """Store memories; they are on disk when this returns."""
        workspace = self._writable(call)
        stored = remember(workspace, params, call, self.ids, self.clock())
        self.enricher.follow(workspace, stored.ids)
        return stored

    def update(self, params: UpdateParams, call: CallContext) -> UpdateResult:
        """Change a memory."""
        return edits.update(self._writing(call), params, call, timestamp(self.clock()))

    def pin(self, params: PinParams, call: CallContext) -> UpdateResult:
        """Pin a memory."""
        return self._set_pin(params, call, pin=True)

    def unpin(self, params: PinParams, call: CallContext) -> UpdateResult:
        """Unpin a memory."""
        return self._set_pin(params, call, pin=False)

    def _set_pin(self, params: PinParams, call: CallContext, *, pin: bool) -> UpdateResult:
        change = UpdateParams(id=params.id, pin=pin, reason=params.reason, agent=params.agent, session=params.session)
        return self.update(change, call)

    def consolidate(self, params: ConsolidateParams, call: CallContext) -> ConsolidateResult:
        """Merge several memories into one, or let one supersede the others."""
        workspace = self._reading(call) if params.dry_run else self._writing(call)
        return edits.consolidate(workspace, params, call)

    def forget(self, params: ForgetParams, call: CallContext) -> ForgetResult:
        """Archive a memory, or restore it."""
        return record_changes.forget(self._writable(call), params, call)

    def restore(self, params: RestoreParams, call: CallContext) -> ForgetResult:
        """Restore an archived memory."""
        again = ForgetParams(id=params.id, reason=params.reason, restore=True, session=params.session)
        return self.forget(again, call)

    def promote(self, params: PromoteParams, call: CallContext) -> PromoteResult:
        """Store a memory again in a wider scope."""
        return record_changes.promote(self._writable(call), params, call, self.ids)
