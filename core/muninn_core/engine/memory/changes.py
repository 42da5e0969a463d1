"""Changes of one record: archive, restore, promote, and resolve a conflict."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from muninn_core.config import Config
from muninn_core.engine.memory import scopes
from muninn_core.engine.memory.drafts import cleaned, derived_title
from muninn_core.engine.memory.lookup import conflicts, memory_of
from muninn_core.errors import BadParams
from muninn_core.protocol.memory import ForgetParams, ForgetResult, PromoteParams, PromoteResult
from muninn_core.protocol.reconciliation import ResolveParams, ResolveResult
from muninn_core.worktree.call import Call
from muninn_core.worktree.memory_store import MemoryStore
from muninn_core.worktree.workspace import Workspace


def append_change(
    config: Config, store: MemoryStore, call: Call, session: str | None, kind: str, **fields: Any
) -> None:
    """Append one change, masked, to the log that holds its `target`; to the work tree's log without a target."""
    clean, _ = cleaned(fields, config)
    target = store.all().get(str(fields.get("target")))
    scope = target.scope if target is not None else "project"
    store.append([{"type": kind, "actor": call.actor or "user", **clean}], session, scope=scope)


def forget(workspace: Workspace, params: ForgetParams, call: Call) -> ForgetResult:
    """Archive a memory, or restore it. Raises NotFoundError, or UsageError for an ambiguous id."""
    workspace.memory.refresh_shared()
    memory = memory_of(workspace.memory.all(), params.id)
    kind = "restore" if params.restore else "archive"
    append_change(
        workspace.config, workspace.memory, call, params.session, kind, target=memory.id, reason=params.reason
    )
    return ForgetResult(memory=workspace.memory.all()[memory.id], saw=workspace.read_state())


def promote(workspace: Workspace, params: PromoteParams, call: Call, ids: Callable[[], str]) -> PromoteResult:
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


def resolve(workspace: Workspace, params: ResolveParams, call: Call) -> ResolveResult:
    """Decide a conflict. Raises NotFoundError, or BadParams for `text` with `keep` both."""
    if params.text and params.keep == "both":
        raise BadParams("'text' rewords the side that is kept", hint="Keep left or right, or leave 'text' out.")
    (conflict,) = conflicts(workspace.memory.log.state, params.id)
    kept = conflict.left if params.keep == "left" else conflict.right
    wording = {"text": params.text, **derived_title(kept, params.text)} if params.text else {}
    append_change(
        workspace.config,
        workspace.memory,
        call,
        params.session,
        "resolve",
        conflict=conflict.id,
        keep=params.keep,
        **wording,
    )
    memories = workspace.memory.log.state.memories
    return ResolveResult(
        conflict=conflict.id,
        left=memories[conflict.left.id],
        right=memories[conflict.right.id],
        saw=workspace.read_state(),
    )
