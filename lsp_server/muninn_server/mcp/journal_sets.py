"""The tool sets of the journal as plain data.

`events` has the nine tools of a memory server for events and decisions, `hub` the tools of the protocol of turns
("Memory Hub v1 Architecture", "MCP Tool Contract"), `kindling` the operations of that project's core (its
ARCHITECTURE.md, "Key Interfaces").
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from muninn_server.mcp.tool_entry import ToolEntry

_SCOPE: Mapping[str, str] = MappingProxyType(
    {
        "scopeIds": "scope",
        "scopeIds.sessionId": "scope.session",
        "scopeIds.repoId": "scope.repository",
        "scopeIds.agentId": "scope.agent",
        "scopeIds.userId": "scope.user",
    }
)
_SCOPE_SCHEMA: Mapping[str, Any] = MappingProxyType(
    {
        "scopeIds": {
            "description": "The scope's ids.",
            "properties": {name: {"type": "string"} for name in ("sessionId", "repoId", "agentId", "userId")},
            "additionalProperties": False,
        }
    }
)
_CAPSULE: Mapping[str, str] = MappingProxyType({"capsuleId": "id"})

KINDLING = (
    ToolEntry(
        "openCapsule",
        "capsule.open",
        ("type", "intent", "scopeIds", "parent"),
        "Open a capsule",
        "Open a capsule, which collects the observations of a session, a task or a step. Call when the work begins.",
        renamed=_SCOPE,
        schemas=_SCOPE_SCHEMA,
    ),
    ToolEntry(
        "closeCapsule",
        "capsule.close",
        ("capsuleId", "summary"),
        "Close a capsule",
        "Close a capsule with a summary. Call when the work ends. Close the capsules inside it first.",
        renamed=_CAPSULE,
    ),
    ToolEntry(
        "appendObservation",
        "capsule.observe",
        ("capsuleId", "kind", "content", "details"),
        "Record an observation",
        "Record an observation in an open capsule: a tool call, a command, a change, an error or a message. Call when "
        "something happened that the work depends on. Never store secrets.",
        renamed=MappingProxyType({**_CAPSULE, "content": "text"}),
    ),
    ToolEntry(
        "summarise",
        "capsule.summarise",
        ("capsuleId", "content"),
        "Summarise a capsule",
        "Record a summary of an open capsule. The latest one is part of each retrieval. Call after a step of the work.",
        renamed=MappingProxyType({**_CAPSULE, "content": "text"}),
    ),
    ToolEntry(
        "pin",
        "capsule.pin",
        ("id", "scopeIds", "reason", "remove"),
        "Pin an observation",
        "Pin an observation in a scope, so that each retrieval there returns it. Call for what must not be forgotten; "
        "with `remove` when it no longer matters.",
        renamed=_SCOPE,
        schemas=_SCOPE_SCHEMA,
    ),
    ToolEntry(
        "retrieve",
        "capsule.retrieve",
        ("query", "scopeIds", "tokenBudget", "limit"),
        "Retrieve",
        "Return the pins of a scope, the latest summaries of its open capsules, then observations that match the query "
        "within the token budget. Call before you continue earlier work.",
        always_loaded=True,
        renamed=MappingProxyType({**_SCOPE, "tokenBudget": "token_budget"}),
        schemas=_SCOPE_SCHEMA,
    ),
    ToolEntry(
        "listCapsules",
        "capsule.list",
        ("scopeIds", "status"),
        "List capsules",
        "List the capsules of a scope, the last opened first. Call to find an open capsule or its id.",
        renamed=_SCOPE,
        schemas=_SCOPE_SCHEMA,
    ),
)

EVENTS = (
    ToolEntry(
        "store_event",
        "event.append",
        ("event_type", "description", "data", "timestamp", "metadata", "session_id"),
        "Store an event",
        "Record that something happened. It is searched by its words and their meaning. Call after something that a "
        "later session may ask for. Never store secrets.",
        renamed=MappingProxyType(
            {
                "data": "payload",
                "timestamp": "occurred_at",
                "description": "payload.description",
                "metadata": "payload.metadata",
            }
        ),
        schemas=MappingProxyType(
            {
                "data": {"description": "Its fields: any JSON object."},
                "description": {"type": "string", "description": "What happened, in words."},
                "metadata": {"type": "object", "description": "Where it comes from."},
            }
        ),
    ),
    ToolEntry(
        "get_recent_events",
        "event.query",
        ("limit", "event_type", "session_id"),
        "Recent events",
        "List the newest events. Call to see what happened last.",
    ),
    ToolEntry(
        "query_events",
        "event.query",
        ("event_type", "where", "since", "until", "session_id", "limit", "before"),
        "Query events",
        "Find events by type, fields and time, newest first. Call when you know what they have in common.",
    ),
    ToolEntry(
        "semantic_search",
        "event.query",
        ("query", "event_type", "since", "until", "limit"),
        "Search events",
        "Find events by words and by meaning, best first. Call to find out what happened before in such a case.",
        renamed=MappingProxyType({"query": "text"}),
        required=("query",),
    ),
    ToolEntry(
        "store_pattern",
        "pattern.record",
        ("pattern_type", "description", "confidence", "data"),
        "Store a pattern",
        "Record something that recurs. The same pattern again counts as another occurrence. Call when you see one.",
        renamed=MappingProxyType({"pattern_type": "type"}),
    ),
    ToolEntry(
        "get_patterns",
        "projections.show",
        ("where", "limit"),
        "Patterns",
        "List patterns with first_seen, last_seen, occurrence_count and confidence: stated ones, commands that keep "
        'failing, repeated corrections. `where` compares columns: {"type": "failing_command"}. Call before you repeat '
        "a way of working.",
        fixed=MappingProxyType({"table": "patterns"}),
    ),
    ToolEntry(
        "store_decision",
        "decision.record",
        ("action", "reasoning", "context", "outcome", "success"),
        "Store a decision",
        "Record what was decided and why, with its outcome if it is known. Call after a decision.",
        renamed=MappingProxyType({"action": "title", "reasoning": "rationale"}),
    ),
    ToolEntry(
        "get_recent_decisions",
        "decision.list",
        ("limit", "since", "status"),
        "Recent decisions",
        "List decisions with reason, state and outcome, newest first. Call before you decide something similar.",
    ),
    ToolEntry(
        "get_statistics",
        "event.statistics",
        ("since", "until"),
        "Statistics",
        "Count events by type, actor, source and day, and turns by state. Call to see how much is recorded.",
    ),
)

_TURN = ("project_id", "session_id", "turn_id", "ack_token")
_PROTECTED: Mapping[str, Any] = MappingProxyType({"require_turn": True})
_DECISION = ("title", "rationale", "decision_id", "status", "edges", "artifacts", "idempotency_key")

HUB = (
    ToolEntry(
        "turn.begin",
        "turn.begin",
        ("project_id", "session_id", "turn_id"),
        "Begin a turn",
        "Begin a turn and return its ack_token, which the other writing tools need. Call at the start of each turn.",
    ),
    ToolEntry(
        "event.append",
        "event.append",
        (*_TURN, "event_type", "payload", "actor", "idempotency_key", "trace_id"),
        "Append an event",
        "Record an event of an open turn. Call for each message, tool call and result.",
        fixed=_PROTECTED,
        required=("project_id",),
    ),
    ToolEntry(
        "turn.end",
        "turn.end",
        (*_TURN, "outcome"),
        "End a turn",
        "End a turn; its ack_token is not valid any more. Call at the end of each turn.",
    ),
    ToolEntry(
        "memory.search",
        "event.query",
        ("project_id", "query", "event_type", "since", "until", "limit"),
        "Search the journal",
        "Find events of a project by words and by meaning, best first. Call to find out what happened before.",
        fixed=MappingProxyType({"id": ""}),
        renamed=MappingProxyType({"query": "text"}),
        required=("project_id", "query"),
    ),
    ToolEntry(
        "context.pack",
        "journal.context",
        ("project_id", "session_id", "query", "token_budget", "turns", "facts", "decisions"),
        "Context of a turn",
        "Return the active decisions of a project, its facts and its recent turns, within a token budget. Call at the "
        "start of a turn.",
        required=("project_id",),
    ),
    ToolEntry(
        "decision.record",
        "decision.record",
        (*_TURN, *_DECISION),
        "Record a decision",
        "Record a decision of an open turn. It can't be changed, only superseded. Call when something was decided.",
        fixed=_PROTECTED,
        required=("project_id",),
    ),
    ToolEntry(
        "decision.supersede",
        "decision.supersede",
        (*_TURN, "supersedes", *_DECISION),
        "Supersede a decision",
        "Record a decision of an open turn that takes the place of an earlier one. Call when one no longer holds.",
        fixed=_PROTECTED,
        required=("project_id",),
    ),
    ToolEntry(
        "audit.replay",
        "audit.replay",
        ("project_id", "stream", "since", "until", "after", "limit"),
        "Replay events",
        "Return the events of a stream or a time in their order, as lines of JSON: the same each time. Call to see "
        "exactly what was recorded.",
        fixed=MappingProxyType({"path": ""}),
        required=("project_id",),
    ),
)
HUB_UNDERSCORE = tuple(entry._replace(name=entry.name.replace(".", "_")) for entry in HUB)
"""The same tools for clients that refuse dots in names."""
