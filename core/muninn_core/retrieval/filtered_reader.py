"""Filters and phrases brought to the index: which chunks may be found at all, so that none hides behind others.

What passes is found before anything is ranked, as ids of chunks, and the word index and the vectors are asked among
these. Where that would be more than MOST_IDS, the tier is asked as a whole and `admits` refuses one by one, for which
`recall` widens its candidates. It knows what a sieve and a phrase are, not how they are written.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from muninn_core.model.chunk import SOURCE_KINDS, Chunk, SourceKind
from muninn_core.retrieval.phrase import holding, index_words
from muninn_core.retrieval.recall import Bounds, Reader, is_recallable

if TYPE_CHECKING:
    from datetime import datetime

    import numpy as np

    from muninn_core.model.memory import Memory
    from muninn_core.retrieval.filters import FilterSet

MOST_IDS = 20_000
"""Chunks of a tier that are named one by one: to look among these costs some milliseconds."""

MOST_COMPARED = 3_000
"""Chunks whose texts are compared with a phrase: those that hold all of its words, the best of them first."""

_SHARE = 0.5
"""A filter that lets more of a tier's files pass than this hides little: its refusals are made one by one."""

Tiers = Mapping[SourceKind, "Sequence[int] | None"]
"""Of each tier the ids that may be found; None is all of it."""


class Searchable(Reader, Protocol):
    """The index at one moment, as narrowing needs it."""

    def lexical(
        self,
        words: Iterable[str],
        limit: int,
        kind: SourceKind | None = None,
        *,
        only: Sequence[int] | None = None,
        every: Iterable[str] = (),
    ) -> Sequence[tuple[int, float]]:
        """Return (chunk id, BM25) of those among `only` that hold `every` one of some words, best first."""

    def near(self, vector: np.ndarray, ids: Sequence[int]) -> Sequence[tuple[int, float]]:
        """Return (chunk id, cosine) of some chunks, best first."""

    def paths(self) -> Sequence[tuple[str, SourceKind, str]]:
        """Return (path, kind, language) of all files."""

    def ids_of_files(self, paths: Sequence[str]) -> list[int]:
        """Return the ids of the chunks of some files."""

    def ids_of_memories(self, ids: Sequence[str]) -> list[int]:
        """Return the ids of the chunks of some memories."""


class FilteredReader:
    """A reader that finds what is in its tiers and nothing else."""

    def __init__(self, reader: Searchable, tiers: Tiers) -> None:
        self._reader = reader
        self.tiers = tiers

    @property
    def documents(self) -> int:
        """The number of chunks and whole files that are searched for those that may be found."""
        return self._reader.documents

    def lexical(self, words: Iterable[str], limit: int, kind: SourceKind | None = None) -> list[tuple[int, float]]:
        """Return (chunk id, BM25), best first."""
        wanted = list(words)
        return _merged(
            self._reader.lexical(wanted, limit, tier, only=ids) for tier, ids in self._asked(kind) if ids is None or ids
        )

    def dense(self, vector: np.ndarray, limit: int, kind: SourceKind | None = None) -> list[tuple[int, float]]:
        """Return (chunk id, cosine), best first."""
        found = (
            self._reader.dense(vector, limit, tier) if ids is None else self._reader.near(vector, ids)
            for tier, ids in self._asked(kind)
            if ids is None or ids
        )
        merged = _merged(found)
        last = merged[limit - 1][1] if len(merged) > limit else None
        return merged if last is None else [hit for hit in merged if hit[1] >= last]  # a tie is not cut

    def whole_files(self, words: Iterable[str], limit: int, kind: SourceKind | None = None) -> list[tuple[str, float]]:
        """Return (path, BM25) of whole files, best first, be they in the tiers or not: these only weigh chunks."""
        return list(self._reader.whole_files(words, limit, kind))

    def rarity(self, word: str) -> float:
        """Return how rare a word is in all of the index."""
        return self._reader.rarity(word)

    def chunks(self, ids: Sequence[int]) -> Mapping[int, Chunk]:
        """Return the chunks of the ids that are still there."""
        return self._reader.chunks(ids)

    def first_chunks(self, paths: Sequence[str]) -> Mapping[str, Chunk]:
        """Return the first chunk of some files, be they in the tiers or not: the bounds say which may be found."""
        return self._reader.first_chunks(paths)

    @property
    def generated(self) -> Collection[str]:
        """The files that say that a program made them."""
        return self._reader.generated

    def _asked(self, kind: SourceKind | None) -> list[tuple[SourceKind, Sequence[int] | None]]:
        return [(tier, ids) for tier, ids in self.tiers.items() if kind in (None, tier)]


