"""Lists memories by filters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from muninn_core.engine.answer.memory_filters import changed_since, importance, passes
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
    known, saw = memories_of(workspace, params)
    others = others.without(known)
    if params.file is None:
        known = others.memories(known)
    now = workspace.revisions.at(params.at).time if params.at is not None else now
    access = None
    found: Sequence[Memory]
    if params.id is not None:
        found = [known[only(params.id, known, "memory")]]
        access = workspace.access_counts.get(found[0].id)
    else:
        if params.type is not None:
            stored = {memory.type: None for memory in known.values()}
            check_kind(params.type, tuple({**dict.fromkeys((*KINDS, *workspace.config.memory.kinds)), **stored}))
        if params.file is not None:
            params = replace(params, file=relative_path(params.file, workspace.layout.root))
        seen = visible(workspace.memory, None, params.session)
        paths = _names(workspace.rename_history, params, known)
        tasks = on_task(known, params.task)
        recent = changed_since(params.since, now)
        newest = MemoryOrder(known) if others else workspace.memory.ordered(known)
        if _has_no_filter(params):
            found = newest.passing(lambda memory: is_recallable(memory, now) and seen(memory))
        else:
            found = [
                memory
                for memory in (newest.every if params.archived or params.pending else newest.active)
                if passes(memory, params, paths, now)
                and recent(memory)
                and (memory.scope == params.scope if params.scope else seen(memory))
                and (tasks is None or memory.task in tasks)
            ]
        if params.order == "importance":
            found = sorted(found, key=lambda memory: -importance(memory, params))
    page = tuple(
        replace(memory, expired=True) if has_expired(memory, now) else memory
        for memory in _labelled(workspace, found[params.offset : params.offset + params.limit])
    )
    citations = workspace.citations.checker().judge_all(each for each in page if not each.repository)
    citations |= others.judge_all(page)
    index = workspace.updater.index if params.file is not None and params.at is None else None
    mentions = workspace.bridge_counts.mentions(index.snapshot(), params.file or "") if index is not None else ()
    origin = workspace.origins.origin_of(params.file) if params.file is not None else ""
    return MemoriesResult(
        memories=page,
        total=len(found) + others.more,
        order=params.order,
        citations=citations,
        access=access,
        origin=origin,
        mentions=mentions,
        repositories=others.repositories,
        saw=others.noted(saw),
    )


def _labelled(workspace: Workspace, page: Sequence[Memory]) -> Sequence[Memory]:
    """Return the memories with the work states and authors of those of this repository."""
    own = iter(workspace.labelled(each for each in page if not each.repository))
    return [each if each.repository else next(own) for each in page]


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


def _names(rename_history: RenameHistory, params: MemoriesParams, known: Mapping[str, Memory]) -> frozenset[str]:
    """Return the current and former paths of the wanted file; none without one."""
    if params.file is None:
        return frozenset()
    former = rename_history.former_names(params.file, known) if params.at is None else frozenset()
    return former | {params.file}
