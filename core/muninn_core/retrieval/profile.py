"""The ranking profile `mnemosyne`: memories by words, links, importance and age, the narrow scope first.

The shares are those of Mnemosyne's hybrid scoring: 50 % keyword match, 20 % graph proximity, 20 % importance, 10 %
recency, over what words find and what links lead to from there, two steps by default (its ARCHITECTURE.md, "Memory
Retrieval Flow" and "Priority-Based Retrieval"). What that text leaves open is settled here: a memory's proximity is the
match of the best other match that links lead to it from, times the strengths of the links on the way, halved at each
further step; and since the shares add up to 1, a point for each narrower scope makes session, project, global the
order in which they are searched.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from muninn_core.model.chunk import Chunk
from muninn_core.model.memory import Memory
from muninn_core.retrieval import weights as w
from muninn_core.retrieval.candidates import Bounds, candidates
from muninn_core.retrieval.decay import is_recallable, recency
from muninn_core.retrieval.link_graph import LinkGraph
from muninn_core.retrieval.query_terms import parse_query
from muninn_core.retrieval.reader import Reader
from muninn_core.retrieval.recall import Candidate, Ranking
from muninn_core.retrieval.signals import Signal, signal

DEPTH = 2
"""Links are followed so far where a question does not say how far."""

_TIERS = {"session": 2.0, "project": 1.0, "global": 0.0}


class LinkedMatch(NamedTuple):
    """What links say of a memory: its proximity to what words find, 0..1, and by which link that is."""

    value: float
    note: str


def rank_linked(
    reader: Reader,
    memories: Mapping[str, Memory],
    web: LinkGraph,
    text: str,
    *,
    limit: int,
    now: datetime,
    bounds: Bounds,
    session: str,
    depth: int = DEPTH,
) -> Ranking:
    """Return the memories of a question in their order; without words all that may be found.

    `session` is the asker's: notes of other sessions, where the bounds admit them, come with the global ones.
    """
    matches = _matches(reader, memories, text, limit, now, bounds)
    near = proximity(web, matches, depth, now, bounds, memories)
    found = Ranking(
        Candidate(
            _chunk(memory), memory, _signals(memory, matches.get(memory.id, 0.0), near.get(memory.id), session, now)
        )
        for memory in (memories[each] for each in sorted(matches.keys() | near.keys()))
    )
    found.sort(key=lambda each: each.order)
    return found


def proximity(
    web: LinkGraph,
    matches: Mapping[str, float],
    depth: int,
    now: datetime,
    bounds: Bounds,
    memories: Mapping[str, Memory],
) -> dict[str, LinkedMatch]:
    """Return the proximity of each memory that links lead to from another one that words find."""
    best: dict[str, LinkedMatch] = {}
    for start, match in sorted(matches.items()):
        reached = {start: match}
        level = {start: match}
        for step in range(1, depth + 1):
            following: dict[str, float] = {}
            for here, value in sorted(level.items()):
                for there, strength, relation in web.strength(here):
                    passed = value * strength / (1 if step == 1 else 2)
                    memory = memories.get(there)
                    if memory is None or passed <= reached.get(there, 0.0) or not _may(memory, now, bounds):
                        continue
                    reached[there] = following[there] = passed
                    note = f"{relation} {start}" if step == 1 else f"{step} links from {start}"
                    if there != start and passed > best.get(there, LinkedMatch(0.0, "")).value:
                        best[there] = LinkedMatch(passed, note)
            level = following
    return best


def _matches(
    reader: Reader, memories: Mapping[str, Memory], text: str, limit: int, now: datetime, bounds: Bounds
) -> dict[str, float]:
    if not text:
        return {each.id: 0.0 for each in memories.values() if _may(each, now, bounds)}
    pool = candidates(reader, None, memories, parse_query(text), limit, now, "memory", bounds)
    found: dict[str, float] = {}
    for one in pool.found:
        if one.memory is not None and one.words > 0:
            found[one.memory.id] = max(found.get(one.memory.id, 0.0), one.words)
    return found


def _may(memory: Memory, now: datetime, bounds: Bounds) -> bool:
    return is_recallable(memory, now) and bounds.admits(_chunk(memory), memory)


def _signals(memory: Memory, words: float, near: LinkedMatch | None, session: str, now: datetime) -> list[Signal]:
    own = memory.scope != "session" or session in (memory.session, *memory.sessions)
    found: Sequence[Signal] = (
        signal("words", words, w.LINKED_WORDS),
        signal("graph", near.value if near else 0.0, w.LINKED_GRAPH, near.note if near else ""),
        signal("importance", memory.importance / 10, w.LINKED_IMPORTANCE),
        signal("recency", recency(memory.updated or memory.ts, now), w.LINKED_RECENCY),
        signal("scope", _TIERS[memory.scope] if own else 0.0, w.LINKED_SCOPE, memory.scope),
    )
    return [one for one in found if one[3]]


def _chunk(memory: Memory) -> Chunk:
    return Chunk(kind="memory", path=memory.id, start=1, end=1, text=memory.text, title=memory.title)
