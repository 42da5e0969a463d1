"""The ranking of the profile `mnemosyne`: memories by words, links, importance and age, narrow scopes first.

The shares are those of Mnemosyne's hybrid scoring: 50 % keyword match, 20 % graph proximity, 20 % importance, 10 %
recency, over what words find and what links lead to from there, two steps by default (its ARCHITECTURE.md, "Memory
Retrieval Flow" and "Priority-Based Retrieval"). That text leaves two points open. Here a
memory's proximity is the match of the best other memory that leads to it, times the strengths of the links between
them, halved at each step after the first. Each narrower scope adds 1, which outweighs all other shares, so session
notes come before the project's memories, and these before global ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from muninn_core.retrieval import weights as w
from muninn_core.retrieval.candidates.generation import candidates, memory_chunk
from muninn_core.retrieval.decay import is_recallable, recency
from muninn_core.retrieval.pool import Pool, ScoredChunk
from muninn_core.retrieval.query.query_terms import parse_query
from muninn_core.retrieval.results.ranking import Candidate, Ranking
from muninn_core.retrieval.results.signal import Signal, signal

if TYPE_CHECKING:
    from muninn_core.model.memory import Memory
    from muninn_core.retrieval.graphs.link_graph import LinkGraph
    from muninn_core.retrieval.reader import Reader
    from muninn_core.retrieval.request import SearchRequest

DEPTH = 2
"""The number of links that are followed by default."""

_TIERS = {"session": 2.0, "project": 1.0, "global": 0.0}


class LinkedMatch(NamedTuple):
    """A memory's proximity to the memories that words find, 0..1, and a description of the link."""

    value: float
    note: str


class Links(NamedTuple):
    """The ranking by words, links, importance, age and scope. It finds memories only.

    `session` is the caller's; notes of other sessions rank with the global memories. `depth` is the number of links
    that are followed.
    """

    graph: LinkGraph
    session: str
    depth: int = DEPTH

    def gather(self, reader: Reader, request: SearchRequest) -> Pool:
        """Return the memories that words find; without text, all memories within the bounds."""
        if not request.text:
            found = [
                ScoredChunk(memory_chunk(each), each, 0.0, 0.0)
                for each in request.memories.values()
                if _may_find(each, request)
            ]
            return Pool(parse_query(""), found, {}, 0.0, True)
        pool = candidates(reader, request._replace(kind="memory", vector=None))
        return pool._replace(found=[one for one in pool.found if one.memory is not None and one.words > 0])

    def score(self, reader: Reader, request: SearchRequest, pool: Pool) -> Ranking:
        """Return the memories of the pool and those linked to them."""
        matches: dict[str, float] = {}
        for one in pool.found:
            if one.memory is not None:
                matches[one.memory.id] = max(matches.get(one.memory.id, 0.0), one.words)
        near = proximity(self.graph, matches, self.depth, request)
        return Ranking(
            Candidate(
                memory_chunk(memory),
                memory,
                self._signals(memory, matches.get(memory.id, 0.0), near.get(memory.id), request.now),
            )
            for memory in (request.memories[each] for each in sorted(matches.keys() | near.keys()))
        )

    def _signals(self, memory: Memory, words: float, near: LinkedMatch | None, now: datetime) -> list[Signal]:
        own = memory.scope != "session" or self.session in (memory.session, *memory.sessions)
        found: Sequence[Signal] = (
            signal("words", words, w.LINKED_WORDS),
            signal("graph", near.value if near else 0.0, w.LINKED_GRAPH, near.note if near else ""),
            signal("importance", memory.importance / 10, w.LINKED_IMPORTANCE),
            signal("recency", recency(memory.updated or memory.ts, now), w.LINKED_RECENCY),
            signal("scope", _TIERS[memory.scope] if own else 0.0, w.LINKED_SCOPE, memory.scope),
        )
        return [one for one in found if one[3]]


def proximity(
    graph: LinkGraph, matches: Mapping[str, float], depth: int, request: SearchRequest
) -> dict[str, LinkedMatch]:
    """Return {memory id: proximity} of the memories within `depth` links of one in `matches` ({memory id: match})."""
    best: dict[str, LinkedMatch] = {}
    for start, match in sorted(matches.items()):
        reached = {start: match}
        level = {start: match}
        for step in range(1, depth + 1):
            following: dict[str, float] = {}
            for node, value in sorted(level.items()):
                for there, strength, relation in graph.strength(node):
                    passed = value * strength / (1 if step == 1 else 2)
                    memory = request.memories.get(there)
                    if memory is None or passed <= reached.get(there, 0.0) or not _may_find(memory, request):
                        continue
                    reached[there] = following[there] = passed
                    note = f"{relation} {start}" if step == 1 else f"{step} links from {start}"
                    if there != start and passed > best.get(there, LinkedMatch(0.0, "")).value:
                        best[there] = LinkedMatch(passed, note)
            level = following
    return best


def _may_find(memory: Memory, request: SearchRequest) -> bool:
    return is_recallable(memory, request.now) and request.bounds.admits(memory_chunk(memory), memory)
