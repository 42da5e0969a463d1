"""The verbs of the family `candidates`."""

from __future__ import annotations

from muninn_core.engine.session import candidates
from muninn_core.engine.session.journal import At
from muninn_core.engine.verbs.base import Verbs
from muninn_core.protocol.candidates import (
    CandidateDiscardParams,
    CandidateDiscardResult,
    CandidateDistilParams,
    CandidateDistilResult,
    CandidateListParams,
    CandidateListResult,
    CandidatePromoteParams,
    CandidatePromoteResult,
)
from muninn_core.worktree.call import Call
from muninn_core.worktree.workspace import Workspace


class CandidatesVerbs(Verbs):
    """Review what sessions left in the journal that is worth remembering."""

    def _candidates_at(self, workspace: Workspace, call: Call) -> At:
        self.agent_journal.drain()
        return At(workspace, self.journals.open(call.place), self.journals.types(call.place))

    def candidate_list(self, params: CandidateListParams, call: Call) -> CandidateListResult:
        """List candidates."""
        return candidates.list_candidates(self._candidates_at(self._reading(call), call), params)

    def candidate_distil(self, params: CandidateDistilParams, call: Call) -> CandidateDistilResult:
        """Find candidates in a session."""
        return candidates.distil(self._candidates_at(self._reading(call), call), params.session_id, params.project_id)

    def candidate_promote(self, params: CandidatePromoteParams, call: Call) -> CandidatePromoteResult:
        """Store a candidate as a memory."""
        at = self._candidates_at(self._writing(call), call)
        return candidates.promote(at, params, call, self.ids, self.clock())

    def candidate_discard(self, params: CandidateDiscardParams, call: Call) -> CandidateDiscardResult:
        """Discard a candidate."""
        return candidates.discard(self._candidates_at(self._reading(call), call), params, call)
