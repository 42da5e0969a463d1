"""The tool set `team` as plain data: agents that work in one repository at the same time."""

from __future__ import annotations

from types import MappingProxyType

from muninn_server.mcp.tool_entry import ToolEntry

TEAM = (
    ToolEntry(
        "agent_register",
        "agent.register",
        ("name", "role", "task", "seconds"),
        "Register",
        "Register yourself as an agent with a name and a role: orchestrator, optimizer, reviewer or executor. You end "
        "with this connection, and `seconds` after your last call. Call at the start of the work.",
        fixed=MappingProxyType({"bound": True}),
        always_loaded=True,
    ),
    ToolEntry(
        "agent_heartbeat",
        "agent.heartbeat",
        ("task", "agent_key"),
        "Keep alive",
        "Say that you still work, and on what. Returns hand-offs for you, and files that another work tree changes. "
        "Call between the steps of the work.",
    ),
    ToolEntry(
        "agent_leave",
        "agent.leave",
        ("agent_key",),
        "Leave",
        "End yourself and your leases. Call at the end of the work.",
    ),
    ToolEntry(
        "agent_list",
        "agent.list",
        (),
        "Agents",
        "List the active agents with their tasks and leases, and the pending hand-offs. Call before you choose "
        "what to work on.",
    ),
    ToolEntry(
        "agent_handoff",
        "agent.handoff",
        ("text", "to", "files", "tasks", "agent_key"),
        "Hand off",
        "Leave a note for an agent, a role or anyone, with leases that its taker gets. Call when somebody else is to "
        "go on.",
    ),
    ToolEntry(
        "agent_take",
        "agent.take",
        ("number", "agent_key"),
        "Take a hand-off",
        "Take a hand-off with its leases. Call before you begin the work that it describes.",
    ),
    ToolEntry(
        "lease_claim",
        "lease.claim",
        ("files", "tasks", "wait", "agent_key"),
        "Claim",
        "Claim files and tasks, all or none, so that no other agent works on them. Call before you change a file.",
        always_loaded=True,
    ),
    ToolEntry(
        "lease_release",
        "lease.release",
        ("files", "tasks", "force", "agent_key"),
        "Release",
        "Release leases; without files and tasks, all of yours. Call when a change is committed.",
    ),
    ToolEntry(
        "lease_list",
        "lease.list",
        ("files", "tasks", "token"),
        "Leases",
        "List who works on what. Call with `token` to check that a lease of yours still holds.",
    ),
    ToolEntry(
        "barrier_wait",
        "barrier.wait",
        ("name", "parties", "wait", "agent_key"),
        "Wait for others",
        "Wait until a number of agents has arrived at a named point. Call when the next step needs the work of all.",
    ),
    ToolEntry(
        "publish",
        "event.append",
        ("event_type", "payload"),
        "Publish",
        "Record an event that other agents can wait for. Call when something happened that they need to know.",
    ),
    ToolEntry(
        "subscribe",
        "event.wait",
        ("event_type", "where", "after", "wait"),
        "Subscribe",
        "Wait for events and return them; `last` is `after` of the next call. Call to learn what other agents publish.",
    ),
    ToolEntry(
        "approve",
        "approve",
        ("ids", "note"),
        "Approve",
        "Approve memories that wait. Only for a reviewer whose rights a person granted, and never for its own. Call "
        "after you checked them against the code.",
        required=("ids",),
    ),
    ToolEntry(
        "reject",
        "reject",
        ("ids", "reason"),
        "Reject",
        "Reject memories that wait, with a reason. Only for a reviewer whose rights a person granted. Call when a "
        "memory is wrong.",
        required=("ids",),
    ),
)
