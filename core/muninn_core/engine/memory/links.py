"""The links between memories: what a memory links to, one memory in full, and an overview of all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta

from muninn_core.context.hover import headline
from muninn_core.engine.memory.lookup import memory_of
from muninn_core.engine.memory.scopes import visible
from muninn_core.model.memory import Memory
from muninn_core.model.value import replace
from muninn_core.protocol.inspection import (
    FileCount,
    LinksParams,
    LinksResult,
    MemoryLink,
    OverviewParams,
    OverviewResult,
    ShowParams,
    ShowResult,
)
from muninn_core.protocol.repository import ProjectStatus
from muninn_core.protocol.session import GivenCounts
from muninn_core.retrieval.decay import has_expired, is_recallable
from muninn_core.retrieval.link_graph import LinkStep
from muninn_core.source.project import read_project
from muninn_core.store.stamp import timestamp
from muninn_core.worktree.current_task import focus
from muninn_core.worktree.memory_store import MemoryStore
from muninn_core.worktree.renames import RenameHistory
from muninn_core.worktree.workspace import Workspace

WEEKS = 12
"""The weeks of an overview."""

NEWEST = 3
"""The memories of an overview in which nothing is recent and nothing important."""

FILES = 8
"""The files of an overview."""


def links(workspace: Workspace, params: LinksParams, now: datetime) -> LinksResult:
    """Return the memories that links reach from a memory. Raises NotFoundError, or UsageError for an ambiguous
    prefix.
    """
    known = workspace.memory.all()
    web = workspace.memory.link_graph(known)
    start = known[web.resolve_merged(memory_of(known, params.id).id)]
    admits = _admitting(workspace.memory, params, now)
    reached, steps = web.walk([start.id], params.depth, admits)
    if params.relation:  # drop memories reached over other relations only
        steps = [each for each in steps if each.link.relation in params.relation]
        reached = _reached(start.id, steps)
    others = sorted((known[each] for each in reached), key=lambda memory: (memory.ts, memory.id), reverse=True)
    others.sort(key=lambda memory: reached[memory.id])
    chosen = others[: params.limit]
    ids = {memory.id for memory in chosen}
    return LinksResult(
        memories=workspace.first_authors.label(workspace.work_states.label(chosen)),
        depths=tuple(reached[memory.id] for memory in chosen),
        links=tuple(_memory_link(each) for each in steps if each.source in ids and each.target in ids),
        omitted=len(others) - len(chosen),
        saw=workspace.read_state(),
    )


def show(workspace: Workspace, params: ShowParams, now: datetime, given: Callable[[Memory], GivenCounts]) -> ShowResult:
    """Return one memory with its citations, its links, and how often it was given.

    Raises NotFoundError, or UsageError for an ambiguous prefix.

    Archived, expired and pending memories and links to them are shown too. A merged memory has the links of the memory
    that it was merged into.
    """
    known = workspace.memory.all()
    (memory,) = workspace.first_authors.label(workspace.work_states.label([memory_of(known, params.id)]))
    seen = visible(workspace.memory, None, None)
    web = workspace.memory.link_graph(known)
    here = web.resolve_merged(memory.id)
    _, steps = web.walk([here], 1, lambda other: seen(other) and not other.redacted and not other.trace)
    ends = dict.fromkeys(end for each in steps for end in (each.source, each.target) if end != here)
    return ShowResult(
        memory=replace(memory, expired=True) if has_expired(memory, now) else memory,
        citations=workspace.citations.checker().judge(memory),
        links=tuple(map(_memory_link, steps)),
        linked={each: headline(known[each]) for each in ends},
        access=workspace.access_counts.get(memory.id),
        given=given(memory),
        saw=workspace.read_state(),
    )


def overview(workspace: Workspace, params: OverviewParams, now: datetime) -> OverviewResult:
    """Return a summary of the project's memory: recent and important memories, their links, and counts."""
    known = workspace.memory.all()
    seen = visible(workspace.memory, None, params.session)
    here = [memory for memory in workspace.memory.recallable().values() if seen(memory)]
    after = timestamp(now - timedelta(days=params.days))
    changed = sorted(here, key=lambda memory: (memory.updated or memory.ts, memory.id), reverse=True)
    recent = [memory for memory in changed if (memory.updated or memory.ts) >= after][: params.limit]
    by_importance = sorted(changed, key=lambda memory: -memory.importance)
    important = [memory for memory in by_importance if memory.importance >= params.importance and memory not in recent]
    important = important[: params.limit]
    recent = recent or ([] if important else changed[: min(NEWEST, params.limit)])
    shown = {memory.id for memory in (*recent, *important)}
    _, steps = workspace.memory.link_graph(known).walk(
        shown, 1, lambda memory: seen(memory) and is_recallable(memory, now)
    )
    ends = {end for each in steps for end in (each.source, each.target)} - shown
    project = read_project(workspace.layout.root)
    count = sum(len(memory.links) for memory in here)
    return OverviewResult(
        project=ProjectStatus(name=project.name, description=project.description),
        focus=focus(workspace, here, params.session),
        recent=workspace.first_authors.label(workspace.work_states.label(recent)),
        important=workspace.first_authors.label(workspace.work_states.label(important)),
        links=tuple(map(_memory_link, steps)),
        linked={each: headline(known[each]) for each in sorted(ends)},
        memories=len(here),
        kinds=_counted(memory.type for memory in here),
        scopes=_counted(memory.scope for memory in here),
        density=round(count / len(here), 3) if here else 0.0,
        weeks=_weeks(here, now),
        files=_files(workspace.rename_history, known, here),
        saw=workspace.read_state(),
    )


