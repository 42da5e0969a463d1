"""The verbs of the family `review`."""

from __future__ import annotations

from muninn_core.engine.check import verify
from muninn_core.engine.check.check import check
from muninn_core.engine.memory import approval, confirm, lookup
from muninn_core.engine.memory.review import review
from muninn_core.engine.verbs.base import Verbs
from muninn_core.protocol.review import (
    ApproveParams,
    CheckParams,
    CheckResult,
    ConfirmParams,
    ConfirmResult,
    DiffParams,
    DiffResult,
    RejectParams,
    ReviewResult,
    VerifyParams,
    VerifyResult,
)
from muninn_core.worktree.call import Call
from muninn_core.worktree.private_layout import layout_at
from muninn_core.worktree.revisions import Revisions


class ReviewVerbs(Verbs):
    """Check what memory claims against the code, and decide what may be recalled."""

    def diff(self, params: DiffParams, call: Call) -> DiffResult:
        """Tell what a range of commits does to memory; nothing but git's objects is read."""
        return review(Revisions(call.place), params)

    def check(self, params: CheckParams, call: Call) -> CheckResult:
        """Check what the repository carries; nothing is opened for writing, so that it runs anywhere."""
        return check(call.place, layout_at(call.place), params, call.check)

    def verify(self, params: VerifyParams, call: Call) -> VerifyResult:
        """Check citations; with `fix` let memories cite the new places of what has moved."""
        workspace = self._writable(call) if params.fix else self.trees.open(call.place)
        workspace.follow()
        result, records = verify.verify(workspace, params, call)
        if records:
            workspace.log.append(records, params.session or workspace.session)
            workspace.hand_over_memories()
        return result

    def confirm(self, params: ConfirmParams, call: Call) -> ConfirmResult:
        """Let a memory that still holds cite the code as it is now."""
        workspace = self._writable(call)
        workspace.follow()
        memory = lookup.memory_of(workspace.known(), params.id)
        record = confirm.update(memory, confirm.confirmed(workspace, memory, params, call), call)
        if record is not None:
            log = self._sharing(workspace) if memory.scope == "global" else workspace.log
            log.append([record], params.session or workspace.session)
            workspace.follow_shared()
            workspace.hand_over_memories()
        memory = workspace.known()[memory.id]
        cites = confirm.judged(workspace, memory, call)
        return ConfirmResult(memory=memory, cites=cites, saw=workspace.saw())

    def approve(self, params: ApproveParams, call: Call) -> ReviewResult:
        """Let memories that wait speak."""
        workspace = self._writable(call)
        workspace.follow()
        return ReviewResult(memories=approval.approve(workspace, params, call), saw=workspace.saw())

    def reject(self, params: RejectParams, call: Call) -> ReviewResult:
        """Keep memories that wait from speaking."""
        workspace = self._writable(call)
        workspace.follow()
        return ReviewResult(memories=approval.reject(workspace, params, call), saw=workspace.saw())