class Filtering(NamedTuple):
    """A reader within bounds. `files` are how many pass the filters, `memories` too; None where nobody counted.

    `compared` says whether a phrase was looked for in all chunks that may hold it.
    """

    reader: Reader
    bounds: Bounds
    tiers: Tiers
    files: int | None
    memories: int | None
    compared: bool


def apply_filters(
    reader: Searchable,
    bounds: Bounds,
    memories: Mapping[str, Memory],
    sieve: FilterSet,
    phrases: Sequence[str],
    without: Sequence[str],
    now: datetime,
) -> Filtering:
    """Return the reader and the bounds for what passes the sieve, holds all `phrases` and none of those `without`."""
    passing = _admitting(bounds, sieve, phrases, without)
    tiers: dict[SourceKind, Sequence[int] | None] = dict.fromkeys(SOURCE_KINDS)
    files = count = None
    if sieve.filters:
        files = _files(reader, sieve, tiers)
        kept = [each for each in memories.values() if sieve.memory(each) and is_recallable(each, now)]
        count = len(kept)
        if count <= MOST_IDS:
            tiers["memory"] = reader.ids_of_memories(sorted(each.id for each in kept))
    compared = True
    for tier, ids in tiers.items() if phrases else ():
        tiers[tier], whole = _with_phrases(reader, tier, ids, phrases)
        compared = compared and whole
    return Filtering(FilteredReader(reader, tiers), passing, tiers, files, count, compared)


def _admitting(bounds: Bounds, sieve: FilterSet, phrases: Sequence[str], without: Sequence[str]) -> Bounds:
    holds = holding(phrases)
    refused = [holding([phrase]) for phrase in without]

    def admits(chunk: Chunk, memory: Memory | None) -> bool:
        passes = sieve.file(chunk.path, chunk.kind, chunk.language) if memory is None else sieve.memory(memory)
        return passes and bounds.admits(chunk, memory) and holds(chunk) and not any(has(chunk) for has in refused)

    def stub(memory: Memory) -> Chunk:
        return Chunk(kind="memory", path=memory.id, start=1, end=1, text=memory.text, title=memory.title)

    return Bounds(admits, [each for each in bounds.sure if admits(stub(each), each)])


def _files(reader: Searchable, sieve: FilterSet, tiers: dict[SourceKind, Sequence[int] | None]) -> int:
    """Narrow the tiers of files to what passes, and return how many files do."""
    every = reader.paths() if not sieve.memories_alone else ()
    passing: dict[SourceKind, list[str]] = {"code": [], "knowledge": []}
    total = dict.fromkeys(passing, 0)
    for path, kind, language in every:
        total[kind] += 1
        if sieve.file(path, kind, language):
            passing[kind].append(path)
    for kind, paths in passing.items():
        if len(paths) <= _SHARE * total[kind] and len(paths) <= MOST_IDS:
            ids = reader.ids_of_files(paths)
            tiers[kind] = ids if len(ids) <= MOST_IDS else None
    return sum(map(len, passing.values()))


def _with_phrases(
    reader: Searchable, tier: SourceKind, ids: Sequence[int] | None, phrases: Sequence[str]
) -> tuple[list[int], bool]:
    """Return the chunks of a tier that hold all phrases, and whether all that may do so were compared."""
    words = [word for phrase in phrases for word in index_words(phrase)]
    if ids is not None and not ids:
        return [], True
    found = reader.lexical(words, MOST_COMPARED, tier, only=ids, every=words)
    holds: Callable[[Chunk], bool] = holding(phrases)
    numbers = sorted(number for number, _ in found)
    return [number for number, chunk in reader.chunks(numbers).items() if holds(chunk)], len(found) < MOST_COMPARED


def _merged(lists: Iterable[Sequence[tuple[int, float]]]) -> list[tuple[int, float]]:
    return sorted((hit for found in lists for hit in found), key=lambda hit: (-hit[1], hit[0]))
