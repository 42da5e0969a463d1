"""The index interface of `retrieval` over PostgreSQL: the `Reader` and its one `Source`.

A reader lives in one transaction, whose snapshot and row security fix what it sees. With several branches, a path
names its repository as `source.qualified` defines. A chunk that several branches hold is
found once, in the first of them by name. Without that, the results equal those of a local index: vectors have the same
8-bit numbers, whose products both compute exactly.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from muninn_core.index.code import Symbol
from muninn_core.index.file_list import FileList
from muninn_core.index.manifest_reader import memory_key
from muninn_core.index.quantise import SCALE, quantise
from muninn_core.index.vector import cosines_of
from muninn_core.model.chunk import SOURCE_KINDS, Chunk, Only, SourceKind
from muninn_core.model.value import replace
from muninn_core.org.cutting import CUTTER
from muninn_core.org.database import Connection
from muninn_core.org.lexical import RUNNING, Conditions, LexicalSearch
from muninn_core.org.memories import BranchMemories
from muninn_core.org.statistics import WordStatistics
from muninn_core.org.storing import read_chunk, read_syntax
from muninn_core.org.vectors import BranchVectors, TenantVectors, Version
from muninn_core.retrieval.reader import Asked
from muninn_core.source.definition import Syntax
from muninn_core.source.qualified import qualified, split

_MEMORY = memory_key("")
_MOST_TIED = 4
"""The most chunks that a search returns, as a multiple of its limit, when the last ones have the same score."""

_LISTS = 32
"""Lists of branches that are kept, so that a thousand of them are not made and compared for each question."""

_MOST_SYMBOL_FILES = 2_000
"""The most files whose definitions are read for one query."""

Vector = NDArray[np.float32]


class ReadBranch(NamedTuple):
    """A branch that a question reads: its repository's name, its ref, and the commit of its last push."""

    id: int
    repository: str
    ref: str
    commit: str
    generation: int


class ReadBranches(tuple[ReadBranch, ...]):
    """The branches that a question reads, by name, and what is computed from them."""

    @cached_property
    def names(self) -> Mapping[int, str]:
        """{id: name of the repository, "" where it is the only one}."""
        return {each.id: each.repository if len(self) > 1 else "" for each in self}

    @cached_property
    def order(self) -> list[int]:
        """The ids."""
        return [each.id for each in self]

    @cached_property
    def ordered(self) -> str:
        """The ids as an array of PostgreSQL."""
        return f"{{{','.join(map(str, self.order))}}}"

    @cached_property
    def versions(self) -> tuple[Version, ...]:
        """The states of the branches, as shared vectors know them."""
        return tuple((each.id, each.generation, each.commit) for each in self)


class RowOfChunk(NamedTuple):
    """What is stored of a chunk beside its text. The vectors are 8-bit numbers."""

    file: int
    counts: bytes
    vector: bytes | None
    encoding: bytes | None
    states: bytes | None


class RowOfFile(NamedTuple):
    """What is stored of a file beside its path."""

    id: int
    kind: SourceKind
    language: str
    generated: bool
    counts: bytes


def name_in_path(repository: str) -> str:
    """Return the name of a repository as paths have it, where a slash ends it. Names have no colon."""
    return repository.replace("/", ":")


def repository_of(path: str) -> str:
    """Return the name of the repository that a path names, "" for none."""
    return split(path)[0].replace(":", "/")


def enter(
    connection: Connection,
    tenant: int,
    principal: int,
    repositories: Sequence[str] | None = None,
    ref: str | None = None,
) -> ReadBranches:
    """Let a transaction of the role of readers see what a principal may read, and return these branches by name.

    `repositories` restricts them. Without `ref`, each repository has its default branch.
    """
    names = None if repositories is None else list(repositories)
    sql = (
        "SELECT array_agg(branch), array_agg(name), array_agg(ref), array_agg(commit), array_agg(generation) "
        "FROM enter(%s, %s, %s, %s)"
    )
    row = connection.execute(sql, (tenant, principal, names, ref), binary=True).fetchone()
    return _branches(*(tuple(column or ()) for column in row or ()))


