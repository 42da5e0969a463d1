"""The index interface of `retrieval` over PostgreSQL: the `Reader` and its one `Source`.

A reader lives in one transaction, whose snapshot and row security fix what it sees. With several branches, a path
names its repository as `source.qualified` defines. A chunk that several branches hold is
found once, in the first of them by name. Without that, the results equal those of a local index: vectors have the same
8-bit numbers, whose products both compute exactly.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from muninn_core.index.file_list import FileList
from muninn_core.index.manifest.reader import memory_key
from muninn_core.index.ties import MAX_TIED, cut_ties
from muninn_core.index.vectors.quantise import SCALE, quantise
from muninn_core.index.vectors.vector_index import cosines_of
from muninn_core.model.chunk import SOURCE_KINDS, Chunk, Only, SourceKind
from muninn_core.model.value import replace
from muninn_core.org.database.connections import Connection
from muninn_core.org.ingestion.storage import read_chunk
from muninn_core.org.reading.branches import ReadBranch, ReadBranches
from muninn_core.org.reading.file_rows import FileRows
from muninn_core.org.reading.lexical import RUNNING, Conditions, LexicalSearch
from muninn_core.org.reading.memories import BranchMemories
from muninn_core.org.reading.rows import Rows
from muninn_core.org.reading.statistics import WordStatistics
from muninn_core.org.reading.vectors import BranchVectors, TenantVectors
from muninn_core.retrieval.reader import Asked

_MEMORY = memory_key("")

Vector = NDArray[np.float32]


class PostgresReader:
    """A `Reader` and `Source` of `retrieval.reader`, in one transaction that `enter` began."""

    def __init__(
        self,
        connection: Connection,
        tenant: int,
        branches: Sequence[ReadBranch],
        vectors: TenantVectors | None = None,
    ) -> None:
        """`vectors` are those of the tenant, which readers share; None: they are read for this reader."""
        self._connection = connection
        self._branches = branches if isinstance(branches, ReadBranches) else ReadBranches(branches)
        self._versions = self._branches.versions
        self.rows = Rows(connection, tenant, self._branches)
        self.stored = FileRows(self.rows)
        self.memories = BranchMemories(connection, tenant, self._branches.names)
        self._vectors = TenantVectors() if vectors is None else vectors
        self._words = WordStatistics(connection, tenant)
        self._lexical = LexicalSearch(connection, self._words)
        self._chunks: dict[int, Chunk] = {}
        self._generated: set[str] = set()
        self.sources = (self,)

    # --- the reader ---

    @property
    def documents(self) -> int:
        """The number of chunks and whole files."""
        return self._words.totals.documents

    @property
    def statistics(self) -> WordStatistics:
        """The word statistics, to read those of many words at once."""
        return self._words

    @cached_property
    def encoded(self) -> bool:
        """Whether each memory has an encoding."""
        return self._vectors.of_encoder.complete(self._connection, self._versions)

    def whole_files(self, words: Asked, limit: int, kind: SourceKind | None = None) -> list[tuple[str, float]]:
        """Return (path, BM25) of whole files, best first, ties by path."""
        hits = self._lexical.search("file", words, limit, Conditions(kind))
        found = [(number & RUNNING, score) for number, score in hits]  # lists have the kind before a file's number
        paths = self.rows.paths_of([number for number, _ in found])
        named = ((paths[number], score) for number, score in found if number in paths)
        return sorted(named, key=lambda hit: (-hit[1], hit[0]))

    def first_chunks(self, paths: Sequence[str]) -> dict[str, Chunk]:
        """Return {path: first chunk} of the given files; files that are not indexed are left out."""
        files = self.rows.files_at(paths)
        rows = self.rows(
            "SELECT min(id) FROM chunk WHERE tenant = %(tenant)s AND file = ANY(%(files)s) GROUP BY file",
            files=list(files),
        )
        found = {chunk.path: chunk for chunk in self.chunks(sorted(row[0] for row in rows)).values()}
        return {path: found[path] for path in paths if path in found}

    def chunks_of(self, path: str) -> dict[int, Chunk]:
        """Return {id: chunk} of a file, in the order of the file."""
        return self.chunks(self.ids_of_files([path]))

    def paths(self) -> FileList:
        """Return all files without memories."""
        return self._all_files

    def files(self) -> list[str]:
        """Return the paths of all files."""
        return [each.path for each in self._all_files]

    @property
    def generated(self) -> Collection[str]:
        """The paths of files with a comment that marks them as generated, among those whose chunks were read."""
        return self._generated

    def rarities(self, words: Iterable[str]) -> dict[str, float]:
        """Return {word: inverse document frequency, as BM25 computes it}."""
        wanted = list(words)
        self._words.load(wanted)
        return {word: self._words.rarity(word) for word in wanted}

    def frequency(self, word: str) -> int:
        """Return the number of chunks that contain a word."""
        return self._words.frequency(word)

    # --- the source ---

    def lexical(
        self,
        words: Asked,
        limit: int,
        kind: SourceKind | None = None,
        *,
        only: Only | None = None,
        every: Iterable[str] = (),
    ) -> list[tuple[int, float]]:
        """Return the best chunks with their BM25 scores, and ties with the last, first by path and line."""
        found = self._lexical.search("chunk", words, limit, Conditions(kind, only, tuple(every)))
        return cut_ties(found, limit, self._by_place)

    def dense(self, vector: Vector, limit: int, kind: SourceKind | None = None) -> list[tuple[int, float]]:
        """Return the nearest chunks with their cosines. All vectors are compared."""
        return self._nearest(self._vectors.of_table, vector, limit, kind)

    def cosines(self, vector: Vector, ids: Sequence[int], limit: int | None = None) -> list[tuple[int, float]]:
        """Return the cosines of the given chunks, with `limit` of the nearest so many and ties with the last.

        Chunks without a vector are left out.
        """
        return self._cosines_of("vector", vector, ids, limit)

    def nearest_encoded(self, vector: Vector, limit: int) -> list[tuple[int, float]]:
        """Return the memories whose encodings are nearest, with their cosines. All encodings are compared."""
        return self._nearest(self._vectors.of_encoder, vector, limit, None)

    def encoded_cosines(self, vector: Vector, ids: Sequence[int], limit: int | None = None) -> list[tuple[int, float]]:
        """Return the cosines of the given memories, as `cosines` does; those without an encoding are left out."""
        return self._cosines_of("encoding", vector, ids, limit)

    def encodings(self, ids: Sequence[int]) -> dict[int, NDArray[np.int8]]:
        """Return {id: encoding, int8 [dim]} of the given memories that have one."""
        rows = self.rows(
            "SELECT id, encoding FROM chunk WHERE tenant = %(tenant)s AND id = ANY(%(ids)s) AND encoding IS NOT NULL",
            ids=list(ids),
        )
        return {number: np.frombuffer(row, np.int8) for number, row in rows}

    def token_states(self, ids: Sequence[int]) -> dict[int, bytes]:
        """Return {id: states of the tokens} of the given memories that have them."""
        rows = self.rows(
            "SELECT id, states FROM chunk WHERE tenant = %(tenant)s AND id = ANY(%(ids)s) AND states IS NOT NULL",
            ids=list(ids),
        )
        return {number: bytes(states) for number, states in rows}

    def chunks(self, ids: Sequence[int]) -> dict[int, Chunk]:
        """Return {id: chunk}; unknown ids are left out. The chunk of a memory has the memory's id as path."""
        unknown = [number for number in ids if number not in self._chunks]
        if unknown:
            rows = self.rows(
                "SELECT id, data, generated, first FROM chunks_by_id(%(ids)s::bigint[], %(order)s::integer[])",
                ids=unknown,
                order=self._branches.ordered,
            )
            found = {number: self._placed(data, self._branches.order[first - 1]) for number, data, _, first in rows}
            self._generated.update(found[number].path for number, _, generated, _ in rows if generated)
            self.memories.expect([chunk.path for chunk in found.values() if chunk.kind == "memory"])
            self._chunks |= found
        return {number: self._chunks[number] for number in ids if number in self._chunks}

    def ids_of_files(self, paths: Sequence[str]) -> list[int]:
        """Return the ids of the chunks of the given files."""
        rows = self.rows(
            "SELECT id FROM chunk WHERE tenant = %(tenant)s AND file = ANY(%(files)s) ORDER BY 1",
            files=list(self.rows.files_at(paths)),
        )
        return [row[0] for row in rows]

    def ids_of_memories(self, ids: Sequence[str]) -> list[int]:
        """Return the ids of the chunks of the given memories."""
        rows = self.rows(
            "SELECT c.id FROM chunk c JOIN file f ON f.tenant = c.tenant AND f.id = c.file "
            "WHERE f.tenant = %(tenant)s AND f.path = ANY(%(keys)s) ORDER BY 1",
            keys=[memory_key(each) for each in ids],
        )
        return [row[0] for row in rows]

    def numbers_of_memories(self, ids: Sequence[str]) -> dict[str, int]:
        """Return {memory id: id of its chunk} of the given memories."""
        return {each.path: number for number, each in self.chunks(self.ids_of_memories(ids)).items()}

    def memories_of_numbers(self, ids: Sequence[int]) -> dict[int, str]:
        """Return {id: memory id} of the chunks of memories."""
        return {number: each.path for number, each in self.chunks(ids).items() if each.kind == "memory"}

    # --- candidates for daemons ---

    def numbers_of(self, chunks: Sequence[Chunk]) -> dict[int, int]:
        """Return {identity of the object: id} of chunks that `chunks` returned; a memory that was only named is found
        by its id.
        """
        known = {id(chunk): number for number, chunk in self._chunks.items()}
        unread = [each for each in chunks if id(each) not in known and each.kind == "memory"]
        by_path = {
            each.path: number
            for number, each in self.chunks(self.ids_of_memories([one.path for one in unread])).items()
        }
        known |= {id(each): by_path[each.path] for each in unread if each.path in by_path}
        return {id(each): known[id(each)] for each in chunks if id(each) in known}

    # --- parts ---

    @cached_property
    def _all_files(self) -> FileList:
        rows = self.rows(
            "SELECT p.branch, f.path, f.kind, f.language FROM place p "
            "JOIN file f ON f.tenant = p.tenant AND f.id = p.file WHERE p.tenant = %(tenant)s AND f.kind <> 2"
        )
        prefixes = {branch: self._branches.qualified(branch, "") for branch in self._branches.order}
        files = ((prefixes[branch] + path, SOURCE_KINDS[kind], language) for branch, path, kind, language in rows)
        return FileList(sorted(files))

    def _placed(self, data: bytes, branch: int) -> Chunk:
        """Return a stored chunk with its path in a branch."""
        chunk, _ = read_chunk(data)
        if chunk.kind == "memory":
            return replace(chunk, path=chunk.path.removeprefix(_MEMORY))
        return replace(chunk, path=self._branches.qualified(branch, chunk.path))

    def _by_place(self, numbers: Sequence[int]) -> list[int]:
        chunks = self.chunks(numbers)
        return sorted(chunks, key=lambda number: (chunks[number].path, chunks[number].start))

    def _nearest(
        self, vectors: BranchVectors, vector: Vector, limit: int, kind: SourceKind | None
    ) -> list[tuple[int, float]]:
        if limit < 1 or not np.any(vector):
            return []
        query, scale = _query(vector)
        found = vectors.nearest(self._connection, self._versions, query, limit + 1, kind)
        if len(found) > limit:
            last = found[limit][0]
            tied = last == found[limit - 1][0]
            found = found[:limit]
            if tied:
                most = vectors.nearest(self._connection, self._versions, query, limit * MAX_TIED, kind)
                found = [each for each in most if each[0] >= last]
        return [(number, product / scale) for product, number in found]

    def _cosines_of(
        self, column: str, vector: Vector, ids: Sequence[int], limit: int | None
    ) -> list[tuple[int, float]]:
        if not ids or not np.any(vector):
            return []
        rows = self.rows(
            f"SELECT id, {column} FROM chunk WHERE tenant = %(tenant)s AND id = ANY(%(ids)s) AND {column} IS NOT NULL",
            ids=[int(number) for number in ids],
        )
        if not rows:
            return []
        known = np.array([row[0] for row in rows], np.int64)
        stored = np.frombuffer(b"".join(row[1] for row in rows), np.int8).reshape(len(rows), -1)
        return cosines_of(vector, known, stored, limit)


def _query(vector: Vector) -> tuple[Vector, float]:
    """Return a question's vector as 8-bit numbers, and the scale of its products to cosines."""
    scale = 127.0 / float(np.max(np.abs(vector)))  # the whole range of 8 bits
    return quantise(vector, scale).astype(np.float32), SCALE * scale
