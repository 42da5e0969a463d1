"""The verbs of agent coordination: converts parameters to operations of the journal, and outcomes to results."""

from __future__ import annotations

import time
from collections.abc import Sequence

from muninn_core.engine.session.journal import At, project_of
from muninn_core.engine.session.overlaps import Overlaps
from muninn_core.errors import BadParams, BusyError, PreconditionError, RefusedError
from muninn_core.journal.agents import Agents, Member
from muninn_core.journal.coordination import Note
from muninn_core.journal.leases import Held
from muninn_core.journal.search import Filter, conditions_of, passes
from muninn_core.model.event import Event
from muninn_core.model.role import ROLES
from muninn_core.model.value import Value, replace
from muninn_core.protocol.families.events import EventWaitParams, EventWaitResult
from muninn_core.protocol.families.team import (
    Agent,
    AgentGrantParams,
    AgentGrantResult,
    AgentHandoffParams,
    AgentHandoffResult,
    AgentHeartbeatParams,
    AgentHeartbeatResult,
    AgentLeaveResult,
    AgentListResult,
    AgentRegisterParams,
    AgentRegisterResult,
    AgentTakeParams,
    AgentTakeResult,
    BarrierWaitParams,
    BarrierWaitResult,
    HandoffNote,
    Lease,
    LeaseClaimParams,
    LeaseClaimResult,
    LeaseListParams,
    LeaseListResult,
    LeaseReleaseParams,
    LeaseReleaseResult,
)
from muninn_core.protocol.method import Method
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.paths import relative_path

BATCH = 500
"""Events read at once while waiting for one."""

POLL_SECONDS = 0.1
"""How often a call that waits for an event looks for new ones."""


def register(at: At, params: AgentRegisterParams, call: CallContext) -> AgentRegisterResult:
    """Register an agent, on the call's connection if that lasts. A connection has one agent."""
    _check_unbound(at, call)
    member = Member(
        name=params.name,
        role=params.role,
        session_id=params.session or "",
        root=at.workspace.location.root,
        client=call.client,
        task=params.task,
        seconds=params.seconds,
        granted=0,
        project_id=project_of(at, "", ""),
        registered_at="",
    )
    added, key = at.open.agents.register(member)
    call.connection.agent, call.connection.agent_key, call.connection.role = added.name, key, added.role
    if params.bound:
        at.open.agents.bind(added.name, call.connection)
    return AgentRegisterResult(
        agent=_agent(at.open.agents, added, ()),
        agent_key=key,
        handoffs=_notes(at.open.handoffs.waiting(added)),
        saw=at.workspace.read_state(),
    )


def _check_unbound(at: At, call: CallContext) -> None:
    """Raise RefusedError when the connection's agent still lives: it can't get another role this way."""
    if call.connection.agent and at.open.agents.seconds_left(call.connection.agent) > 0:
        raise RefusedError(
            f"this connection is the agent '{call.connection.agent}'",
            hint="End it with agent.leave before you register another one.",
        )


def heartbeat(at: At, params: AgentHeartbeatParams, call: CallContext, overlaps: Overlaps) -> AgentHeartbeatResult:
    """Extend an agent's life."""
    member = at.open.agents.heartbeat(key_of(params.agent_key, call), params.task)
    held = [lease for lease in at.open.leases.all() if lease.agent == member.name]
    return AgentHeartbeatResult(
        agent=_agent(at.open.agents, member, held),
        handoffs=_notes(at.open.handoffs.waiting(member)),
        overlaps=tuple(overlaps.lines(at.workspace, at.open, member.root)),
        saw=at.workspace.read_state(),
    )


def leave(at: At, key: str, call: CallContext) -> AgentLeaveResult:
    """End an agent."""
    member = at.open.agents.leave(key_of(key, call))
    if call.connection.agent == member.name:
        call.connection.agent = call.connection.agent_key = call.connection.role = ""
    return AgentLeaveResult(name=member.name, saw=at.workspace.read_state())


def agents(at: At) -> AgentListResult:
    """List the active agents."""
    leases = at.open.leases.all()
    found = at.open.agents.all()
    listed = tuple(
        _agent(at.open.agents, member, [lease for lease in leases if lease.agent == member.name]) for member, _ in found
    )
    return AgentListResult(agents=listed, handoffs=_notes(at.open.handoffs.waiting()), saw=at.workspace.read_state())


def grant(at: At, params: AgentGrantParams) -> AgentGrantResult:
    """Grant an agent the rights of its role."""
    member = at.open.agents.grant(params.name, granted=not params.withdraw)
    return AgentGrantResult(
        name=member.name, role=member.role, granted=bool(member.granted), saw=at.workspace.read_state()
    )


