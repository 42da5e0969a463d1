"""Recall: puts the candidates of a question into order, and makes hits of the best, with a reason for every point.

Deterministic: the same index, memories and clock give the same hits in the same order, down to the rounding of scores.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, TypedDict, Unpack

from muninn_core.model.chunk import Chunk
from muninn_core.model.value import replace
from muninn_core.retrieval import weights as w
from muninn_core.retrieval.abstention import abstention_reason
from muninn_core.retrieval.candidates import Bounds, ScoredChunk, candidates
from muninn_core.retrieval.decay import has_expired, is_recallable, staleness
from muninn_core.retrieval.evolution import UNKNOWN, Evolution
from muninn_core.retrieval.file_prior import FilePrior, beyond
from muninn_core.retrieval.file_ranking import rank_files
from muninn_core.retrieval.hits import hit_of, memory_hit, place_of
from muninn_core.retrieval.query_terms import TermMatcher, parse_query
from muninn_core.retrieval.scoring import (
    HYBRID,
    Curated,
    Focus,
    Hybrid,
    ScoringContext,
    graph_signals,
    memory_signals,
)
from muninn_core.retrieval.signals import Signal, reason_of, signal, total

if TYPE_CHECKING:
    import numpy as np

    from muninn_core.model.answer import Hit
    from muninn_core.model.chunk import SourceKind
    from muninn_core.model.citation import Citation
    from muninn_core.model.memory import Memory
    from muninn_core.retrieval.reader import Reader

__all__ = [
    "HYBRID",
    "Bounds",
    "Candidate",
    "Curated",
    "FilePriorLookup",
    "Focus",
    "Hybrid",
    "Ranking",
    "Signal",
    "has_expired",
    "hit_of",
    "is_recallable",
    "memory_hit",
    "rank",
    "reason_of",
    "recall",
    "settle",
    "signal",
]

FilePriorLookup = Callable[[Sequence[str]], Mapping[str, FilePrior]]
"""Says of a question's words what memory says of files, by path."""

CitationLookup = Callable[["Memory"], Sequence["Citation"]]
"""Says how a memory's citations stand in the asker's work tree. It looks at files, so it is asked of few."""


def _uncurated(_path: str) -> None:
    """Say of no path that it is a decision."""


class Terms(TypedDict, total=False):
    """On what terms a question is asked; `rank` says what each of them means, and what holds without it."""

    kind: SourceKind | None
    focus: Focus | None
    bounds: Bounds | None
    curated: Curated
    half_life: float
    hybrid: Hybrid
    witnesses: FilePriorLookup
    evolution: Evolution


def recall(
    reader: Reader,
    vector: np.ndarray | None,
    memories: Mapping[str, Memory],
    text: str,
    *,
    limit: int,
    now: datetime,
    standing: CitationLookup = lambda _memory: (),
    **terms: Unpack[Terms],
) -> tuple[Hit, ...]:
    """Return at most `limit` hits, best first; `rank` says of what. Their citations count as they stand."""
    ranked = rank(reader, vector, memories, text, limit=limit, now=now, **terms)
    return settle(ranked, limit, standing, terms.get("curated", _uncurated))[0]


class Ranking(list["Candidate"]):
    """Candidates in their order. `doubt` says why there are none though something would have been found."""

    doubt = ""


def rank(
    reader: Reader,
    vector: np.ndarray | None,
    memories: Mapping[str, Memory],
    text: str,
    *,
    limit: int,
    now: datetime,
    kind: SourceKind | None = None,
    focus: Focus | None = None,
    bounds: Bounds | None = None,
    curated: Curated = _uncurated,
    half_life: float = w.DECAY_DAYS,
    hybrid: Hybrid = HYBRID,
    witnesses: FilePriorLookup = lambda _words: {},
    evolution: Evolution = UNKNOWN,
) -> Ranking:
    """Return the candidates of a question in their order: `limit` of them and, where there are, some more.

    Where nothing is near the question there are none, and a doubt. Without `vector` (no model yet) words alone decide.
    `memories` are all there are, by id; one in the index that is not among them, or does not speak, is left out.
    `half_life` is that of importance, in days; 0 is endless.
    """
    query, within = parse_query(text), bounds or Bounds()
    pool = candidates(reader, vector, memories, query, limit, now, kind, within)
    ear = TermMatcher(query.words, reader.rarity)
    ranked = Ranking()
    told = witnesses(query.words) if kind != "memory" else {}
    sure = within.sure or any(said.value >= w.REMEMBERED_SURE for said in told.values())
    ranked.doubt = "" if sure else abstention_reason(pool, ear)
    if ranked.doubt:
        return ranked
    trust = w.REMEMBERED if kind is not None else w.REMEMBERED_BESIDE
    asked = ScoringContext(
        query,
        ear,
        now,
        focus or Focus(),
        curated,
        half_life,
        hybrid,
        pool.files,
        told,
        reader.generated,
        trust,
        evolution,
    )
    found = [each for each in pool.found if each.memory is not None]
    there = {each.memory.id for each in found if each.memory is not None}
    for memory in within.sure:
        if memory.id not in there and is_recallable(memory, now) and kind in (None, "memory"):
            stub = Chunk(kind="memory", path=memory.id, start=1, end=1, text=memory.text, title=memory.title)
            found.append(ScoredChunk(stub, memory, 0.0, 0.0))
    of_files = [each for each in pool.found if each.memory is None]
    known = {each.chunk.path for each in of_files}
    further = (chunk for chunk in beyond(reader, told, known, kind) if within.admits(chunk, None))
    of_files += [ScoredChunk(chunk, None, 0.0, 0.0) for chunk in further]
    judged = rank_files(asked, of_files, max(w.RANKED, 3 * limit))
    ranked += [
        *(Candidate(chunk, None, signals) for chunk, signals in judged),
        *_of_memories(asked, found, max(w.RANKED, 3 * limit)),
    ]
    ranked.sort(key=_order)
    return ranked


