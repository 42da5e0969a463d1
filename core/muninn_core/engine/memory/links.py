"""The links between memories on an open work tree: what one leads to, and the whole of it at a glance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from muninn_core.context.hover import headline
from muninn_core.engine.memory.lookup import memory_of
from muninn_core.engine.memory.scopes import visible
from muninn_core.model.memory import Memory
from muninn_core.model.value import replace
from muninn_core.protocol.inspection import (
    LinksParams,
    LinksResult,
    MemoryLink,
    OverviewParams,
    OverviewResult,
    ShowParams,
    ShowResult,
)
from muninn_core.protocol.repository import ProjectStatus
from muninn_core.retrieval.decay import has_expired, is_recallable
from muninn_core.retrieval.link_graph import LinkStep
from muninn_core.source.project import read_project
from muninn_core.store.stamp import timestamp
from muninn_core.worktree.current_task import focus
from muninn_core.worktree.memory_store import MemoryStore
from muninn_core.worktree.workspace import Workspace


def links(workspace: Workspace, params: LinksParams, now: datetime) -> LinksResult:
    """Return what links lead to from a memory. Raises NotFoundError, or UsageError for a prefix of several ids."""
    known = workspace.memory.all()
    web = workspace.memory.link_graph(known)
    start = known[web.speaker(memory_of(known, params.id).id)]
    admits = _admitting(workspace.memory, params, now)
    reached, strands = web.walk([start.id], params.depth, admits)
    if params.relation:  # what only other relations lead to is out of reach
        strands = [each for each in strands if each.link.relation in params.relation]
        reached = _reached(start.id, strands)
    others = sorted((known[each] for each in reached), key=lambda memory: (memory.ts, memory.id), reverse=True)
    others.sort(key=lambda memory: reached[memory.id])
    chosen = others[: params.limit]
    ids = {memory.id for memory in chosen}
    return LinksResult(
        memories=tuple(workspace.work_states.label(chosen)),
        depths=tuple(reached[memory.id] for memory in chosen),
        links=tuple(_told(each) for each in strands if each.source in ids and each.target in ids),
        omitted=len(others) - len(chosen),
        saw=workspace.read_state(),
    )


def show(workspace: Workspace, params: ShowParams, now: datetime) -> ShowResult:
    """Return one memory with what it cites and links to. Raises NotFoundError, or UsageError for an ambiguous prefix.

    Archived, expired and waiting memories are shown too, as are links with them; links of a merged memory are those of
    the memory that it was merged into.
    """
    known = workspace.memory.all()
    (memory,) = workspace.work_states.label([memory_of(known, params.id)])
    seen = visible(workspace.memory, None, None)
    web = workspace.memory.link_graph(known)
    here = web.speaker(memory.id)
    _, steps = web.walk([here], 1, lambda other: seen(other) and not other.redacted and not other.trace)
    ends = dict.fromkeys(end for each in steps for end in (each.source, each.target) if end != here)
    return ShowResult(
        memory=replace(memory, expired=True) if has_expired(memory, now) else memory,
        citations=workspace.citations.checker().judge(memory),
        links=tuple(map(_told, steps)),
        linked={each: headline(known[each]) for each in ends},
        access=workspace.access_counts.get(memory.id),
        saw=workspace.read_state(),
    )


def overview(workspace: Workspace, params: OverviewParams, now: datetime) -> OverviewResult:
    """Return a project's memory at a glance: what is recent, what is important, how it hangs together."""
    known = workspace.memory.all()
    seen = visible(workspace.memory, None, params.session)
    here = [memory for memory in workspace.memory.recallable().values() if seen(memory)]
    after = timestamp(now - timedelta(days=params.days))
    changed = sorted(here, key=lambda memory: (memory.updated or memory.ts, memory.id), reverse=True)
    recent = [memory for memory in changed if (memory.updated or memory.ts) >= after][: params.limit]
    weighty = sorted(changed, key=lambda memory: -memory.importance)
    important = [memory for memory in weighty if memory.importance >= params.importance and memory not in recent]
    important = important[: params.limit]
    shown = {memory.id for memory in (*recent, *important)}
    _, strands = workspace.memory.link_graph(known).walk(
        shown, 1, lambda memory: seen(memory) and is_recallable(memory, now)
    )
    ends = {end for each in strands for end in (each.source, each.target)} - shown
    project = read_project(workspace.layout.root)
    count = sum(len(memory.links) for memory in here)
    return OverviewResult(
        project=ProjectStatus(name=project.name, description=project.description),
        focus=focus(workspace, here, params.session),
        recent=tuple(workspace.work_states.label(recent)),
        important=tuple(workspace.work_states.label(important)),
        links=tuple(map(_told, strands)),
        linked={each: headline(known[each]) for each in sorted(ends)},
        memories=len(here),
        kinds=_counted(memory.type for memory in here),
        scopes=_counted(memory.scope for memory in here),
        density=round(count / len(here), 3) if here else 0.0,
        saw=workspace.read_state(),
    )


def _admitting(store: MemoryStore, params: LinksParams, now: datetime) -> Callable[[Memory], bool]:
    seen = visible(store, None, params.session)
    if params.archived:
        return lambda memory: seen(memory) and not memory.redacted and not memory.trace
    return lambda memory: seen(memory) and is_recallable(memory, now)


def _reached(start: str, strands: Iterable[LinkStep]) -> dict[str, int]:
    """Return {id: steps} by some links alone, which come in the order of their steps."""
    found, told = {start: 0}, list(strands)
    step = 0
    while True:
        step += 1
        ends = {
            each.beyond(here)
            for here, depth in found.items()
            if depth == step - 1
            for each in told
            if here in (each.source, each.target)
        } - found.keys()
        if not ends:
            return found
        found |= dict.fromkeys(ends, step)


def _told(strand: LinkStep) -> MemoryLink:
    link = strand.link
    return MemoryLink(
        source=strand.source,
        relation=link.relation,
        target=strand.target,
        strength=link.strength,
        depth=strand.depth,
        reason=link.reason,
        by=link.by,
    )


def _counted(words: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(words).items(), key=lambda pair: (-pair[1], pair[0])))