def handoff(at: At, params: AgentHandoffParams, call: CallContext) -> AgentHandoffResult:
    """Leave a note."""
    resources = _resources(at, params.files, params.tasks)
    note = at.open.handoffs.send(key_of(params.agent_key, call), params.to, params.text, resources)
    return AgentHandoffResult(handoff=_note(note), saw=at.workspace.read_state())


def take(at: At, params: AgentTakeParams, call: CallContext) -> AgentTakeResult:
    """Take a note."""
    note, leases = at.open.handoffs.take(key_of(params.agent_key, call), params.number)
    return AgentTakeResult(handoff=_note(note), leases=_leases(at.open.agents, leases), saw=at.workspace.read_state())


def claim(at: At, params: LeaseClaimParams, call: CallContext) -> LeaseClaimResult:
    """Claim files and tasks. Raises BusyError, which names the holders, when the time is over."""
    resources = _resources(at, params.files, params.tasks)
    if not resources:
        raise BadParams("nothing to claim", hint="Name files or tasks.")
    key = key_of(params.agent_key, call)
    if params.files:
        _check_claims_files(at.open.agents.heartbeat(key).role)
    done = at.open.leases.claim(key, resources, params.wait, lambda: call.cancelled)
    call.raise_if_cancelled()
    if done.blocked_by:
        held = ", ".join(f"{lease.resource} by '{lease.agent}'" for lease in done.blocked_by)
        raise BusyError(
            f"held by others: {held}",
            hint="Work on something else, wait longer, or leave the holder a note with agent.handoff.",
            data={"holders": {lease.resource: lease.agent for lease in done.blocked_by}},
        )
    return LeaseClaimResult(leases=_leases(at.open.agents, done.leases), saw=at.workspace.read_state())


def _check_claims_files(role: str) -> None:
    if not ROLES[role].claims_files:
        raise RefusedError(f"the role '{role}' changes no files", hint="Claim a task, or register as an executor.")


def release(at: At, params: LeaseReleaseParams, call: CallContext) -> LeaseReleaseResult:
    """Release an agent's leases; with `force`, end those of all agents."""
    resources = _resources(at, params.files, params.tasks)
    if params.force:
        if not resources:
            raise BadParams("'force' needs the files or tasks to free", hint="`muninn lease list` shows them.")
        released = at.open.leases.revoke(resources, project_of(at, "", ""), _revoker(at, params.agent_key, call))
    else:
        released = at.open.leases.release(key_of(params.agent_key, call), resources)
    return LeaseReleaseResult(released=released, saw=at.workspace.read_state())


def _revoker(at: At, given: str, call: CallContext) -> str:
    """Return who ends leases of others. Raises RefusedError unless it is a person or a granted orchestrator."""
    if call.actor is None and not given and not call.connection.agent:
        return "user"
    member = at.open.agents.heartbeat(key_of(given, call))
    if member.role != "orchestrator" or not member.granted:
        raise RefusedError(
            "leases of others end only for a person or an orchestrator with granted rights",
            hint="A person runs `muninn lease release --force`, or grants the rights with `muninn agent grant`.",
        )
    return member.name


def leases(at: At, params: LeaseListParams) -> LeaseListResult:
    """List leases. With a token, raises PreconditionError unless each resource has it."""
    wanted = _resources(at, params.files, params.tasks)
    found = at.open.leases.all()
    if params.token is not None:
        if not wanted:
            raise BadParams("'token' needs the files or tasks to check", hint="Name them.")
        tokens = {lease.resource: lease.token for lease in found}
        lost = [resource for resource in wanted if tokens.get(resource) != params.token]
        if lost:
            raise PreconditionError(
                f"the token {params.token} does not hold {', '.join(lost)}",
                hint="The lease has ended. Claim it again before you change anything.",
                data={"precondition": "token", "resources": lost},
            )
    shown = [lease for lease in found if not wanted or lease.resource in wanted]
    return LeaseListResult(leases=_leases(at.open.agents, shown), saw=at.workspace.read_state())


def barrier(at: At, params: BarrierWaitParams, call: CallContext) -> BarrierWaitResult:
    """Wait at a barrier. Raises BusyError, which says how many came, when the time is over."""
    key = key_of(params.agent_key, call)
    done = at.open.barriers.arrive(key, params.name, params.parties, params.wait, lambda: call.cancelled)
    call.raise_if_cancelled()
    if not done.position:
        raise BusyError(
            f"not all {params.parties} agents came to the barrier '{params.name}' within {params.wait:g} s",
            hint=f"Waiting there: {', '.join(done.arrived) or 'no agent'}. Wait again, or longer.",
        )
    return BarrierWaitResult(agents=done.arrived, saw=at.workspace.read_state())