def settle(
    ranked: Sequence[Candidate], limit: int, standing: CitationLookup, curated: Curated = _uncurated
) -> tuple[tuple[Hit, ...], list[Candidate]]:
    """Return the first `limit` candidates as hits, their citations counted, and the candidates that come after them."""
    found, rest = _settled(ranked, limit, standing)
    hits = (hit_of(each.chunk, each.memory, [reason_of(one) for one in each.signals], each.citations) for each in found)
    return tuple(
        replace(hit, status=(curated(hit.path) or (False, ""))[1]) if hit.kind == "knowledge" else hit for hit in hits
    ), rest


class Candidate:
    """What may become a hit. Most never do, so a hit's values and reasons are made at the end, for those that do."""

    __slots__ = ("chunk", "citations", "judged", "memory", "order", "signals")

    def __init__(self, chunk: Chunk, memory: Memory | None, signals: list[Signal]) -> None:
        self.chunk = chunk
        self.memory = memory
        self.signals = signals
        self.citations: Sequence[Citation] = ()
        self.judged = False
        self.order = self._order()

    def add(self, further: Signal) -> None:
        """Count one more signal."""
        self.signals.append(further)
        self.order = self._order()

    def _order(self) -> tuple[float, str, str, int, int | str]:
        """Return what hits are sorted by: score, kind, path, first line, and last line or a memory's id."""
        score = total(self.signals)
        if self.memory is None:
            chunk = self.chunk
            return (-score, chunk.kind, chunk.path, chunk.start, chunk.end)
        path, start, _ = place_of(self.memory, self.citations)
        return (-score, "memory", path, start, self.memory.id)


def _of_memories(asked: ScoringContext, found: Sequence[ScoredChunk], count: int) -> list[Candidate]:
    """Return the `count` memories that match best; more where the last ones are equals, and those that must come."""
    hybrid = asked.hybrid
    graph = graph_signals(found, hybrid)
    matches = [one.words * hybrid.words + one.meaning * hybrid.meaning for one in found]
    least = sorted(matches, reverse=True)[count - 1] if len(found) > count else 0.0
    return [
        Candidate(chunk, memory, memory_signals(asked, memory, words, meaning, graph.get(memory.id)))
        for match, (chunk, memory, words, meaning) in zip(matches, found, strict=True)
        if memory is not None and (match >= least or not match or memory.id in graph)
    ]


def _settled(
    ranked: Sequence[Candidate], limit: int, standing: CitationLookup
) -> tuple[list[Candidate], list[Candidate]]:
    """Return the first `limit` candidates once their citations count, and the others in their order.

    Stale citations only ever lower a score, so whoever is on top when they have been looked at stays there: the
    outcome is that of looking at all.
    """
    heap = [(candidate.order, number, candidate) for number, candidate in enumerate(ranked)]
    heapify(heap)
    found: list[Candidate] = []
    while heap and len(found) < limit:
        _, number, candidate = heappop(heap)
        if candidate.memory is None or candidate.judged:
            found.append(candidate)
            continue
        candidate.judged = True
        candidate.citations = standing(candidate.memory)
        for further in staleness(candidate.citations):
            candidate.add(further)
        heappush(heap, (candidate.order, number, candidate))
    return found, [candidate for _, _, candidate in sorted(heap, key=lambda item: item[:2])]


def _order(candidate: Candidate) -> tuple[float, str, str, int, int | str]:
    return candidate.order
