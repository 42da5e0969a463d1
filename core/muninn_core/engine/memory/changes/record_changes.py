"""Changes of one record: archive, restore, promote, and resolve a conflict."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from muninn_core.config import Config
from muninn_core.engine.memory.drafting import scopes
from muninn_core.engine.memory.drafting.drafts import cleaned, derived_title
from muninn_core.engine.memory.lookup import conflicts, memory_of
from muninn_core.errors import BadParams, RefusedError, UsageError
from muninn_core.model.memory import Memory
from muninn_core.protocol.families.memory import ForgetParams, ForgetResult, PromoteParams, PromoteResult
from muninn_core.protocol.families.reconciliation import ResolveParams, ResolveResult
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.memories.memory_store import MemoryStore
from muninn_core.worktree.workspace import Workspace


def append_change(
    config: Config, store: MemoryStore, call: CallContext, session: str | None, kind: str, **fields: Any
) -> None:
    """Append one change, masked, to the log that holds its `target`; to the work tree's log without a target."""
    clean, _ = cleaned(fields, config)
    target = store.all().get(str(fields.get("target")))
    scope = target.scope if target is not None else "project"
    store.append([{"type": kind, "actor": call.actor or "user", **clean}], session, scope=scope)


def forget(workspace: Workspace, params: ForgetParams, call: CallContext) -> ForgetResult:
    """Archive a memory, or restore it. Raises NotFoundError, or UsageError for an ambiguous id.

    `restore` puts a memory in force again that was archived, merged, rejected or superseded. Raises UsageError for one
    that was redacted, RefusedError for an agent that undoes a person's decision.
    """
    store = workspace.memory
    store.refresh_shared()
    memory = memory_of(store.all(), params.id)
    kinds = _restoring(store, memory, call) if params.restore else () if memory.archived else ("archive",)
    for kind in kinds:
        fields = {"by": None} if kind == "supersede" else {}
        append_change(
            workspace.config, store, call, params.session, kind, target=memory.id, reason=params.reason, **fields
        )
    return ForgetResult(memory=store.all()[memory.id], changed=bool(kinds), saw=workspace.read_state())


def _restoring(store: MemoryStore, memory: Memory, call: CallContext) -> tuple[str, ...]:
    """Return the kinds of change that put a memory in force again; none for one that is in force."""
    if memory.redacted:
        raise UsageError(f"{memory.id} was redacted: its text is gone", hint="Remember the fact again.")
    if memory.superseded_by and (call.actor or "user") != "user" and _lost(store, memory):
        raise RefusedError(
            f"a person decided against {memory.id}; an agent can't undo that",
            hint=f"The person restores it: `muninn restore {memory.id}`.",
        )
    found = ["restore"] if memory.archived or memory.merged_into or memory.review == "rejected" else []
    return (*found, *(["supersede"] if memory.superseded_by else []))


def _lost(store: MemoryStore, memory: Memory) -> bool:
    """Whether a memory is the side of a conflict that a person did not keep."""
    losers = {"left": "right", "right": "left"}
    return any(
        getattr(dispute, losers[dispute.keep]) == memory.id
        for dispute in store.log.state.disputes
        if dispute.keep in losers
    )


def promote(workspace: Workspace, params: PromoteParams, call: CallContext, ids: Callable[[], str]) -> PromoteResult:
    """Store a memory again in a wider scope, and archive a session's private note. Raises BadParams.

    Both records of a note that becomes the project's are stored in one call, all or none.
    """
    store = workspace.memory
    store.refresh_shared()
    memory = memory_of(store.all(), params.id)
    store.log_of(params.scope)  # refuse an absent global log before anything else
    promoted = {**scopes.promoted(workspace.config, memory, params, call), "id": ids()}
    reason = f"promoted to {promoted['id']}"
    archived = {"type": "archive", "actor": call.actor or "user", "target": memory.id, "reason": reason}
    if memory.private and params.scope == "project":
        store.append([promoted, archived], params.session)
    else:
        store.append([promoted], params.session, scope=params.scope)
        if memory.private:
            store.append([archived], params.session)
    return PromoteResult(memory=store.all()[promoted["id"]], source=memory.id, saw=workspace.read_state())


def resolve(workspace: Workspace, params: ResolveParams, call: CallContext) -> ResolveResult:
    """Decide a conflict, also one that was decided before: the later decision counts.

    Raises NotFoundError, or BadParams for `text` with `keep` both.
    """
    if params.text and params.keep == "both":
        raise BadParams("'text' rewords the side that is kept", hint="Keep left or right, or leave 'text' out.")
    store = workspace.memory
    (conflict,) = conflicts(store.log.state, params.id)
    kept = conflict.left if params.keep == "left" else conflict.right
    wording = {"text": params.text, **derived_title(kept, params.text)} if params.text else {}
    lost = {"left": conflict.right, "right": conflict.left}.get(params.keep)
    in_force = lost is None and not (conflict.left.superseded_by or conflict.right.superseded_by)
    changed = bool(wording) or conflict.keep != params.keep or not (in_force or (lost is not None and not lost.active))
    if changed:
        append_change(
            workspace.config,
            store,
            call,
            params.session,
            "resolve",
            conflict=conflict.id,
            keep=params.keep,
            **wording,
        )
    memories = store.log.state.memories
    return ResolveResult(
        conflict=conflict.id,
        left=memories[conflict.left.id],
        right=memories[conflict.right.id],
        before=conflict.keep,
        changed=changed,
        saw=workspace.read_state(),
    )
