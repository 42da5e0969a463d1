"""The verbs of the family `candidates`."""

from __future__ import annotations

from muninn_core.engine.session import candidates, model_candidates
from muninn_core.engine.verbs.base import Verbs
from muninn_core.protocol.families.candidates import (
    CandidateDiscardParams,
    CandidateDiscardResult,
    CandidateDistilParams,
    CandidateDistilResult,
    CandidateListParams,
    CandidateListResult,
    CandidatePromoteParams,
    CandidatePromoteResult,
)
from muninn_core.worktree.call_context import CallContext


class CandidatesVerbs(Verbs):
    """Review candidates for memory, which are found in the events of sessions."""

    def candidate_list(self, params: CandidateListParams, call: CallContext) -> CandidateListResult:
        """List candidates."""
        return candidates.list_candidates(self._journal_now(call), params)

    def candidate_distil(self, params: CandidateDistilParams, call: CallContext) -> CandidateDistilResult:
        """Find candidates in a session."""
        self._reading(call)
        at = self._journal_now(call)
        if not params.model:
            return candidates.distil(at, params.session_id, params.project_id)
        model_candidates.route_for(self.models.settings(call.location.root))
        return candidates.distil(
            at,
            params.session_id,
            params.project_id,
            lambda events, known: model_candidates.missed(at, self.models, events, known, params.session_id, call),
        )

    def candidate_promote(self, params: CandidatePromoteParams, call: CallContext) -> CandidatePromoteResult:
        """Store a candidate as a memory."""
        self._writing(call)
        at = self._journal_now(call)
        return candidates.promote(at, params, call, self.ids, self.clock())

    def candidate_discard(self, params: CandidateDiscardParams, call: CallContext) -> CandidateDiscardResult:
        """Discard a candidate."""
        return candidates.discard(self._journal_now(call), params, call)
