"""Coordinate agents that work in one repository at the same time: who works on what, hand-offs, barriers."""

from __future__ import annotations

from typing import Annotated

from muninn_core.model.role import RoleName
from muninn_core.model.value import Meta, Value
from muninn_core.protocol.base import Names, Result, SessionId, Text
from muninn_core.protocol.method import Family, Method

AgentKey = Annotated[
    str, Meta(description="The key that `agent.register` returned; not needed on the connection that registered.")
]
Files = Annotated[Names, Meta(description="Files, relative to the root of the work tree.")]
Tasks = Annotated[Names, Meta(description="Names of tasks; any text.")]
WaitSeconds = Annotated[float, Meta(ge=0, le=3600, description="How long to wait, in seconds.")]


class Agent(Value):
    """A registered agent. `seconds_left` is how long it stays active without another call; `leases` are its resources.

    `granted`: a person granted it the rights of its role. `root` is its work tree.
    """

    name: str
    role: str
    session: str
    root: str
    client: str
    task: str
    granted: bool
    registered_at: str
    seconds_left: float
    leases: tuple[str, ...] = ()


class Lease(Value):
    """A resource that one agent works on: `file:PATH` or `task:NAME`. `token` is the fencing token: it only grows."""

    resource: str
    agent: str
    token: int
    claimed_at: str
    seconds_left: float


class HandoffNote(Value):
    """A note that waits for its taker. `to` is an agent's name, a role, or empty for anyone."""

    number: int
    sender: str
    to: str
    text: str
    resources: tuple[str, ...]
    sent_at: str


class AgentRegisterParams(Value):
    """The agent that begins to work."""

    name: Annotated[Text, Meta(description="A name that no active agent has: letters, digits, '.', '_' and '-'.")]
    role: Annotated[
        RoleName, Meta(description="The role; it sets the agent's rights and the types of memory that count more.")
    ] = "executor"
    session: SessionId | None = None
    task: Annotated[str, Meta(description="What it works on, in a few words.")] = ""
    seconds: Annotated[
        int, Meta(ge=1, le=86_400, description="How long it stays active after its last call, in seconds.")
    ] = 300
    bound: Annotated[bool, Meta(description="End the agent when this connection ends, too.")] = False


class AgentRegisterResult(Result):
    """The agent, its key, and the hand-offs that it may take."""

    agent: Agent
    agent_key: str
    handoffs: tuple[HandoffNote, ...]


class AgentHeartbeatParams(Value):
    """The agent that still works. Every other call of the agent extends its life, too."""

    agent_key: AgentKey = ""
    task: Annotated[str | None, Meta(description="What it works on now, in a few words.")] = None


class AgentHeartbeatResult(Result):
    """The agent, the hand-offs that it may take, and the files that other work trees are changing as well."""

    agent: Agent
    handoffs: tuple[HandoffNote, ...]
    overlaps: tuple[str, ...]


class AgentLeaveParams(Value):
    """The agent that ends its work."""

    agent_key: AgentKey = ""


class AgentLeaveResult(Result):
    """The name of the agent. Its leases ended with it."""

    name: str


class AgentListParams(Value):
    """All agents."""


class AgentListResult(Result):
    """The active agents by name, and the hand-offs that wait, the oldest first."""

    agents: tuple[Agent, ...]
    handoffs: tuple[HandoffNote, ...]


class AgentGrantParams(Value):
    """The agent to grant the rights of its role: a reviewer may then approve memories, an orchestrator end leases."""

    name: Annotated[Text, Meta(description="The agent's name.")]
    withdraw: Annotated[bool, Meta(description="Withdraw the rights instead.")] = False


class AgentGrantResult(Result):
    """The agent's name, its role, and whether it has the rights."""

    name: str
    role: str
    granted: bool


class AgentHandoffParams(Value):
    """The note to leave, and leases that its taker gets."""

    text: Annotated[Text, Meta(max_length=20_000, description="What was done and what is left.")]
    to: Annotated[str, Meta(description="An agent's name, a role, or empty for anyone.")] = ""
    files: Files = ()
    tasks: Tasks = ()
    agent_key: AgentKey = ""


class AgentHandoffResult(Result):
    """The note."""

    handoff: HandoffNote


class AgentTakeParams(Value):
    """The hand-off to take."""

    number: Annotated[int, Meta(ge=1, description="The number of the hand-off.")]
    agent_key: AgentKey = ""


class AgentTakeResult(Result):
    """The note, and the leases that came with it."""

    handoff: HandoffNote
    leases: tuple[Lease, ...]


class LeaseClaimParams(Value):
    """What to claim: all of it or nothing."""

    files: Files = ()
    tasks: Tasks = ()
    wait: WaitSeconds = 0.0
    agent_key: AgentKey = ""


class LeaseClaimResult(Result):
    """The leases of the agent."""

    leases: tuple[Lease, ...]


class LeaseReleaseParams(Value):
    """What to release; without files and tasks, all leases of the agent."""

    files: Files = ()
    tasks: Tasks = ()
    force: Annotated[bool, Meta(description="End leases of others: for people and granted orchestrators.")] = False
    agent_key: AgentKey = ""


class LeaseReleaseResult(Result):
    """The resources that are free now."""

    released: tuple[str, ...]


