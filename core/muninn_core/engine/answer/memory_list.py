"""Lists memories by filters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from muninn_core.engine.answer.search_context import memories_of
from muninn_core.engine.memory.drafts import check_kind
from muninn_core.engine.memory.lookup import only
from muninn_core.engine.memory.scopes import on_task, visible
from muninn_core.errors import BadParams
from muninn_core.federation.asked import NOBODY, Asked
from muninn_core.model.memory import KINDS, Memory
from muninn_core.model.role import importance_for
from muninn_core.model.value import replace
from muninn_core.protocol.inspection import MemoriesParams, MemoriesResult
from muninn_core.retrieval.decay import has_expired, is_recallable
from muninn_core.retrieval.filters import compile_filters, wrong_value
from muninn_core.retrieval.query_language import Filter
from muninn_core.worktree.memory_order import MemoryOrder
from muninn_core.worktree.paths import relative_path
from muninn_core.worktree.renames import RenameHistory
from muninn_core.worktree.workspace import Workspace


def memories(workspace: Workspace, params: MemoriesParams, now: datetime, asked: Asked = NOBODY) -> MemoriesResult:
    """Return a page of the memories that pass every filter, newest first or by importance.

    The `asked` repositories have no memories about a file of this one. Raises what `memories_of` raises.
    """
    known, saw = memories_of(workspace, params)
    asked = asked.without(known)
    if params.file is None:
        known = asked.memories(known)
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
        recent = _since(params.since, now)
        newest = MemoryOrder(known) if asked else workspace.memory.ordered(known)
        if _has_no_filter(params):
            found = newest.passing(lambda memory: is_recallable(memory, now) and seen(memory))
        else:
            found = [
                memory
                for memory in (newest.every if params.archived or params.pending else newest.active)
                if _passes(memory, params, paths, now)
                and recent(memory)
                and (memory.scope == params.scope if params.scope else seen(memory))
                and (tasks is None or memory.task in tasks)
            ]
        if params.order == "importance":
            found = sorted(found, key=lambda memory: -_importance(memory, params))
    page = tuple(
        replace(memory, expired=True) if has_expired(memory, now) else memory
        for memory in _labelled(workspace, found[params.offset : params.offset + params.limit])
    )
    citations = workspace.citations.checker().judge_all(each for each in page if not each.repository)
    citations |= asked.judge_all(page)
    index = workspace.updater.index if params.file is not None and params.at is None else None
    mentions = workspace.bridge_counts.mentions(index.snapshot(), params.file or "") if index is not None else ()
    origin = workspace.origins.origin_of(params.file) if params.file is not None else ""
    return MemoriesResult(
        memories=page,
        total=len(found) + asked.more,
        order=params.order,
        citations=citations,
        access=access,
        origin=origin,
        mentions=mentions,
        repositories=asked.repositories,
        saw=asked.noted(saw),
    )


def _importance(memory: Memory, params: MemoriesParams) -> int:
    return importance_for(params.role or "", memory.type, memory.importance)


def _labelled(workspace: Workspace, page: Sequence[Memory]) -> Sequence[Memory]:
    """Return the memories with the work states and authors of those of this repository."""
    own = iter(workspace.first_authors.label(workspace.work_states.label(each for each in page if not each.repository)))
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


def _since(given: str | None, now: datetime) -> Callable[[Memory], bool]:
    """Return a predicate: whether a memory changed since a time or a span ago. Raises BadParams for an invalid
    value.
    """
    if given is None:
        return lambda _memory: True
    wrong = wrong_value("since", given, ())
    if wrong:
        raise BadParams(f"'since' is not a time: '{given}'", hint="Write 12h, 3d, 2w or 2026-01-31.")
    return compile_filters((Filter(key="since", values=(given,), source=f"since:{given}"),), now).memory


def _names(rename_history: RenameHistory, params: MemoriesParams, known: Mapping[str, Memory]) -> frozenset[str]:
    """Return the current and former paths of the wanted file; none without one."""
    if params.file is None:
        return frozenset()
    former = rename_history.former_names(params.file, known) if params.at is None else frozenset()
    return former | {params.file}


def _passes(memory: Memory, params: MemoriesParams, paths: frozenset[str], now: datetime) -> bool:
    if params.pending or memory.waits:  # `pending` lists pending memories only; no other list has them
        if not (params.pending and memory.waits):
            return False
    elif not (params.archived or is_recallable(memory, now)):
        return False
    if params.type is not None and memory.type != params.type:
        return False
    if _importance(memory, params) < params.min_importance:
        return False
    if params.tag is not None and params.tag not in memory.tags:
        return False
    if params.session is not None and params.session not in (memory.session, *memory.sessions):
        return False
    if paths and paths.isdisjoint(memory.files) and all(cite.path not in paths for cite in memory.cites):
        return False
    if params.text is not None:
        wanted = params.text.casefold()
        return wanted in memory.text.casefold() or wanted in memory.title.casefold()
    return True
