"""A fixed state of the index for readers. Later changes do not affect it."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from muninn_core.index.extraction.survey import UncutFiles
from muninn_core.index.file_list import FileList
from muninn_core.index.identity_cache import IdentityCache
from muninn_core.index.ties import cut_ties
from muninn_core.index.vectors.vector_index import memories_among
from muninn_core.index.words.reader import WEIGHTS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    import numpy as np
    from numpy.typing import NDArray

    from muninn_core.index.embedding.encodings import Encoding
    from muninn_core.index.extraction.survey import Survey
    from muninn_core.index.manifest.reader import ChunkRow, FileRow, ManifestReader
    from muninn_core.index.vectors.vector_index import VectorIndex
    from muninn_core.index.words.reader import Asked, Field, Words
    from muninn_core.model.chunk import Chunk, Only, SourceKind

K = TypeVar("K", int, str)
T = TypeVar("T")


class RowCache:
    """A cache of rows, some megabytes: successive queries find much the same chunks.

    Ids are never reused and their rows never change, so that the next snapshot takes over the rows that still exist.
    """

    CHUNKS = 3_000
    PATHS = 50_000
    TERMS = 8_000
    MEMORIES = 50_000
    STATES = 500
    """Memories whose tokens' states are kept, some megabytes: a question compares 150."""

    def __init__(self) -> None:
        self.chunks: dict[int, Chunk] = {}
        self.paths: dict[int, str] = {}
        self.terms: dict[int, bytes] = {}
        self.memories: dict[str, int] = {}
        """The id of each memory's chunk, by the memory's id."""
        self.identities: dict[int, str] = {}
        """The same the other way round."""
        self.states: dict[int, bytes] = {}

    def without(self, removed: Collection[int]) -> RowCache:
        """Return a cache without the removed chunks. Paths stay: a snapshot looks up only ids of its own files."""
        left = RowCache()
        left.chunks, left.paths, left.terms = dict(self.chunks), self.paths, self.terms
        left.states, left.identities = dict(self.states), dict(self.identities)
        for number in removed:
            left.chunks.pop(number, None)
            left.states.pop(number, None)
            left.identities.pop(number, None)
        gone = frozenset(removed)
        memories = dict(self.memories)  # a copy, because questions add rows meanwhile
        left.memories = {key: number for key, number in memories.items() if number not in gone}
        return left

    def take_chunks(self, read: Mapping[int, Chunk]) -> None:
        """Add chunks; the oldest are dropped when there are too many."""
        self.chunks = _joined(self.chunks, read, self.CHUNKS)

    def take_terms(self, read: Mapping[int, bytes]) -> None:
        """Add term counts; the oldest are dropped when there are too many. No id is used again for other counts."""
        self.terms = _joined(self.terms, read, self.TERMS)

    def take_paths(self, read: Mapping[int, str]) -> None:
        """Add the paths of files, by file id."""
        self.paths = _joined(self.paths, read, self.PATHS)

    def take_memories(self, read: Mapping[str, int]) -> None:
        """Add the ids of the chunks of memories, by memory id."""
        self.memories = _joined(self.memories, read, self.MEMORIES)
        self.identities = _joined(self.identities, {number: key for key, number in read.items()}, self.MEMORIES)

    def take_states(self, read: Mapping[int, bytes]) -> None:
        """Add the states of the tokens of memories, by the ids of their chunks, which are never used again."""
        self.states = _joined(self.states, read, self.STATES)

    def forget(self) -> None:
        """Empty the cache."""
        self.chunks, self.paths, self.terms, self.memories, self.identities = {}, {}, {}, {}, {}
        self.states = {}