class LeaseListParams(Value):
    """Which leases to list."""

    files: Files = ()
    tasks: Tasks = ()
    token: Annotated[
        int | None, Meta(description="Refuse unless each named file and task has a lease with this token.")
    ] = None


class LeaseListResult(Result):
    """The leases, by resource."""

    leases: tuple[Lease, ...]


class BarrierWaitParams(Value):
    """The barrier to pass. It is passed once; use another name for the next one."""

    name: Annotated[Text, Meta(max_length=200, description="The name of the barrier.")]
    parties: Annotated[int, Meta(ge=1, le=200, description="How many agents pass it together.")]
    wait: WaitSeconds = 60.0
    agent_key: AgentKey = ""


class BarrierWaitResult(Result):
    """The agents that passed together."""

    agents: tuple[str, ...]


FAMILY = Family(
    name="team",
    title="Agent coordination",
    summary="Coordinate agents that work in one repository at the same time.",
    groups={
        "agent": "Agents that are at work in the repository.",
        "lease": "Files and tasks that one agent works on at a time.",
        "barrier": "Points that several agents pass together.",
    },
    plumbing=True,
    methods=(
        Method(
            verb="agent.register",
            title="Register an agent",
            summary="Register an agent under a name and a role; its key is needed on other connections.",
            params=AgentRegisterParams,
            result=AgentRegisterResult,
            effect="append",
            idempotent=False,
            positional=("name", "role"),
            may_omit=("role",),
            example={"name": "ada", "role": "executor", "task": "single sign-on"},
        ),
        Method(
            verb="agent.heartbeat",
            title="Keep an agent alive",
            summary="Extend an agent and its leases, and return the hand-offs that it may take.",
            params=AgentHeartbeatParams,
            result=AgentHeartbeatResult,
            effect="append",
            positional=("agent_key",),
            may_omit=("agent_key",),
            example={"agent_key": "KEY"},
        ),
        Method(
            verb="agent.leave",
            title="End an agent",
            summary="End an agent and its leases.",
            params=AgentLeaveParams,
            result=AgentLeaveResult,
            effect="append",
            positional=("agent_key",),
            may_omit=("agent_key",),
            example={"agent_key": "KEY"},
        ),
        Method(
            verb="agent.list",
            title="List agents",
            summary="List the active agents with their tasks and leases, and the pending hand-offs.",
            params=AgentListParams,
            result=AgentListResult,
            effect="read",
            synonyms=("agents", "who"),
        ),
        Method(
            verb="agent.grant",
            title="Grant the rights of a role",
            summary="Grant an agent the rights of its role: reviewers may approve memories, orchestrators end leases.",
            params=AgentGrantParams,
            result=AgentGrantResult,
            effect="control",
            positional=("name",),
            suggested=False,
            example={"name": "ada"},
        ),
        Method(
            verb="agent.handoff",
            title="Hand work off",
            summary="Leave a note for another agent, with leases that it gets when it takes the note.",
            params=AgentHandoffParams,
            result=AgentHandoffResult,
            effect="append",
            idempotent=False,
            positional=("text",),
            rooted_paths=("files",),
            example={"text": "The parser is done.", "to": "reviewer", "agent_key": "KEY"},
            synonyms=("handoff",),
        ),
        Method(
            verb="agent.take",
            title="Take a hand-off",
            summary="Take a hand-off and its leases; no other agent can take it then.",
            params=AgentTakeParams,
            result=AgentTakeResult,
            effect="append",
            idempotent=False,
            positional=("number",),
            example={"number": 12, "agent_key": "KEY"},
        ),
        Method(
            verb="lease.claim",
            title="Claim files or tasks",
            summary="Claim files and tasks, all or none; the lease ends with the agent.",
            params=LeaseClaimParams,
            result=LeaseClaimResult,
            effect="append",
            waits=True,
            retry=True,
            positional=("files",),
            may_omit=("files",),
            rooted_paths=("files",),
            example={"files": ["src/session.py"], "agent_key": "KEY"},
            synonyms=("claim", "lock"),
        ),
        Method(
            verb="lease.release",
            title="Release files or tasks",
            summary="Release leases of an agent, or all of them; a person can end those of others.",
            params=LeaseReleaseParams,
            result=LeaseReleaseResult,
            effect="append",
            positional=("files",),
            may_omit=("files",),
            rooted_paths=("files",),
            example={"files": ["src/session.py"], "agent_key": "KEY"},
            synonyms=("unlock",),
        ),
        Method(
            verb="lease.list",
            title="List leases",
            summary="List which agent works on which file or task; with a token, check that it still holds.",
            params=LeaseListParams,
            result=LeaseListResult,
            effect="read",
            positional=("files",),
            may_omit=("files",),
            rooted_paths=("files",),
            synonyms=("leases", "claims"),
        ),
        Method(
            verb="barrier.wait",
            title="Wait at a barrier",
            summary="Wait until a number of agents has arrived; all of them pass together.",
            params=BarrierWaitParams,
            result=BarrierWaitResult,
            effect="append",
            waits=True,
            retry=True,
            positional=("name", "parties"),
            example={"name": "tests-green", "parties": 1, "agent_key": "KEY"},
        ),
    ),
)
