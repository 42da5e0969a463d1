"""A fixed state of the index, for readers: whatever the writer does meanwhile, they get the same answers."""

from __future__ import annotations

import weakref
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from muninn_core.index.lexical import WEIGHTS
from muninn_core.index.manifest import memory_key
from muninn_core.index.survey import UncutFiles

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from muninn_core.index.lexical import Field, Words
    from muninn_core.index.manifest import ChunkRow, FileRow, Manifest
    from muninn_core.index.survey import Survey
    from muninn_core.index.vector import VectorIndex
    from muninn_core.model.chunk import Chunk, SourceKind

T = TypeVar("T")


class RowCache:
    """What was read of one state and is kept, some megabytes: questions that follow each other find much the same.

    An id is never used again, and what it stands for never changes: so the next state begins with what is left of it.
    """

    CHUNKS = 3_000
    PATHS = 50_000

    def __init__(self) -> None:
        self.chunks: dict[int, Chunk] = {}
        self.paths: dict[int, str] = {}

    def without(self, removed: Collection[int]) -> RowCache:
        """Return the same for a state in which some chunks are gone. Of files only a state's own words are asked."""
        left = RowCache()
        left.chunks, left.paths = dict(self.chunks), self.paths
        for number in removed:
            left.chunks.pop(number, None)
        return left

    def take_chunks(self, read: Mapping[int, Chunk]) -> None:
        """Keep chunks; the oldest go when there are too many."""
        self.chunks = _joined(self.chunks, read, self.CHUNKS)

    def take_paths(self, read: Mapping[int, str]) -> None:
        """Keep the paths of files."""
        self.paths = _joined(self.paths, read, self.PATHS)

    def forget(self) -> None:
        """Give the memory back."""
        self.chunks, self.paths = {}, {}


