"""The verbs of the family `team`."""

from __future__ import annotations

from muninn_core.engine.session import team
from muninn_core.engine.verbs.base import Verbs
from muninn_core.model.value import Value
from muninn_core.protocol.families.team import (
    AgentGrantParams,
    AgentGrantResult,
    AgentHandoffParams,
    AgentHandoffResult,
    AgentHeartbeatParams,
    AgentHeartbeatResult,
    AgentLeaveParams,
    AgentLeaveResult,
    AgentListParams,
    AgentListResult,
    AgentRegisterParams,
    AgentRegisterResult,
    AgentTakeParams,
    AgentTakeResult,
    BarrierWaitParams,
    BarrierWaitResult,
    LeaseClaimParams,
    LeaseClaimResult,
    LeaseListParams,
    LeaseListResult,
    LeaseReleaseParams,
    LeaseReleaseResult,
)
from muninn_core.protocol.method import Method
from muninn_core.worktree.call_context import CallContext


class TeamVerbs(Verbs):
    """Coordinate active agents."""

    def agent_register(self, params: AgentRegisterParams, call: CallContext) -> AgentRegisterResult:
        """Register an agent."""
        return team.register(self._journal(call), params, call)

    def agent_heartbeat(self, params: AgentHeartbeatParams, call: CallContext) -> AgentHeartbeatResult:
        """Extend an agent's life."""
        return team.heartbeat(self._journal(call), params, call, self.overlaps)

    def agent_leave(self, params: AgentLeaveParams, call: CallContext) -> AgentLeaveResult:
        """End an agent."""
        return team.leave(self._journal(call), params.agent_key, call)

    def agent_list(self, _params: AgentListParams, call: CallContext) -> AgentListResult:
        """List agents and hand-offs."""
        return team.agents(self._journal(call))

    def agent_grant(self, params: AgentGrantParams, call: CallContext) -> AgentGrantResult:
        """Grant an agent the rights of its role."""
        return team.grant(self._journal(call), params)

    def agent_handoff(self, params: AgentHandoffParams, call: CallContext) -> AgentHandoffResult:
        """Leave a note."""
        return team.handoff(self._journal(call), params, call)

    def agent_take(self, params: AgentTakeParams, call: CallContext) -> AgentTakeResult:
        """Take a note."""
        return team.take(self._journal(call), params, call)

    def lease_claim(self, params: LeaseClaimParams, call: CallContext) -> LeaseClaimResult:
        """Claim files and tasks."""
        return team.claim(self._journal(call), params, call)

    def lease_release(self, params: LeaseReleaseParams, call: CallContext) -> LeaseReleaseResult:
        """Release leases."""
        return team.release(self._journal(call), params, call)

    def lease_list(self, params: LeaseListParams, call: CallContext) -> LeaseListResult:
        """List leases."""
        return team.leases(self._journal(call), params)

    def barrier_wait(self, params: BarrierWaitParams, call: CallContext) -> BarrierWaitResult:
        """Wait at a barrier."""
        return team.barrier(self._journal(call), params, call)

    def _as_agent(self, method: Method, params: Value, call: CallContext) -> Value:
        """Return the parameters of a call of a registered agent. Raises RefusedError; see `team.as_agent`."""
        at = self._journal(call)
        member = at.open.agents.get(call.connection.agent)
        return params if member is None else team.as_agent(member, method, params)