def _weeks(memories: Iterable[Memory], now: datetime) -> tuple[int, ...]:
    """Return the number of memories made in each of the last weeks, oldest first."""
    counts = [0] * WEEKS
    for memory in memories:
        age = (now - datetime.fromisoformat(memory.ts)).days // 7
        if 0 <= age < WEEKS:
            counts[WEEKS - 1 - age] += 1
    return tuple(counts)


def _files(renames: RenameHistory, known: Mapping[str, Memory], memories: Iterable[Memory]) -> tuple[FileCount, ...]:
    """Return the files with the most memories; those of its former names count for a renamed file."""
    about: dict[str, set[str]] = {}
    for memory in memories:
        for path in (*memory.files, *(cite.path for cite in memory.cites)):
            about.setdefault(path, set()).add(memory.id)
    for path in sorted(about, key=lambda path: (-len(about[path]), path))[: 4 * FILES]:
        for former in renames.former_names(path, known):
            about.get(path, set()).update(about.pop(former, ()))
    ranked = sorted(about.items(), key=lambda pair: (-len(pair[1]), pair[0]))[:FILES]
    return tuple(FileCount(path=path, memories=len(ids)) for path, ids in ranked)


def _admitting(store: MemoryStore, params: LinksParams, now: datetime) -> Callable[[Memory], bool]:
    seen = visible(store, None, params.session)
    if params.archived:
        return lambda memory: seen(memory) and not memory.redacted and not memory.trace
    return lambda memory: seen(memory) and (is_recallable(memory, now) or _was_recallable(memory, now))


def _was_recallable(memory: Memory, now: datetime) -> bool:
    """Whether only a newer memory keeps a memory from being recalled. The link between the two explains both."""
    return memory.superseded_by is not None and is_recallable(replace(memory, superseded_by=None), now)


def _reached(start: str, steps: Iterable[LinkStep]) -> dict[str, int]:
    """Return {id: number of steps} over the given links, which are in the order of their steps."""
    found, links = {start: 0}, list(steps)
    distance = 0
    while True:
        distance += 1
        ends = {
            each.beyond(here)
            for here, depth in found.items()
            if depth == distance - 1
            for each in links
            if here in (each.source, each.target)
        } - found.keys()
        if not ends:
            return found
        found |= dict.fromkeys(ends, distance)


def _memory_link(step: LinkStep) -> MemoryLink:
    link = step.link
    return MemoryLink(
        source=step.source,
        relation=link.relation,
        target=step.target,
        strength=link.strength,
        depth=step.depth,
        reason=link.reason,
        by=link.by,
    )


def _counted(words: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(words).items(), key=lambda pair: (-pair[1], pair[0])))