def _joined(kept: dict[int, T], read: Mapping[int, T], most: int) -> dict[int, T]:
    """Return both; a new dict without the older half where there are too many, since others may be reading this one."""
    if len(kept) + len(read) > most:
        kept = dict(list(kept.items())[most // 2 :])
    kept.update(read)
    return kept


class Snapshot:
    """Words, vectors and rows of one generation; `code` are its definitions, imports and calls.

    With a `survey`, files that wait to be cut are found as well, by their words, in what they hold when they are asked
    for. Safe to use from several threads; free when nobody holds it.
    """

    def __init__(
        self, manifest: Manifest, words: Words, meaning: VectorIndex, recent: RowCache, survey: Survey | None = None
    ) -> None:
        self._manifest = manifest
        self._words = words
        self._meaning = meaning
        self.generation = manifest.generation
        self.code = manifest.code
        self._counts: dict[str, int] | None = None
        self._paths: list[tuple[str, SourceKind, str]] | None = None
        self._recent = recent
        self._survey = survey
        weakref.finalize(self, manifest.close)

    @property
    def sources(self) -> tuple[Snapshot] | tuple[Snapshot, UncutFiles]:
        """The sources of chunks for search: the index, and with a survey the files that wait to be cut."""
        return (self,) if self._survey is None else (self, UncutFiles(self._survey, self._waiting))

    @property
    def documents(self) -> int:
        """The number of chunks and whole files, told at once."""
        return self._words.documents

    def lexical(
        self,
        words: Iterable[str],
        limit: int,
        kind: SourceKind | None = None,
        weights: Mapping[Field, float] = WEIGHTS,
        *,
        only: Sequence[int] | None = None,
        every: Iterable[str] = (),
    ) -> list[tuple[int, float]]:
        """Return (chunk id, BM25 score), best first. `words` are those of `identifiers.words(query).split()`.

        More than `limit` come back when the last ones have the same score. `only` restricts the ids; a chunk must hold
        each of the words of `every`. Files that wait to be cut are in the second of `sources`.
        """
        return self._words.search(words, limit, kind, weights, only=only, every=every)

    def _waiting(self, paths: Sequence[str]) -> set[str]:
        """Return those of some paths that are no files of the index yet."""
        return set(paths) - self._manifest.known(paths)

    def frequency(self, word: str) -> int:
        """Return in how many chunks a word stands; in how many files while most wait to be cut."""
        return max(self._words.frequency(word), self._survey.frequency(word) if self._survey is not None else 0)

    def near(self, vector: NDArray[np.float32], ids: Sequence[int]) -> list[tuple[int, float]]:
        """Return (chunk id, cosine) of all of some chunks that have a vector, best first."""
        return self._meaning.near(vector, ids)

    def paths(self) -> Sequence[tuple[str, SourceKind, str]]:
        """Return (path, kind, language) of all files, by path, memories left out. They are kept until it rests."""
        found = self._paths
        if found is None:
            found = self._paths = self._manifest.paths()
        if self._survey is None:
            return found
        known = {path for path, _, _ in found}
        return sorted([*found, *(file for file in self._survey.files() if file[0] not in known)])

    def ids_of_files(self, paths: Sequence[str]) -> list[int]:
        """Return the ids of the chunks of the given files."""
        return self._manifest.ids_of(paths)

    def ids_of_memories(self, ids: Sequence[str]) -> list[int]:
        """Return the ids of the chunks of some memories."""
        return self._manifest.ids_of([memory_key(each) for each in ids])

    def rarity(self, word: str) -> float:
        """Return how rare a word of `identifiers.words` is: the factor that BM25 gives it."""
        if self._survey is not None and self._survey.documents > self._words.documents:
            return self._survey.rarity(word)
        return self._words.rarity(word)

    def whole_files(self, words: Iterable[str], limit: int, kind: SourceKind | None = None) -> list[tuple[str, float]]:
        """Return (path, BM25 score) of whole files, best first, ties by path. Memories are no files."""
        words = list(words)
        hits = self._words.search_files(words, limit, kind)
        paths = self._recent.paths
        missing = [number for number, _ in hits if number not in paths]
        if missing:
            read = self._manifest.file_paths(missing)
            paths = {number: paths[number] for number, _ in hits if number in paths} | read
            self._recent.take_paths(read)
        found = [(paths[number], score) for number, score in hits if number in paths]
        if self._survey is not None and kind != "memory":
            others = self._survey.whole_files(words, limit, kind)
            waiting = self._waiting([path for path, _ in others])
            found += [(path, score) for path, score in others if path in waiting]
        return sorted(found, key=lambda hit: (-hit[1], hit[0]))

    def dense(self, vector: NDArray[np.float32], limit: int, kind: SourceKind | None = None) -> list[tuple[int, float]]:
        """Return (chunk id, cosine) of the nearest chunks, best first; `vector` is float32 [dim] of length 1."""
        return self._meaning.search(vector, limit, kind)

    def chunks(self, ids: Sequence[int]) -> dict[int, Chunk]:
        """Return {id: chunk}. A memory's chunk has the memory's id as its path."""
        known = self._recent.chunks
        missing = [number for number in ids if number not in known]
        read = self._manifest.chunks(missing) if missing else {}
        found = {number: known[number] for number in ids if number in known}
        if read:
            self._recent.take_chunks(read)
            found = {number: chunk for number in ids if (chunk := found.get(number) or read.get(number)) is not None}
        return found

    def chunks_of(self, path: str) -> dict[int, Chunk]:
        """Return {id: chunk} of a file, in the order of the file."""
        return {row.id: row.chunk for row in self._manifest.chunks_of(path)}

    def first_chunks(self, paths: Sequence[str]) -> dict[str, Chunk]:
        """Return the first chunk of each of some files, by path; at most some hundred of them."""
        return self._manifest.first_chunks(paths)

    @cached_property
    def generated(self) -> frozenset[str]:
        """The files that say that a program made them; those that wait to be cut have not been asked."""
        return self._manifest.generated()

    def file(self, path: str) -> FileRow | None:
        """Return one file as it was indexed."""
        return self._manifest.file(path)

    def files(self) -> dict[str, FileRow]:
        """Return all files by path, memories left out."""
        return self._manifest.files()

    def memories(self) -> dict[str, bytes]:
        """Return {memory id: digest} of the memories that are indexed."""
        return self._manifest.memories()

    def rest(self) -> None:
        """Give memory back that only makes the next answer faster."""
        self._recent.forget()
        self._paths = None
        self._manifest.rest()

    def unembedded(self, limit: int, after: int = -1) -> list[ChunkRow]:
        """Return chunks that have no vector yet, by id, from the first one after an id."""
        return self._manifest.unembedded(limit, after)

    def counts(self) -> dict[str, int]:
        """Return how many there are: files, chunks, code, knowledge, memory (chunks of each kind) and unembedded."""
        if self._counts is None:
            self._counts = self._manifest.counts()
        return dict(self._counts)