def wait_for_events(at: At, params: EventWaitParams, call: CallContext) -> EventWaitResult:
    """Wait until an event passes the filters."""
    where = {**params.where, **({"event_type": params.event_type} if params.event_type else {})}
    conditions_of(Filter(where=where, since="", until=""))  # refuses unknown fields
    journal, reached = at.open.journal, at.open.journal.position if params.after is None else params.after
    if reached > journal.position:
        raise BadParams(
            f"the journal has no event {reached} yet; its last one is {journal.position}",
            hint="It was made anew since 'after' was read. Leave 'after' out to begin now, or give 0 for all events.",
        )
    until = time.monotonic() + params.wait
    found: list[Event] = []
    while True:
        while reached < journal.position and len(found) < params.limit:
            events, reached = at.open.search.following(reached, BATCH)
            found += [event for event in events if passes(event, where.items())]
        if found or time.monotonic() >= until:
            break
        call.raise_if_cancelled()
        time.sleep(POLL_SECONDS)
    shown = tuple(found[: params.limit])
    last = shown[-1].position if len(found) > params.limit else reached
    return EventWaitResult(events=shown, last=last, saw=at.workspace.read_state())


# --- rights ---


def as_agent(member: Member, method: Method, params: Value) -> Value:
    """Return the parameters with the agent as their author. Raises RefusedError for what its role may not do.

    Two agents of one program thereby are two authors, of whom one can approve what the other stored. Lists by
    importance follow the agent's role.
    """
    role = ROLES[member.role]
    if method.verb in role.refused:
        raise RefusedError(
            f"the role '{member.role}' may not call '{method.verb}'",
            hint="Leave a note with agent.handoff for an agent that may, or ask a person. Nothing was changed.",
        )
    if method.verb in role.granted and not member.granted:
        raise RefusedError(
            f"'{method.verb}' needs rights that a person grants",
            hint=f"A person runs `muninn agent grant {member.name}`. Nothing was changed.",
        )
    fields = params.__struct_fields__
    if method.effect == "write" and "agent" in fields and "session" in fields:
        return replace(params, agent=f"{member.name} ({member.client})", session=member.session_id or member.name)
    return replace(params, role=member.role) if getattr(params, "role", "") is None else params


def key_of(given: str, call: CallContext) -> str:
    """Return the key of the agent that calls. Raises PreconditionError without one."""
    key = given or call.connection.agent_key
    if not key:
        raise PreconditionError(
            "the call names no agent",
            hint="Register with agent.register, and give the agent_key that it returns.",
            data={"precondition": "agent"},
        )
    if call.connection.agent_key and key != call.connection.agent_key:
        raise RefusedError(f"this connection is the agent '{call.connection.agent}', and that key is another's")
    return key


# --- results ---


def _resources(at: At, files: Sequence[str], tasks: Sequence[str]) -> tuple[str, ...]:
    """Return the names of resources. Raises BadParams for a path outside the work tree and an empty task."""
    if any(not task.strip() for task in tasks):
        raise BadParams("a task has no name", hint="Give its id or a few words.")
    paths = [relative_path(file, at.workspace.layout.root) for file in files]
    return (*(f"file:{path}" for path in paths), *(f"task:{task.strip()}" for task in tasks))


def _agent(agents: Agents, member: Member, held: Sequence[Held]) -> Agent:
    return Agent(
        name=member.name,
        role=member.role,
        session=member.session_id,
        root=member.root,
        client=member.client,
        task=member.task,
        granted=bool(member.granted),
        registered_at=member.registered_at,
        seconds_left=round(agents.seconds_left(member.name), 1),
        leases=tuple(lease.resource for lease in held),
    )


def _leases(agents: Agents, held: Sequence[Held]) -> tuple[Lease, ...]:
    return tuple(Lease(**lease._asdict(), seconds_left=round(agents.seconds_left(lease.agent), 1)) for lease in held)


def _notes(notes: Sequence[Note]) -> tuple[HandoffNote, ...]:
    return tuple(map(_note, notes))


def _note(note: Note) -> HandoffNote:
    return HandoffNote(
        number=note.position,
        sender=note.sender,
        to=note.recipient,
        text=note.text,
        resources=note.resources,
        sent_at=note.sent_at,
    )
