"""Lists memories by filters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from muninn_core.engine.answer.memory_filters import changed_since, importance, passes, unmatched
from muninn_core.engine.answer.search_context import memories_of
from muninn_core.engine.memory.drafting.drafts import check_kind
from muninn_core.engine.memory.drafting.scopes import on_task, visible
from muninn_core.engine.memory.lookup import only
from muninn_core.federation.searched_repositories import NO_REPOSITORIES, SearchedRepositories
from muninn_core.model.memory import KINDS, Memory
from muninn_core.model.value import replace
from muninn_core.protocol.families.inspection import MemoriesParams, MemoriesResult
from muninn_core.retrieval.decay import has_expired, is_recallable
from muninn_core.worktree.history.renames import RenameHistory
from muninn_core.worktree.memories.memory_order import MemoryOrder
from muninn_core.worktree.paths import relative_path
from muninn_core.worktree.workspace import Workspace


def memories(
    workspace: Workspace, params: MemoriesParams, now: datetime, others: SearchedRepositories = NO_REPOSITORIES
) -> MemoriesResult:
    """Return a page of the memories that pass every filter, newest first or by importance.

    The `others` repositories have no memories about a file of this one. Raises what `memories_of` raises.
    """
    by_id, saw = memories_of(workspace, params)
    others = others.without(by_id)
    if params.file is None:
        by_id = others.memories(by_id)
    now = workspace.revisions.at(params.at).time if params.at is not None else now
    access = None
    listed: Sequence[Memory]
    if params.id is not None:
        listed = [by_id[only(params.id, by_id, "memory")]]
        access = workspace.access_counts.get(listed[0].id)
    else:
        _check_type(workspace, params.type, by_id)
        if params.file is not None:
            params = replace(params, file=relative_path(params.file, workspace.layout.root))
        order = MemoryOrder(by_id) if others else workspace.memory.ordered(by_id)
        listed = _filtered(workspace, params, by_id, order, now)
    page = tuple(
        replace(memory, expired=True) if has_expired(memory, now) else memory
        for memory in _labelled(workspace, listed[params.offset : params.offset + params.limit])
    )
    citations = workspace.citations.checker().judge_all(memory for memory in page if not memory.repository)
    citations |= others.judge_all(page)
    index = workspace.updater.index if params.file is not None and params.at is None else None
    mentions = workspace.bridge_counts.mentions(index.snapshot(), params.file or "") if index is not None else ()
    origin = workspace.origins.origin_of(params.file) if params.file is not None else ""
    return MemoriesResult(
        memories=page,
        total=len(listed) + others.more,
        order=params.order,
        citations=citations,
        access=access,
        origin=origin,
        mentions=mentions,
        notes=() if listed else unmatched(params, by_id.values()),
        repositories=others.repositories,
        saw=others.noted(saw),
    )


def _check_type(workspace: Workspace, wanted: str | None, by_id: Mapping[str, Memory]) -> None:
    """Raise BadParams for a type that Muninn does not define, the configuration does not name and no memory has."""
    if wanted is not None:
        stored = {memory.type: None for memory in by_id.values()}
        check_kind(wanted, tuple({**dict.fromkeys((*KINDS, *workspace.config.memory.kinds)), **stored}))


def _filtered(
    workspace: Workspace, params: MemoriesParams, by_id: Mapping[str, Memory], order: MemoryOrder, now: datetime
) -> Sequence[Memory]:
    """Return the memories that pass every filter, in the order that `params` names. Raises BadParams."""
    seen = visible(workspace.memory, None, params.session)
    paths = _names(workspace.rename_history, params, by_id)
    tasks = on_task(by_id, params.task)
    recent = changed_since(params.since, now)
    passing: Sequence[Memory]
    if _has_no_filter(params):
        passing = order.passing(lambda memory: is_recallable(memory, now) and seen(memory))
    else:
        passing = [
            memory
            for memory in (order.every if params.archived or params.pending else order.active)
            if passes(memory, params, paths, now)
            and recent(memory)
            and (memory.scope == params.scope if params.scope else seen(memory))
            and (tasks is None or memory.task in tasks)
        ]
    if params.order == "importance":
        return sorted(passing, key=lambda memory: -importance(memory, params))
    return passing


def _labelled(workspace: Workspace, page: Sequence[Memory]) -> Sequence[Memory]:
    """Return the memories with the work states and authors of those of this repository."""
    own = iter(workspace.labelled(memory for memory in page if not memory.repository))
    return [memory if memory.repository else next(own) for memory in page]


def _has_no_filter(params: MemoriesParams) -> bool:
    """Whether the parameters set no filter, so that every visible memory is listed."""
    plain = MemoriesParams(
        order=params.order,
        limit=params.limit,
        offset=params.offset,
        at=params.at,
        branches=params.branches,
        role=params.role,
        repos=params.repos,
    )
    return params == plain


def _names(rename_history: RenameHistory, params: MemoriesParams, by_id: Mapping[str, Memory]) -> frozenset[str]:
    """Return the current and former paths of the wanted file; none without one."""
    if params.file is None:
        return frozenset()
    former = rename_history.former_names(params.file, by_id) if params.at is None else frozenset()
    return former | {params.file}