@lru_cache(maxsize=_LISTS)
def _branches(*columns: tuple[Any, ...]) -> ReadBranches:
    """Return branches from the columns that the database returned for a caller. Equal columns give one object."""
    return ReadBranches(map(ReadBranch._make, zip(*columns, strict=True)))


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
        self._tenant = tenant
        self._branches = branches if isinstance(branches, ReadBranches) else ReadBranches(branches)
        self._names = self._branches.names
        self._order = self._branches.order
        self._versions = self._branches.versions
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
        paths = self._paths_of([number for number, _ in found])
        named = ((paths[number], score) for number, score in found if number in paths)
        return sorted(named, key=lambda hit: (-hit[1], hit[0]))

    def first_chunks(self, paths: Sequence[str]) -> dict[str, Chunk]:
        """Return {path: first chunk} of the given files; files that are not indexed are left out."""
        files = self._files_at(paths)
        rows = self._rows(
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

    @cached_property
    def memories(self) -> BranchMemories:
        """The memories of all branches, by id."""
        return BranchMemories(self._connection, self._tenant, self._names)

    def symbols(self, pattern: str) -> dict[str, list[Symbol]]:
        """Return {name: definitions by path and line} of the names that match a regular expression of PostgreSQL."""
        rows = self._rows(
            "SELECT s.file, array_agg(s.name) FROM symbol s WHERE s.tenant = %(tenant)s AND s.name ~* %(pattern)s "
            f"GROUP BY s.file ORDER BY s.file LIMIT {_MOST_SYMBOL_FILES}",
            pattern=pattern,
        )
        names = {file: set(found) for file, found in rows}
        paths = self._paths_of(list(names))
        found: dict[str, list[Symbol]] = {}
        for file, syntax in self.syntax(list(names)).items():
            for each in syntax.definitions:
                if each.name in names[file]:
                    found.setdefault(each.name, []).append(Symbol(paths[file], each))
        return {name: sorted(each, key=lambda one: (one.path, one.definition.start)) for name, each in found.items()}

    def syntax(self, files: Sequence[int]) -> dict[int, Syntax]:
        """Return {file id: what the file defines and imports}."""
        sql = "SELECT id, syntax FROM file WHERE tenant = %(tenant)s AND id = ANY(%(files)s)"
        return {file: read_syntax(data) for file, data in self._rows(sql, files=list(files))}

    def files_naming(
        self, names: Sequence[tuple[str, int]], own: Collection[tuple[int, int]], limit: int
    ) -> list[tuple[int, int, str]]:
        """Return (file id, branch, path) of at most `limit` files with one of some names of packages.

        `names` are (name, number of the package), and `own` has (number, branch) of the branches that are left out for
        a package. A file that several branches hold is there for each of them.
        """
        rows = self._rows(
            "SELECT DISTINCT d.file, p.branch, f.path FROM unnest(%(names)s::text[], %(numbers)s::integer[]) "
            "AS s(name, number) JOIN dependency d ON d.tenant = %(tenant)s AND d.name = s.name "
            "JOIN place p ON p.tenant = d.tenant AND p.file = d.file "
            "JOIN file f ON f.tenant = d.tenant AND f.id = d.file "
            "WHERE NOT EXISTS (SELECT 1 FROM unnest(%(own)s::integer[], %(branches)s::integer[]) AS o(number, branch) "
            "WHERE o.number = s.number AND o.branch = p.branch) ORDER BY p.branch, d.file LIMIT %(limit)s",
            names=[name for name, _ in names],
            numbers=[number for _, number in names],
            own=[number for number, _ in own],
            branches=[branch for _, branch in own],
            limit=limit,
        )
        return [(file, branch, self._qualified(branch, path)) for file, branch, path in rows]

    def publishers(self, names: Sequence[str]) -> set[tuple[int, int]]:
        """Return (place in `names`, branch) of the branches with a file that has the name of a package."""
        rows = self._rows(
            "SELECT DISTINCT d.name, p.branch FROM dependency d "
            "JOIN place p ON p.tenant = d.tenant AND p.file = d.file "
            "WHERE d.tenant = %(tenant)s AND d.name = ANY(%(names)s)",
            names=list(names),
        )
        return {(number, branch) for found, branch in rows for number, name in enumerate(names) if name == found}

    def texts(self, files: Sequence[int]) -> dict[int, str]:
        """Return {file id: text}."""
        sql = "SELECT file, id FROM chunk WHERE tenant = %(tenant)s AND file = ANY(%(files)s) ORDER BY id"
        rows = self._rows(sql, files=list(files))
        chunks = self.chunks([number for _, number in rows])
        found: dict[int, str] = {}
        for file, number in rows:
            found[file] = found.get(file, "") + chunks[number].text
        return found

    def cut_before(self) -> int:
        """Return the number of branches whose files an earlier version cut."""
        sql = "SELECT count(*) FROM branch WHERE tenant = %(tenant)s AND cutter <> %(cutter)s AND commit <> ''"
        return int(self._rows(sql, cutter=CUTTER)[0][0])

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
        return self._without_most_ties(found, limit)

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
        rows = self._rows(
            "SELECT id, encoding FROM chunk WHERE tenant = %(tenant)s AND id = ANY(%(ids)s) AND encoding IS NOT NULL",
            ids=list(ids),
        )
        return {number: np.frombuffer(row, np.int8) for number, row in rows}

    def token_states(self, ids: Sequence[int]) -> dict[int, bytes]:
        """Return {id: states of the tokens} of the given memories that have them."""
        rows = self._rows(
            "SELECT id, states FROM chunk WHERE tenant = %(tenant)s AND id = ANY(%(ids)s) AND states IS NOT NULL",
            ids=list(ids),
        )
        return {number: bytes(states) for number, states in rows}

    def chunks(self, ids: Sequence[int]) -> dict[int, Chunk]:
        """Return {id: chunk}; unknown ids are left out. The chunk of a memory has the memory's id as path."""
        unknown = [number for number in ids if number not in self._chunks]
        if unknown:
            rows = self._rows(
                "SELECT id, data, generated, first FROM chunks_by_id(%(ids)s::bigint[], %(order)s::integer[])",
                ids=unknown,
                order=self._branches.ordered,
            )
            found = {number: self._placed(data, self._order[first - 1]) for number, data, _, first in rows}
            self._generated.update(found[number].path for number, _, generated, _ in rows if generated)
            self.memories.expect([chunk.path for chunk in found.values() if chunk.kind == "memory"])
            self._chunks |= found
        return {number: self._chunks[number] for number in ids if number in self._chunks}

    def ids_of_files(self, paths: Sequence[str]) -> list[int]:
        """Return the ids of the chunks of the given files."""
        rows = self._rows(
            "SELECT id FROM chunk WHERE tenant = %(tenant)s AND file = ANY(%(files)s) ORDER BY 1",
            files=list(self._files_at(paths)),
        )
        return [row[0] for row in rows]

    def ids_of_memories(self, ids: Sequence[str]) -> list[int]:
        """Return the ids of the chunks of the given memories."""
        rows = self._rows(
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

    # --- offers ---

    def commits(self) -> dict[int, list[str]]:
        """Return {id of a branch: the commits of its last pushes, the newest first}."""
        return dict(self._rows("SELECT id, commits FROM branch WHERE tenant = %(tenant)s"))

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

    def rows_of_chunks(self, ids: Sequence[int]) -> dict[int, RowOfChunk]:
        """Return {id: row} of chunks."""
        rows = self._rows(
            "SELECT id, file, counts, vector, encoding, states FROM chunk "
            "WHERE tenant = %(tenant)s AND id = ANY(%(ids)s)",
            ids=list(ids),
        )
        return {number: RowOfChunk(*row) for number, *row in rows}

    def rows_of_files(self, ids: Sequence[int]) -> list[RowOfFile]:
        """Return the rows of files, by id."""
        rows = self._rows(
            "SELECT id, kind, language, generated, counts FROM file WHERE tenant = %(tenant)s AND id = ANY(%(ids)s) "
            "ORDER BY 1",
            ids=list(ids),
        )
        return [
            RowOfFile(number, SOURCE_KINDS[kind], language, generated, bytes(counts))
            for number, kind, language, generated, counts in rows
        ]

    # --- parts ---

    @cached_property
    def _all_files(self) -> FileList:
        rows = self._rows(
            "SELECT p.branch, f.path, f.kind, f.language FROM place p "
            "JOIN file f ON f.tenant = p.tenant AND f.id = p.file WHERE p.tenant = %(tenant)s AND f.kind <> 2"
        )
        prefixes = {branch: self._qualified(branch, "") for branch in self._order}
        files = ((prefixes[branch] + path, SOURCE_KINDS[kind], language) for branch, path, kind, language in rows)
        return FileList(sorted(files))

    def _paths_of(self, files: Sequence[int]) -> dict[int, str]:
        """Return {file id: path}, in the first branch by name that holds the file."""
        rows = self._rows(
            "SELECT id, path, first FROM files_by_id(%(files)s::bigint[], %(order)s::integer[])",
            files=list(files),
            order=self._branches.ordered,
        )
        return {number: self._qualified(self._order[first - 1], path) for number, path, first in rows}

    def _files_at(self, paths: Sequence[str]) -> set[int]:
        """Return the ids of the files at some paths."""
        wanted = set(paths)
        bare = {split(path)[1] if len(self._names) > 1 else path for path in wanted}
        rows = self._rows(
            "SELECT p.branch, f.path, f.id FROM file f JOIN place p ON p.tenant = f.tenant AND p.file = f.id "
            "WHERE f.tenant = %(tenant)s AND f.path = ANY(%(paths)s)",
            paths=[path for path in bare if "\0" not in path],
        )
        return {number for branch, path, number in rows if self._qualified(branch, path) in wanted}

    def _qualified(self, branch: int, path: str) -> str:
        """Return a path of a branch as answers have it."""
        name = self._names[branch]
        return qualified(name_in_path(name), path) if name else path

    def _placed(self, data: bytes, branch: int) -> Chunk:
        """Return a stored chunk with its path in a branch."""
        chunk, _ = read_chunk(data)
        path = chunk.path.removeprefix(_MEMORY) if chunk.kind == "memory" else self._qualified(branch, chunk.path)
        return replace(chunk, path=path)

    def _without_most_ties(self, found: list[tuple[int, float]], limit: int) -> list[tuple[int, float]]:
        most = _MOST_TIED * limit
        if len(found) <= most:
            return found
        last = found[limit - 1][1]
        better = [hit for hit in found if hit[1] > last]
        tied = self.chunks([number for number, score in found if score == last])
        ordered = sorted(tied, key=lambda number: (tied[number].path, tied[number].start))
        return [*better, *((number, last) for number in ordered[: most - len(better)])]

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
                most = vectors.nearest(self._connection, self._versions, query, limit * _MOST_TIED, kind)
                found = [each for each in most if each[0] >= last]
        return [(number, product / scale) for product, number in found]

    def _cosines_of(
        self, column: str, vector: Vector, ids: Sequence[int], limit: int | None
    ) -> list[tuple[int, float]]:
        if not ids or not np.any(vector):
            return []
        rows = self._rows(
            f"SELECT id, {column} FROM chunk WHERE tenant = %(tenant)s AND id = ANY(%(ids)s) AND {column} IS NOT NULL",
            ids=[int(number) for number in ids],
        )
        if not rows:
            return []
        known = np.array([row[0] for row in rows], np.int64)
        stored = np.frombuffer(b"".join(row[1] for row in rows), np.int8).reshape(len(rows), -1)
        return cosines_of(vector, known, stored, limit)

    def _rows(self, sql: str, **values: object) -> list[Any]:
        values = {"tenant": self._tenant, **values}
        return self._connection.execute(sql.encode(), values, binary=True).fetchall()


def _query(vector: Vector) -> tuple[Vector, float]:
    """Return a question's vector as 8-bit numbers, and the scale of its products to cosines."""
    scale = 127.0 / float(np.max(np.abs(vector)))  # the whole range of 8 bits
    return quantise(vector, scale).astype(np.float32), SCALE * scale
