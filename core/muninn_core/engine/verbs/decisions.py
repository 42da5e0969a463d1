"""The verbs of the family `decisions`."""

from __future__ import annotations

from muninn_core.engine.session import decisions
from muninn_core.engine.verbs.base import Verbs
from muninn_core.protocol.families.decisions import (
    DecisionListParams,
    DecisionListResult,
    DecisionRecordParams,
    DecisionSupersedeParams,
    JournalContextParams,
    JournalContextResult,
    PatternRecordParams,
    RecordedResult,
)
from muninn_core.worktree.call_context import CallContext


class DecisionsVerbs(Verbs):
    """Record decisions and patterns, and return what the next turn needs."""

    def decision_record(self, params: DecisionRecordParams, call: CallContext) -> RecordedResult:
        """Record a decision."""
        return decisions.record(self._journal(call), params, "", call)

    def decision_supersede(self, params: DecisionSupersedeParams, call: CallContext) -> RecordedResult:
        """Record a decision in the place of another one."""
        return decisions.record(self._journal(call), params, params.supersedes, call)

    def decision_list(self, params: DecisionListParams, call: CallContext) -> DecisionListResult:
        """List decisions."""
        return decisions.list_decisions(self._journal(call), params)

    def pattern_record(self, params: PatternRecordParams, call: CallContext) -> RecordedResult:
        """Record a pattern."""
        return decisions.record_pattern(self._journal(call), params, call)

    def journal_context(self, params: JournalContextParams, call: CallContext) -> JournalContextResult:
        """Return the context of a turn."""
        return decisions.context(self._journal_now(call), params)
