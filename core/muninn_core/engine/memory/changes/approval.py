"""Approves and rejects memories. An agent cannot approve its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from muninn_core.config import Config
from muninn_core.engine.memory.drafting.drafts import cleaned
from muninn_core.engine.memory.lookup import memory_of
from muninn_core.errors import RefusedError, UsageError
from muninn_core.model.memory import Memory
from muninn_core.protocol.families.review import ApproveParams, RejectParams
from muninn_core.store.records.approval import may_approve
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.memories.memory_store import MemoryStore


def approve(config: Config, store: MemoryStore, params: ApproveParams, call: CallContext) -> tuple[Memory, ...]:
    """Approve memories, all or none, and return them. Raises RefusedError for one that the caller may not approve."""
    decision = _decision_fields(config, store, params, call, "approve", params.note)
    chosen = _chosen(store, params.ids)
    records = store.log.records
    for memory in chosen:
        if memory.review != "approved" and not may_approve(records[memory.id].data, decision):
            raise RefusedError(
                f"an agent can't approve its own: {memory.id} needs a user, or another program in another session",
                hint="A person approves it: `muninn approve` in a terminal of their own.",
            )
        if memory.review == "rejected" and decision["actor"] != "user":
            raise RefusedError(
                f"{memory.id} was rejected; only a person approves it after that",
                hint=f"The person runs `muninn approve {memory.id}`.",
            )
    return _store(store, decision, chosen, "approved")


def reject(config: Config, store: MemoryStore, params: RejectParams, call: CallContext) -> tuple[Memory, ...]:
    """Reject memories, all or none, and return them. Raises UsageError for one that never needed approval."""
    decision = _decision_fields(config, store, params, call, "reject", params.reason)
    return _store(store, decision, _chosen(store, params.ids), "rejected")


def _decision_fields(
    config: Config, store: MemoryStore, params: ApproveParams | RejectParams, call: CallContext, kind: str, reason: str
) -> dict[str, Any]:
    """Return the fields that all records of a decision share: kind, author, session and reason."""
    clean, _ = cleaned({"reason": reason.strip()}, config)
    decision = {"type": kind, "actor": call.actor or params.actor, "agent": params.agent, **clean}
    decision["session"] = params.session or store.session
    return {name: value for name, value in decision.items() if value}


def _chosen(store: MemoryStore, ids: Sequence[str]) -> list[Memory]:
    state = store.log.state
    chosen = {memory.id: memory for memory in (memory_of(state.memories, prefix) for prefix in ids)}
    for memory in chosen.values():
        if not memory.review:
            raise UsageError(
                f"{memory.id} does not wait for an approval",
                hint="`muninn memories --pending` lists pending memories; `muninn forget` archives any memory.",
            )
        if memory.redacted:
            raise UsageError(f"{memory.id} was redacted: there is nothing left to decide")
    return list(chosen.values())


def _store(store: MemoryStore, decision: dict[str, Any], chosen: list[Memory], review: str) -> tuple[Memory, ...]:
    changes = [{**decision, "target": memory.id} for memory in chosen if memory.review != review]
    if changes:
        store.append(changes, decision["session"])
    state = store.log.state
    return tuple(state.memories[memory.id] for memory in chosen)
