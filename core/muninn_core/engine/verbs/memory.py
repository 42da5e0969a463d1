"""The verbs of the family `memory`."""

from __future__ import annotations

from muninn_core.engine.memory import drafts, edits, lookup, scopes
from muninn_core.engine.verbs.base import Verbs
from muninn_core.protocol.memory import (
    ConsolidateParams,
    ConsolidateResult,
    ForgetParams,
    ForgetResult,
    PromoteParams,
    PromoteResult,
    RememberParams,
    RememberResult,
    RestoreParams,
    UpdateParams,
    UpdateResult,
)
from muninn_core.store.stamp import timestamp
from muninn_core.worktree.call import Call


class MemoryVerbs(Verbs):
    """Store memories and change them."""

    def remember(self, params: RememberParams, call: Call) -> RememberResult:
        """Store memories; they are on disk when this returns."""
        workspace = self._writable(call)
        session = params.session or workspace.session
        records, masked = drafts.records_of(params, workspace, call, self.ids, self.clock())
        own, everywhere = drafts.split(params, records)
        shared = self._sharing(workspace) if everywhere else None
        stored = {record["id"]: kept.id for record, kept in zip(own, workspace.log.append(own, session), strict=True)}
        if shared is not None:
            kept = shared.append(everywhere, session)
            stored |= {record["id"]: each.id for record, each in zip(everywhere, kept, strict=True)}
            workspace.follow_shared()
        workspace.hand_over_memories()
        ids = tuple(stored[record["id"]] for record in records)
        memory = None if params.batch else workspace.known()[ids[0]]
        return RememberResult(ids=ids, memory=memory, masked=masked, saw=workspace.saw())

    def update(self, params: UpdateParams, call: Call) -> UpdateResult:
        """Change a memory."""
        workspace = self._writable(call)
        workspace.follow()
        memory = lookup.memory_of(workspace.known(), params.id)
        now = timestamp(self.clock())
        records, changed, masked = edits.updated(workspace, memory, params, call, now)
        self._store(workspace, memory, records, params.session)
        return UpdateResult(memory=workspace.known()[memory.id], changed=changed, masked=masked, saw=workspace.saw())

    def consolidate(self, params: ConsolidateParams, call: Call) -> ConsolidateResult:
        """Let one of several memories speak for all, or stand in the place of the others."""
        workspace = self._reading(call) if params.dry_run else self._writable(call)
        workspace.follow()
        planned = edits.plan(workspace, params)
        records = edits.consolidated(workspace, params, planned, call)
        if planned.kept is not None and not params.dry_run:
            self._store(workspace, planned.kept, records, params.session)
        gone = tuple(memory.id for memory in planned.gone)
        kept = workspace.known()[planned.kept.id] if planned.kept is not None else None
        named = dict.fromkeys(lookup.only(each, workspace.known(), "memory") for each in params.ids)
        return ConsolidateResult(
            decision=planned.decision,
            kept=kept,
            gone=gone,
            apart=tuple(each for each in named if each not in gone and (kept is None or each != kept.id)),
            contradictions=planned.contradictions,
            reason=params.reason,
            dry_run=params.dry_run,
            saw=workspace.saw(),
        )

    def forget(self, params: ForgetParams, call: Call) -> ForgetResult:
        """Archive a memory, or restore it."""
        workspace = self._writable(call)
        workspace.follow_shared()
        memory = lookup.memory_of(workspace.known(), params.id)
        kind = "restore" if params.restore else "archive"
        self._change(workspace, call, params.session, kind, target=memory.id, reason=params.reason)
        return ForgetResult(memory=workspace.known()[memory.id], saw=workspace.saw())

    def restore(self, params: RestoreParams, call: Call) -> ForgetResult:
        """Bring an archived memory back."""
        again = ForgetParams(id=params.id, reason=params.reason, restore=True, session=params.session)
        return self.forget(again, call)

    def promote(self, params: PromoteParams, call: Call) -> PromoteResult:
        """Store a memory anew in a wider scope; a note that only this machine had is archived then."""
        workspace = self._writable(call)
        workspace.follow_shared()
        memory = lookup.memory_of(workspace.known(), params.id)
        log = self._sharing(workspace) if params.scope == "global" else workspace.log
        record = scopes.promoted(workspace, memory, params, call)
        (stored,) = log.append([record], params.session or workspace.session)
        if memory.private:
            reason = f"promoted to {stored.id}"
            self._change(workspace, call, params.session, "archive", target=memory.id, reason=reason)
        workspace.follow_shared()
        workspace.hand_over_memories()
        return PromoteResult(memory=workspace.known()[stored.id], source=memory.id, saw=workspace.saw())