def _joined(kept: dict[K, T], read: Mapping[K, T], most: int) -> dict[K, T]:
    """Return both. With more than `most`, at most half as many older ones stay, in a new dict: threads may read the old
    one.
    """
    if len(kept) + len(read) > most:
        own = dict(kept)  # in one step; a list of its items may start the garbage collector, and so another thread
        kept = dict(list(own.items())[max(0, len(own) - most // 2) :])
    kept.update(read)
    return kept


class _CountsCache:
    """The term counts of a manifest: a source for scores that caches what successive queries find."""

    def __init__(self, manifest: ManifestReader, recent: RowCache) -> None:
        self._manifest = manifest
        self._recent = recent
        self._lengths: tuple[int, ...] | None = None

    def terms(self, ids: Sequence[int], *, whole: bool = False) -> dict[int, bytes]:
        """Return {id: term counts} of chunks, or of whole files by their file ids."""
        known = self._recent.terms
        sign = -1 if whole else 1
        found = {number: counts for number in ids if (counts := known.get(sign * number)) is not None}
        if len(found) == len(ids):
            return found
        read = self._manifest.terms([number for number in ids if number not in found], whole=whole)
        self._recent.take_terms({sign * number: counts for number, counts in read.items()})
        both = found | read
        return {number: both[number] for number in ids if number in both}

    def lengths(self) -> tuple[int, ...]:
        """Return the number of words in each field of all documents."""
        if self._lengths is None:
            self._lengths = self._manifest.lengths()
        return self._lengths


FIRST = 1_000
"""The files whose first chunk is cached."""


class Snapshot:
    """Words, vectors and rows of one generation. `code` has its definitions, imports and calls.

    With a `survey`, files that are not cut yet are found by their words, and read when they are found. Safe to use from
    several threads. Its connection is closed when the object is collected.
    """

    def __init__(
        self,
        manifest: ManifestReader,
        words: Words,
        vectors: tuple[VectorIndex, VectorIndex],
        recent: RowCache,
        survey: Survey | None = None,
        unencoded: int = 0,
    ) -> None:
        """`vectors` are those of all chunks, and the encodings of memories; `unencoded` memories have none."""
        self._manifest = manifest
        self._words = words.exact(_CountsCache(manifest, recent))
        self._meaning, self._encodings = vectors
        self.unencoded_count = unencoded
        self.generation = manifest.generation
        self.code = manifest.code
        self._counts: dict[str, int] | None = None
        self._paths: FileList | None = None
        self._recent = recent
        self._first: dict[str, Chunk] = {}
        self._survey = survey
        self._ids_of_files = IdentityCache[Sequence[int]]()
        self._ids_of_memories = IdentityCache[Sequence[int]]()
        weakref.finalize(self, manifest.close)

    @property
    def sources(self) -> tuple[Snapshot] | tuple[Snapshot, UncutFiles]:
        """The sources of chunks for search: the index, and with a survey the files that are not cut yet."""
        return (self,) if self._survey is None else (self, UncutFiles(self._survey, self._waiting))

    @property
    def documents(self) -> int:
        """The number of chunks and whole files in the word index."""
        return self._words.documents

    def lexical(
        self,
        words: Asked,
        limit: int,
        kind: SourceKind | None = None,
        weights: Mapping[Field, float] = WEIGHTS,
        *,
        only: Only | None = None,
        every: Iterable[str] = (),
    ) -> list[tuple[int, float]]:
        """Return (chunk id, BM25 score), best first. `words` are those of `identifiers.words(query).split()`.

        More than `limit` are returned when the last ones have the same score; see `cut_ties`. `only` says what may be
        found; a chunk must hold all words of `every`. Files that are not cut yet are in the second of `sources`.
        """
        found = self._words.search(words, limit, kind, weights, only=only, every=every)
        return cut_ties(found, limit, self._manifest.by_place)

    @property
    def words(self) -> Words:
        """The word index, for a search over several snapshots."""
        return self._words

    def by_place(self, ids: Sequence[int]) -> list[int]:
        """Return the ids of chunks that exist, by path and line."""
        return self._manifest.by_place(ids)

    def paths_by_id(self, ids: Sequence[int]) -> dict[int, str]:
        """Return {file id: path}, from the cache where it has them."""
        paths = self._recent.paths
        missing = [number for number in ids if number not in paths]
        if missing:
            read = self._manifest.file_paths(missing)
            paths = {number: paths[number] for number in ids if number in paths} | read
            self._recent.take_paths(read)
        return {number: paths[number] for number in ids if number in paths}

    def _waiting(self, paths: Sequence[str]) -> set[str]:
        """Return those of the paths that are not indexed yet."""
        return set(paths) - self._manifest.indexed_paths(paths)

    def frequency(self, word: str) -> int:
        """Return the number of chunks that hold a word; the number of files while most files are not cut yet."""
        found = self._words.count("body", word)
        return found if self._survey is None else max(found, self._survey.frequency(word))

    def cosines(
        self, vector: NDArray[np.float32], ids: Sequence[int], limit: int | None = None
    ) -> list[tuple[int, float]]:
        """Return (chunk id, cosine) of those chunks that have a vector, best first; `limit` and ties, if given."""
        return self._meaning.cosines(vector, ids, limit)

    @property
    def encoded(self) -> bool:
        """Whether each memory has an encoding."""
        return not self.unencoded_count

    def nearest_encoded(self, vector: NDArray[np.float32], limit: int) -> list[tuple[int, float]]:
        """Return (chunk id, cosine) of the memories whose encodings are nearest to float32 [dim] of length 1."""
        return self._encodings.search(vector, limit)

    def encoded_cosines(
        self, vector: NDArray[np.float32], ids: Sequence[int], limit: int | None = None
    ) -> list[tuple[int, float]]:
        """Return (chunk id, cosine) of those memories that have an encoding, best first; `limit` and ties, if given."""
        return self._encodings.cosines(vector, ids, limit)

    def encodings(self, ids: Sequence[int]) -> dict[int, NDArray[np.int8]]:
        """Return {chunk id: encoding, int8 [dim]} of those memories that have one."""
        return self._encodings.rows(ids)

    def token_states(self, ids: Sequence[int]) -> dict[int, bytes]:
        """Return {chunk id: states of the tokens} of those memories that have them."""
        known = self._recent.states
        found = {number: known[number] for number in ids if number in known}
        if len(found) < len(ids):
            read = self._manifest.token_states([number for number in ids if number not in found])
            self._recent.take_states(read)
            both = found | read
            found = {number: both[number] for number in ids if number in both}
        return found

    def paths(self) -> FileList:
        """Return all files without memories. They are cached until `release_memory`."""
        found = self._paths
        if found is None:
            found = self._paths = FileList(self._manifest.paths())
        if self._survey is None:
            return found
        known = {file.path for file in found}
        return FileList(sorted([*found, *(file for file in self._survey.files() if file[0] not in known)]))

    def ids_of_files(self, paths: Sequence[str]) -> Sequence[int]:
        """Return the ids of the chunks of the given files."""
        return self._ids_of_files.get(paths, lambda: tuple(self._manifest.ids_of(paths)))

    def ids_of_memories(self, ids: Sequence[str]) -> Sequence[int]:
        """Return the ids of the chunks of some memories."""
        return self._ids_of_memories.get(ids, lambda: self._read_ids_of_memories(ids))

    def _read_ids_of_memories(self, ids: Sequence[str]) -> Sequence[int]:
        return tuple(sorted(self.numbers_of_memories(ids).values()))

    def numbers_of_memories(self, ids: Sequence[str]) -> dict[str, int]:
        """Return {memory id: id of its chunk} of the memories that are indexed."""
        known = self._recent.memories
        found = {each: known[each] for each in ids if each in known}
        if len(found) < len(ids):
            read = self._manifest.ids_of_memories([each for each in ids if each not in found])
            self._recent.take_memories(read)
            found |= read
        return found

    def memories_of_numbers(self, ids: Sequence[int]) -> dict[int, str]:
        """Return {chunk id: memory id} of the chunks of memories. Their texts are not read."""
        known = self._recent.identities
        wanted = memories_among(ids)
        found = {number: known[number] for number in wanted if number in known}
        if len(found) < len(wanted):
            read = self._manifest.memories_of_numbers([number for number in wanted if number not in found])
            self._recent.take_memories({identity: number for number, identity in read.items()})
            found |= read
        return found

    def rarities(self, words: Iterable[str]) -> dict[str, float]:
        """Return {word: inverse document frequency} of words from `identifiers.words`, as BM25 computes it."""
        if self._survey is not None and self._survey.documents > self._words.documents:
            return self._survey.rarities(words)
        return self._words.rarities(words)

    def whole_files(self, words: Asked, limit: int, kind: SourceKind | None = None) -> list[tuple[str, float]]:
        """Return (path, BM25 score) of whole files, best first, ties by path; no memories."""
        words = words if isinstance(words, Mapping) else list(words)
        hits = self._words.search_files(words, limit, kind)
        paths = self.paths_by_id([number for number, _ in hits])
        found = [(paths[number], score) for number, score in hits if number in paths]
        if self._survey is not None and kind != "memory":
            others = self._survey.whole_files(words, limit, kind)
            waiting = self._waiting([path for path, _ in others])
            found += [(path, score) for path, score in others if path in waiting]
        return [(path, -score) for score, path in sorted([(-score, path) for path, score in found])]

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
        """Return {path: first chunk}. Takes some hundred paths at most."""
        known = self._first
        found = {path: known[path] for path in paths if path in known}
        missing = [path for path in paths if path not in found]
        if missing:
            read = self._manifest.first_chunks(missing)
            found |= read
            self._first = _joined(self._first, read, FIRST)
        return {path: found[path] for path in paths if path in found}

    @cached_property
    def generated(self) -> frozenset[str]:
        """The paths of generated files; files that are not cut yet are unknown."""
        return self._manifest.generated()

    def file(self, path: str) -> FileRow | None:
        """Return one file as it was indexed."""
        return self._manifest.file(path)

    def files(self) -> dict[str, FileRow]:
        """Return all files by path, without memories."""
        return self._manifest.files()

    def memories(self) -> dict[str, bytes]:
        """Return {memory id: digest} of the indexed memories."""
        return self._manifest.memories()

    @property
    def has_memories(self) -> bool:
        """Whether a memory is indexed."""
        return bool(self._manifest.memory_count)

    def release_memory(self) -> None:
        """Release caches. The next query takes longer."""
        self._recent.forget()
        self._first = {}
        self._paths = None
        self._ids_of_files.clear()
        self._ids_of_memories.clear()
        self._manifest.release_memory()
        self._meaning.release_memory()
        self._encodings.release_memory()

    def unembedded(self, limit: int, after: int = -1) -> list[ChunkRow]:
        """Return up to `limit` chunks without a vector, by id, with ids greater than `after`."""
        return self._manifest.unembedded(limit, after)

    def unencoded(self, limit: int, after: int = -1) -> list[ChunkRow]:
        """Return up to `limit` chunks of memories without an encoding, by id, with ids greater than `after`."""
        return self._manifest.unencoded(limit, after)

    def known_encodings(self, digests: Sequence[bytes]) -> dict[bytes, Encoding]:
        """Return {digest of a text: its encoding} of the texts that are encoded."""
        return self._manifest.encodings(digests)

    def counts(self) -> dict[str, int]:
        """Return the numbers of files, chunks, chunks of each kind (code, knowledge, memory) and unembedded chunks."""
        if self._counts is None:
            self._counts = self._manifest.counts()
        return dict(self._counts)
