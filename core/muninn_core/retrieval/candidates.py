"""Candidates of a question: what words and meaning find, brought to one scale, and which of it may be found at all."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

from muninn_core.retrieval import weights as w
from muninn_core.retrieval.concurrent import start
from muninn_core.retrieval.decay import is_recallable
from muninn_core.retrieval.query_terms import Query

if TYPE_CHECKING:
    import numpy as np

    from muninn_core.model.chunk import Chunk, SourceKind
    from muninn_core.model.memory import Memory

Key = TypeVar("Key", int, str)


class Reader(Protocol):
    """The index at one moment, as recall needs it."""

    @property
    def documents(self) -> int:
        """The number of chunks and whole files."""

    def lexical(self, words: Iterable[str], limit: int, kind: SourceKind | None = None) -> Sequence[tuple[int, float]]:
        """Return (chunk id, BM25), best first."""

    def whole_files(
        self, words: Iterable[str], limit: int, kind: SourceKind | None = None
    ) -> Sequence[tuple[str, float]]:
        """Return (path, BM25) of whole files, best first."""

    def dense(self, vector: np.ndarray, limit: int, kind: SourceKind | None = None) -> Sequence[tuple[int, float]]:
        """Return (chunk id, cosine), best first."""

    def chunks(self, ids: Sequence[int]) -> Mapping[int, Chunk]:
        """Return the chunks of the ids that are still there."""

    def first_chunks(self, paths: Sequence[str]) -> Mapping[str, Chunk]:
        """Return the first chunk of each of some files that are there, by path."""

    @property
    def generated(self) -> Collection[str]:
        """The files that say that a program made them."""

    def rarity(self, word: str) -> float:
        """Return how rare a word is: the factor that BM25 gives it."""


class Bounds(NamedTuple):
    """What may be found. `admits` says so of a chunk and its memory; `sure` are candidates whatever their words are."""

    admits: Callable[[Chunk, Memory | None], bool] = lambda _chunk, _memory: True
    sure: Sequence[Memory] = ()


class ScoredChunk(NamedTuple):
    """A chunk that may be found, its memory if it is one, and its match by words and by meaning, 0..1."""

    chunk: Chunk
    memory: Memory | None
    words: float
    meaning: float


class Pool(NamedTuple):
    """The candidates of a question, and the match of whole files by path, 0..1.

    `meaning` is the highest cosine, which the scale of 0..1 does not tell. `small` says that there are few vectors, or
    none: then it says little.
    """

    found: Sequence[ScoredChunk]
    files: Mapping[str, float]
    meaning: float
    small: bool


def candidates(
    reader: Reader,
    vector: np.ndarray | None,
    memories: Mapping[str, Memory],
    query: Query,
    limit: int,
    now: datetime,
    kind: SourceKind | None,
    within: Bounds,
) -> Pool:
    """Return the best candidates that may be found.

    While too many are refused, more are asked for: a filter must not hide what lies behind the first hundred.
    """
    whole_files = start(
        reader.documents, lambda: () if kind == "memory" else reader.whole_files(query.words, w.FILES, kind)
    )
    files: Mapping[str, float] | None = None
    reach = w.CANDIDATES
    while True:
        lexical = start(reader.documents, partial(reader.lexical, query.words, reach, kind))
        dense = () if vector is None else reader.dense(vector, reach, kind)
        fused = fuse(lexical(), dense)
        if files is None:  # right behind chunks: vectors push out of the processor's caches what both of these read
            files = _scaled(whole_files())
        best = _best(fused, max(w.POOL, 3 * limit) * reach // w.CANDIDATES)
        found = []
        for number, chunk in reader.chunks(best).items():
            memory = memories.get(chunk.path) if chunk.kind == "memory" else None
            spoken = chunk.kind != "memory" or (memory is not None and is_recallable(memory, now))
            if spoken and within.admits(chunk, memory):
                found.append(ScoredChunk(chunk, memory, *fused[number]))
        enough = len(found) >= limit or len(found) == len(best) or len(fused) < reach
        if enough or reach >= w.MOST_CANDIDATES:
            return Pool(found, files, _top(dense), len(dense) < reach)
        reach *= w.WIDER


def fuse(lexical: Sequence[tuple[int, float]], dense: Sequence[tuple[int, float]]) -> dict[int, tuple[float, float]]:
    """Scale both lists to 0..1; return each candidate's match by words and by meaning."""
    words = _scaled(lexical)
    if not dense:
        return {number: (value, 0.0) for number, value in words.items()}
    high = _top(dense)
    # A question that is near nothing must not make its best neighbour look perfect.
    floor = min(dense[min(len(dense), w.FLOOR_RANK) - 1][1], max(0.0, high - w.FLOOR_BELOW))
    span = high - floor
    meaning = {number: (score - floor) / span for number, score in dense if score > floor}
    return {number: (words.get(number, 0.0), meaning.get(number, 0.0)) for number in words | meaning}


def _scaled(found: Sequence[tuple[Key, float]]) -> dict[Key, float]:
    top = _top(found)
    return {key: score / top for key, score in found} if top > 0 else {}


def _top(found: Sequence[tuple[Key, float]]) -> float:
    return max([score for _, score in found], default=0.0)


def _best(fused: Mapping[int, tuple[float, float]], count: int) -> list[int]:
    """Return the best candidates, and those that equal the last of them: ids differ from one build to the next."""
    if len(fused) <= count:
        return list(fused)
    scores = {number: w.WORDS * words + w.MEANING * meaning for number, (words, meaning) in fused.items()}
    ranked = sorted(scores, key=scores.__getitem__, reverse=True)
    last = scores[ranked[count - 1]]
    return [number for number in ranked if scores[number] >= last]
