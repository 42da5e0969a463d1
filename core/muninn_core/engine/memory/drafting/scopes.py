"""Scopes: which memories a question sees by scope, session and task, and promotion to a wider scope.

The scopes are session, project and global. `retrieval` has their weights.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from muninn_core.config import Config
from muninn_core.engine.memory.drafting.drafts import cleaned
from muninn_core.errors import BadParams
from muninn_core.model.chunk import Chunk
from muninn_core.model.memory import Memory, Scope
from muninn_core.model.value import to_plain
from muninn_core.protocol.families.memory import PromoteParams
from muninn_core.retrieval.request import Bounds
from muninn_core.source.documents.shortcode import same_code
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.knowledge.documents import SteeringDocuments
from muninn_core.worktree.memories.memory_store import MemoryStore

ORIGIN = "promoted_from"
"""The key in `details` of a promoted memory that holds the id of its source."""

_CARRIED = ("text", "title", "tags", "entities", "questions", "importance", "confidence", "trust", "expires", "details")
"""The fields that a promotion copies."""
_OF_THE_PROJECT = ("files", "cites", "task", "branch", "commit")
"""Fields without meaning in another repository."""


def visible(store: MemoryStore, scope: Scope | None, session: str | None) -> Callable[[Memory], bool]:
    """Return a predicate: whether a question of this scope and session sees a memory.

    A session's notes are visible to that session only, or with `scope` global. A global memory is hidden while this
    repository has its active source.
    """
    own = session or store.session
    here = store.log.state.memories

    def seen(memory: Memory) -> bool:
        if memory.scope == "session":
            return scope == "global" or (scope != "project" and own in (memory.session, *memory.sessions))
        if scope == "session":
            return False
        origin = here.get(str(memory.details.get(ORIGIN))) if memory.scope == "global" else None
        return origin is None or not origin.active

    return seen


def scope_bounds(
    store: MemoryStore,
    library: SteeringDocuments,
    memories: Mapping[str, Memory],
    scope: Scope | None,
    session: str | None,
    task: str | None,
) -> Bounds:
    """Return the bounds of a question. With `task` only the task's memories and its document pass."""
    seen = visible(store, scope, session)
    of_task = on_task(memories, task)

    def admits(chunk: Chunk, memory: Memory | None) -> bool:
        if memory is not None:
            ordinary = memory.scope == "project" and scope != "session"  # as `seen`, without a call
            return (ordinary or seen(memory)) and (of_task is None or memory.task in of_task)
        if scope == "session":
            return False
        document = library.at_path(chunk.path) if task else None
        return not task or (document is not None and same_code(document.short_code, task))

    if of_task is None and scope != "session":
        return Bounds(admits, admits_files=True, admits_project=True)
    wanted = [m for m in memories.values() if seen(m) and (of_task is None or m.task in of_task)]
    return Bounds(admits, wanted)


def on_task(memories: Mapping[str, Memory], task: str | None) -> frozenset[str | None] | None:
    """Return the spellings of a task's id among memories; None without a task."""
    if not task:
        return None
    return frozenset(
        known for known in {memory.task for memory in memories.values()} if known and same_code(known, task)
    )


def promoted(config: Config, memory: Memory, params: PromoteParams, call: CallContext) -> dict[str, Any]:
    """Return the record of a memory in a wider scope, with unchanged trust. Raises BadParams."""
    if not memory.active:
        raise BadParams("only an active memory can be promoted", hint="`muninn restore` restores it.")
    if memory.scope == "global":
        raise BadParams("a global memory is recalled in every project already", hint="There is no wider scope.")
    if params.scope == "project" and not memory.private:
        raise BadParams(
            "this memory is the project's already", hint="`--scope global` copies it to all of your projects."
        )
    plain = to_plain(memory)
    names = _CARRIED if params.scope == "global" else (*_CARRIED, *_OF_THE_PROJECT)
    fields = {name: plain[name] for name in names if plain[name] not in (None, "", [], ())}
    if "cites" in fields:
        fields["cites"] = [{key: part for key, part in cite.items() if part is not None} for cite in fields["cites"]]
    fields["details"] = {**memory.details, ORIGIN: memory.id}
    clean, _ = cleaned(fields, config)
    head = {
        "type": memory.type,
        "actor": call.actor or "user",
        "pinned": memory.pinned or None,
        "author": memory.author or None,
    }
    return {name: value for name, value in {**head, **clean}.items() if value is not None}
