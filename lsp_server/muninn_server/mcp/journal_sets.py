"""The tool sets of the journal as plain data.

`kindling` has the operations of that project's core (its ARCHITECTURE.md, "Key Interfaces").
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from muninn_server.mcp.entry import Entry

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
    Entry(
        "openCapsule",
        "capsule.open",
        ("type", "intent", "scopeIds", "parent"),
        "Open a capsule",
        "Open a capsule, which collects the observations of a session, a task or a step. Call when the work begins.",
        renamed=_SCOPE,
        schemas=_SCOPE_SCHEMA,
    ),
    Entry(
        "closeCapsule",
        "capsule.close",
        ("capsuleId", "summary"),
        "Close a capsule",
        "Close a capsule with a summary. Call when the work ends. Close the capsules inside it first.",
        renamed=_CAPSULE,
    ),
    Entry(
        "appendObservation",
        "capsule.observe",
        ("capsuleId", "kind", "content", "details"),
        "Record an observation",
        "Record an observation in an open capsule: a tool call, a command, a change, an error or a message. Call when "
        "something happened that the work depends on. Never store secrets.",
        renamed=MappingProxyType({**_CAPSULE, "content": "text"}),
    ),
    Entry(
        "summarise",
        "capsule.summarise",
        ("capsuleId", "content"),
        "Summarise a capsule",
        "Record a summary of an open capsule. The latest one is part of each retrieval. Call after a step of the work.",
        renamed=MappingProxyType({**_CAPSULE, "content": "text"}),
    ),
    Entry(
        "pin",
        "capsule.pin",
        ("id", "scopeIds", "reason", "remove"),
        "Pin an observation",
        "Pin an observation in a scope, so that each retrieval there returns it. Call for what must not be forgotten; "
        "with `remove` when it no longer matters.",
        renamed=_SCOPE,
        schemas=_SCOPE_SCHEMA,
    ),
    Entry(
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
    Entry(
        "listCapsules",
        "capsule.list",
        ("scopeIds", "status"),
        "List capsules",
        "List the capsules of a scope, the last opened first. Call to find an open capsule or its id.",
        renamed=_SCOPE,
        schemas=_SCOPE_SCHEMA,
    ),
)
