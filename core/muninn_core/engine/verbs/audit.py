"""The verbs of the family `audit`."""

from __future__ import annotations

from muninn_core.engine.session import journal
from muninn_core.engine.verbs.base import Verbs
from muninn_core.protocol.families.audit import (
    AuditReplayParams,
    AuditReplayResult,
    AuditSealParams,
    AuditSealResult,
    AuditTailParams,
    AuditTailResult,
    AuditVerifyParams,
    AuditVerifyResult,
    ProjectionsRebuildParams,
    ProjectionsRebuildResult,
    ProjectionsShowParams,
    ProjectionsShowResult,
    ProjectionsStatusParams,
    ProjectionsStatusResult,
)
from muninn_core.worktree.call_context import CallContext


class AuditVerbs(Verbs):
    """Verify the journal, replay it, and show its projections."""

    def audit_replay(self, params: AuditReplayParams, call: CallContext) -> AuditReplayResult:
        """Return events as lines, or write them to a file."""
        return journal.replay(self._journal_now(call), params, call)

    def audit_verify(self, _params: AuditVerifyParams, call: CallContext) -> AuditVerifyResult:
        """Check the chain."""
        return journal.verify(self._journal_now(call))

    def audit_tail(self, params: AuditTailParams, call: CallContext) -> AuditTailResult:
        """Return the last events."""
        return journal.tail(self._journal_now(call), params)

    def audit_seal(self, params: AuditSealParams, call: CallContext) -> AuditSealResult:
        """Seal past months and apply the retention."""
        return journal.seal(self._journal_now(call), params, self.clock())

    def projections_status(self, _params: ProjectionsStatusParams, call: CallContext) -> ProjectionsStatusResult:
        """Return the state of the projections."""
        return journal.projections_status(self._journal_now(call))

    def projections_rebuild(self, params: ProjectionsRebuildParams, call: CallContext) -> ProjectionsRebuildResult:
        """Build projections again."""
        at = self._journal(call)
        rebuilt = tuple(at.open.projections.rebuild(params.names))
        at.open.search.release_memory()
        return ProjectionsRebuildResult(rebuilt=rebuilt, saw=at.workspace.read_state())

    def projections_show(self, params: ProjectionsShowParams, call: CallContext) -> ProjectionsShowResult:
        """Return rows of a projection."""
        return journal.show(self._journal_now(call), params)
