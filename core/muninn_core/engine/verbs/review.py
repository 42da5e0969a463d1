"""The verbs of the family `review`."""

from __future__ import annotations

from muninn_core.engine.check import verify
from muninn_core.engine.check.check import check
from muninn_core.engine.memory.changes import approval, confirm
from muninn_core.engine.memory.inspection.memory_diff import review
from muninn_core.engine.verbs.base import Verbs
from muninn_core.protocol.families.review import (
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
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.history.revisions import Revisions
from muninn_core.worktree.local.private_layout import layout_at


class ReviewVerbs(Verbs):
    """Check memory against the code, review a branch, and approve pending memories."""

    def diff(self, params: DiffParams, call: CallContext) -> DiffResult:
        """Return what a range of commits does to memory. It is read from git's objects."""
        return review(Revisions(call.location), layout_at(call.location), params)

    def check(self, params: CheckParams, call: CallContext) -> CheckResult:
        """Check the repository's memory files. Opens nothing for writing, so it also runs in read-only clones."""
        return check(call.location, layout_at(call.location), params, call.raise_if_cancelled)

    def verify(self, params: VerifyParams, call: CallContext) -> VerifyResult:
        """Check citations; with `fix`, store the new places of moved code."""
        return verify.verify(self._writing(call) if params.fix else self._reading(call), params, call)

    def confirm(self, params: ConfirmParams, call: CallContext) -> ConfirmResult:
        """Confirm a memory, and update its citations to the current code."""
        return confirm.confirm(self._writing(call), params, call)

    def approve(self, params: ApproveParams, call: CallContext) -> ReviewResult:
        """Approve pending memories, so that they are recalled."""
        workspace = self._writing(call)
        return ReviewResult(
            memories=approval.approve(workspace.config, workspace.memory, params, call), saw=workspace.read_state()
        )

    def reject(self, params: RejectParams, call: CallContext) -> ReviewResult:
        """Reject pending memories; they are kept with the reason and never recalled."""
        workspace = self._writing(call)
        return ReviewResult(
            memories=approval.reject(workspace.config, workspace.memory, params, call), saw=workspace.read_state()
        )
