"""Traverses the links of a mapping of memories, and summarises the mapping.

A repository's daemon and an organisation's server call these functions with the memories that their caller may see.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from muninn_core.context.memory_summary import headline
from muninn_core.engine.memory.lookup import memory_of
from muninn_core.model.answer import ReadState
from muninn_core.model.memory import Memory
from muninn_core.model.value import replace
from muninn_core.protocol.families.inspection import FileCount, LinksParams, MemoryLink, OverviewParams, OverviewResult
from muninn_core.protocol.families.repository import FocusStatus, ProjectStatus
from muninn_core.retrieval.decay import is_recallable
from muninn_core.retrieval.graphs.link_graph import LinkGraph, LinkStep
from muninn_core.store.records.timestamps import timestamp

WEEKS = 12
"""The weeks of an overview."""

NEWEST = 3
"""The memories of an overview in which nothing is recent and nothing important."""

FILES = 8
"""The files of an overview."""

Seen = Callable[[Memory], bool]
"""Whether a question sees a memory."""


class Followed(NamedTuple):
    """The memories that links lead to, by distance and then newest first, with their distances and links."""

    memories: Sequence[Memory]
    depths: tuple[int, ...]
    links: tuple[MemoryLink, ...]
    omitted: int


class Around(NamedTuple):
    """The parts of an overview that its caller knows; see `OverviewResult`. `labelled` completes memories to show."""

    project: ProjectStatus
    focus: FocusStatus
    files: tuple[FileCount, ...]
    saw: ReadState
    labelled: Callable[[Sequence[Memory]], tuple[Memory, ...]] = tuple


def follow(web: LinkGraph, params: LinksParams, now: datetime, seen: Seen) -> Followed:
    """Return the memories that links reach from a memory. Raises NotFoundError, or UsageError for an ambiguous
    prefix.
    """
    known = web.memories
    start = known[web.resolve_merged(memory_of(known, params.id).id)]
    reached, steps = web.walk([start.id], params.depth, _admitting(seen, now, archived=params.archived))
    if params.relation:  # drop memories reached over other relations only
        steps = [each for each in steps if each.link.relation in params.relation]
        reached = _reached(start.id, steps)
    others = sorted((known[each] for each in reached), key=lambda memory: (memory.ts, memory.id), reverse=True)
    others.sort(key=lambda memory: reached[memory.id])
    chosen = others[: params.limit]
    ids = {memory.id for memory in chosen}
    return Followed(
        chosen,
        tuple(reached[memory.id] for memory in chosen),
        tuple(_memory_link(each) for each in steps if each.source in ids and each.target in ids),
        len(others) - len(chosen),
    )


def linked_to(web: LinkGraph, memory: Memory, seen: Seen) -> tuple[tuple[MemoryLink, ...], dict[str, str]]:
    """Return the links of a memory in both directions, and {id: headline} of the memories at their other ends.

    A merged memory has the links of the memory that it was merged into.
    """
    start = web.resolve_merged(memory.id)
    _, steps = web.walk([start], 1, lambda other: seen(other) and not other.redacted and not other.trace)
    ends = dict.fromkeys(end for each in steps for end in (each.source, each.target) if end != start)
    return tuple(map(_memory_link, steps)), {each: headline(web.memories[each]) for each in ends}


def overview_of(
    web: LinkGraph, memories: Sequence[Memory], params: OverviewParams, now: datetime, seen: Seen, around: Around
) -> OverviewResult:
    """Return an overview of memories: recent and important ones, their links, and counts.

    Those made of commits follow the other important ones: a long backfill has many.
    """
    after = timestamp(now - timedelta(days=params.days))
    changed = sorted(memories, key=lambda memory: (memory.updated or memory.ts, memory.id), reverse=True)
    recent = [memory for memory in changed if (memory.updated or memory.ts) >= after][: params.limit]
    by_importance = sorted(changed, key=lambda memory: (memory.trust == "commit", -memory.importance))
    important = [memory for memory in by_importance if memory.importance >= params.importance and memory not in recent]
    important = important[: params.limit]
    recent = recent or ([] if important else changed[: min(NEWEST, params.limit)])
    shown = {memory.id for memory in (*recent, *important)}
    _, steps = web.walk(shown, 1, lambda memory: seen(memory) and is_recallable(memory, now))
    ends = {end for each in steps for end in (each.source, each.target)} - shown
    count = sum(len(memory.links) for memory in memories)
    return OverviewResult(
        project=around.project,
        focus=around.focus,
        recent=around.labelled(recent),
        important=around.labelled(important),
        links=tuple(map(_memory_link, steps)),
        linked={each: headline(web.memories[each]) for each in sorted(ends)},
        memories=len(memories),
        kinds=_counted(memory.type for memory in memories),
        scopes=_counted(memory.scope for memory in memories),
        density=round(count / len(memories), 3) if memories else 0.0,
        weeks=_weeks(memories, now),
        files=around.files,
        saw=around.saw,
    )


def files_of(memories: Iterable[Memory], shown: Callable[[Memory, str], str]) -> dict[str, set[str]]:
    """Return {path: ids of the memories that name or cite the file}. `shown` returns the path of a memory's file."""
    about: dict[str, set[str]] = {}
    for memory in memories:
        for path in (*memory.files, *(cite.path for cite in memory.cites)):
            about.setdefault(shown(memory, path), set()).add(memory.id)
    return about


def most_remembered(about: Mapping[str, set[str]]) -> tuple[FileCount, ...]:
    """Return the files with the most memories."""
    ranked = sorted(about.items(), key=lambda pair: (-len(pair[1]), pair[0]))[:FILES]
    return tuple(FileCount(path=path, memories=len(ids)) for path, ids in ranked)


def _weeks(memories: Iterable[Memory], now: datetime) -> tuple[int, ...]:
    """Return the number of memories made in each of the last weeks, oldest first."""
    counts = [0] * WEEKS
    for memory in memories:
        age = max(0, (now - datetime.fromisoformat(memory.ts)).days // 7)  # another machine's clock may be ahead
        if age < WEEKS:
            counts[WEEKS - 1 - age] += 1
    return tuple(counts)


def _admitting(seen: Seen, now: datetime, *, archived: bool) -> Seen:
    if archived:
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
            each.beyond(node)
            for node, depth in found.items()
            if depth == distance - 1
            for each in links
            if node in (each.source, each.target)
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
