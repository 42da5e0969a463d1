"""Reading of the manifest: a connection that sees one fixed state, and the rows that it returns."""

from __future__ import annotations

import sqlite3
import threading
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from muninn_core.errors import BusyError, StorageError
from muninn_core.index.embedding.encodings import Encoding
from muninn_core.index.integrity import DamagedIndex, is_at_limit, is_exhausted
from muninn_core.index.manifest.code_facts import Code
from muninn_core.index.vectors.vector_index import KIND_BITS
from muninn_core.index.words.term_counts import FIELDS
from muninn_core.model.chunk import SOURCE_KINDS, Chunk
from muninn_core.resource_exhaustion import raising_limits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from muninn_core.model.chunk import SourceKind

UNFINISHED = "unfinished"
"""The entry of an index whose first run over all files has not ended."""

_MAPPED = 128 * 1024 * 1024
"""Bytes of the file that readers map. All readers share the pages."""

_BATCH = 20_000
"""Vectors read per query."""

_MEMORY = "/memory/"
"""The prefix of a memory's key. No relative path starts with it."""


class FileRow(NamedTuple):
    """A file (or memory) as it was indexed. `generated`: its head says that a program wrote it."""

    path: str
    size: int
    mtime_ns: int
    digest: bytes
    kind: SourceKind
    language: str
    generated: bool = False


class ChunkRow(NamedTuple):
    """A chunk with its id. `extra` holds words that are searched with the text: tags and files of a memory."""

    id: int
    chunk: Chunk
    extra: str


def memory_key(memory_id: str) -> str:
    """Return the key of a memory, which stands in the place of a path."""
    return _MEMORY + memory_id


class ManifestReader:
    """One connection to the manifest, which reads: of a reader that sees one fixed state, or of the writer."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        # Threads that run the same query share a prepared statement, and Python 3.13 mixes up their rows. SQLite runs
        # one query of a connection at a time anyway.
        self._querying = threading.Lock()
        self.code = Code(self._rows, connection)

    def _rows(self, sql: str, parameters: Sequence[object] = ()) -> list[Any]:
        try:
            with self._querying:
                return self.connection.execute(sql, parameters).fetchall()
        except UnicodeEncodeError:
            return []  # git names a file whose name is not UTF-8, and such files are not indexed
        except sqlite3.ProgrammingError:
            raise  # a wrong call, such as one on a closed connection
        except sqlite3.DatabaseError as error:
            raise storage_error(error) from error

    def _row(self, sql: str, parameters: Sequence[object] = ()) -> Any:
        return next(iter(self._rows(sql, parameters)), None)

    @property
    def unfinished(self) -> bool:
        """Whether the first run over all files of the work tree has not ended."""
        return self.meta(UNFINISHED) is not None

    def meta(self, key: str) -> str | None:
        """Return an entry of the meta table."""
        row = self._row("SELECT value FROM meta WHERE key = ?", (key,))
        return row[0] if row else None

    @property
    def generation(self) -> int:
        """The number of changes of the index so far."""
        return int(self.meta("generation") or 0)

    def file(self, path: str) -> FileRow | None:
        """Return the row of a path or memory key."""
        row = self._row(f"SELECT {FILE_COLUMNS} FROM files WHERE path = ?", (path,))
        return FileRow(*row) if row else None

    def files(self) -> dict[str, FileRow]:
        """Return all files by path; memories are left out."""
        rows = self._rows(f"SELECT {FILE_COLUMNS} FROM files WHERE kind != 'memory'")
        return {row[0]: FileRow(*row) for row in rows}

    def keys(self) -> list[str]:
        """Return the paths of all files and the keys of all memories, sorted."""
        return [row[0] for row in self._rows("SELECT path FROM files ORDER BY path")]

    def memories(self) -> dict[str, bytes]:
        """Return {memory id: digest} of all memories."""
        rows = self._rows("SELECT path, digest FROM files WHERE kind = 'memory'")
        return {path.removeprefix(_MEMORY): digest for path, digest in rows}

    @property
    def memory_count(self) -> int:
        """The number of memories."""
        return int(self._row("SELECT COUNT(*) FROM files WHERE kind = 'memory'")[0])

    def indexed_paths(self, paths: Sequence[str]) -> set[str]:
        """Return those of the paths that are indexed."""
        return {row[0] for row in self._among("SELECT path FROM files WHERE path", paths)}

    def generated(self) -> frozenset[str]:
        """Return the paths of files that were generated by a program."""
        return frozenset(row[0] for row in self._rows("SELECT path FROM files WHERE generated"))

    def file_paths(self, ids: Sequence[int]) -> dict[int, str]:
        """Return {file id: path}."""
        return {row[0]: row[1] for row in self._by_id("id, path", "files", ids)}

    def file_id(self, path: str) -> int | None:
        """Return a file's id."""
        row = self._row("SELECT id FROM files WHERE path = ?", (path,))
        return row[0] if row else None

    def chunks(self, ids: Sequence[int]) -> dict[int, Chunk]:
        """Return {id: chunk} of the ids that exist. The path of a memory's chunk is the memory's id."""
        return _chunks(self._by_id(_BARE, "chunks", ids))

    def by_place(self, ids: Sequence[int]) -> list[int]:
        """Return the ids that exist in the order of their paths and lines, which is the same in every index."""
        return [row[0] for row in sorted(self._by_id("id, path, start", "chunks", ids), key=lambda row: row[1:])]

    def chunks_of(self, path: str) -> list[ChunkRow]:
        """Return the chunks of a path or memory key, in the order of the file."""
        rows = self._rows(f"SELECT {_CHUNK} FROM chunks WHERE path = ? ORDER BY id", (path,))
        return [_chunk_row(row) for row in rows]

    def first_chunks(self, paths: Sequence[str]) -> dict[str, Chunk]:
        """Return {path: first chunk} of the paths that have chunks."""
        marks = ",".join("?" * len(paths))
        first = f"SELECT MIN(id) FROM chunks WHERE path IN ({marks}) GROUP BY path"
        rows = self._rows(f"SELECT {_BARE} FROM chunks WHERE id IN ({first})", paths) if paths else ()
        return {row[1]: _chunk(row) for row in rows}

    def unembedded(self, limit: int, after: int) -> list[ChunkRow]:
        """Return up to `limit` chunks without a vector, by id, with ids greater than `after`."""
        rows = self._rows(
            f"SELECT {_CHUNK} FROM chunks WHERE id > ? AND id NOT IN (SELECT id FROM vectors) ORDER BY id LIMIT ?",
            (after, limit),
        )
        return [_chunk_row(row) for row in rows]

    def unencoded(self, limit: int, after: int) -> list[ChunkRow]:
        """Return up to `limit` chunks of memories without an encoding, by id, with ids greater than `after`."""
        first = SOURCE_KINDS.index("memory") << KIND_BITS
        rows = self._rows(
            f"SELECT {_CHUNK} FROM chunks WHERE id > ? AND id NOT IN (SELECT id FROM encodings) ORDER BY id LIMIT ?",
            (max(after, first), limit),
        )
        return [_chunk_row(row) for row in rows]

    def encodings(self, digests: Sequence[bytes]) -> dict[bytes, Encoding]:
        """Return {digest of a text: its encoding} of the texts that are encoded."""
        sql = "SELECT digest, vector, states FROM encodings JOIN token_states USING(id) WHERE digest"
        return {one: Encoding(vector, states) for one, vector, states in self._among(sql, digests)}

    def token_states(self, ids: Sequence[int]) -> dict[int, bytes]:
        """Return {id of a memory's chunk: states of its tokens} of those that are encoded."""
        return dict(self._by_id("id, states", "token_states", ids))

    def present(self, ids: Sequence[int]) -> set[int]:
        """Return those of the ids that are chunks."""
        return {row[0] for row in self._by_id("id", "chunks", ids)}

    def count(self, table: str) -> int:
        """Return the number of rows of a table."""
        return int(self._row(f"SELECT COUNT(*) FROM {table}")[0])

    def counts(self) -> dict[str, int]:
        """Return the number of files and of chunks of each kind, and of chunks without a vector."""
        files = self._row("SELECT COUNT(*) FROM files WHERE kind != 'memory'")[0]
        # The index on paths has all ids and no texts, so that it takes a tenth of the pages.
        of_kind = f"SELECT id >> {KIND_BITS}, COUNT(*) FROM chunks INDEXED BY chunks_path GROUP BY 1"
        chunks = dict(self._rows(of_kind))
        found = {"files": int(files), "chunks": sum(chunks.values())}
        found.update((kind, chunks.get(number, 0)) for number, kind in enumerate(SOURCE_KINDS))
        found["unembedded"] = found["chunks"] - self.count("vectors")
        return found

    def vectors(
        self, dim: int, kind: SourceKind, table: str = "vectors"
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int8]]]:
        """Yield (ids, int8 [n, dim]) of the vectors of a kind, in batches, by id; of `encodings` with that table."""
        first = SOURCE_KINDS.index(kind) << KIND_BITS
        last = first + (1 << KIND_BITS)
        sql = f"SELECT id, vector FROM {table} WHERE id > ? AND id < ? ORDER BY id LIMIT ?"
        while rows := self._rows(sql, (first, last, _BATCH)):
            blob = b"".join([row[1] for row in rows])
            yield np.array([row[0] for row in rows], np.int64), np.frombuffer(blob, np.int8).reshape(-1, dim)
            first = rows[-1][0]

    def paths(self) -> list[tuple[str, SourceKind, str]]:
        """Return (path, kind, language) of all files, by path; memories are left out."""
        return self._rows("SELECT path, kind, language FROM files WHERE kind != 'memory' ORDER BY 1")

    def ids_of(self, keys: Sequence[str]) -> list[int]:
        """Return the ids of the chunks of paths and memory keys, in order."""
        return sorted(row[0] for row in self._among("SELECT id FROM chunks WHERE path", keys))

    def ids_of_memories(self, ids: Sequence[str]) -> dict[str, int]:
        """Return {memory id: id of its chunk} of the memories that are indexed."""
        rows = self._among("SELECT path, id FROM chunks WHERE path", [memory_key(each) for each in ids])
        return {key[len(_MEMORY) :]: number for key, number in rows}

    def memories_of_numbers(self, ids: Sequence[int]) -> dict[int, str]:
        """Return {id of a chunk: memory id} of the chunks of memories."""
        return {number: key[len(_MEMORY) :] for number, key in self._by_id("id, path", "chunks", ids)}

    def pending(self) -> list[str]:
        """Return the keys whose change may not have reached the word index."""
        return [row[0] for row in self._rows("SELECT path FROM pending ORDER BY path")]

    def terms(self, ids: Sequence[int], *, whole: bool = False) -> dict[int, bytes]:
        """Return {id: term counts} of chunks, or of whole files by their file ids."""
        sign = -1 if whole else 1
        return {sign * number: counts for number, counts in self._by_id("id, counts", "terms", [sign * i for i in ids])}

    def lengths(self) -> tuple[int, ...]:
        """Return the number of words in each field of all documents, in the order of `term_counts.FIELDS`."""
        stored = self.meta("lengths")
        return tuple(map(int, stored.split())) if stored else (0,) * len(FIELDS)

    def release_memory(self) -> None:
        """Release mapped and cached pages. The next query reads them again."""
        with self._querying:
            mapped = self.connection.execute("PRAGMA mmap_size").fetchone()
            self.connection.execute("PRAGMA mmap_size = 0")
            self.connection.execute("PRAGMA shrink_memory")
            if mapped:
                self.connection.execute(f"PRAGMA mmap_size = {mapped[0]}")

    def end_read(self) -> None:
        """Give up the fixed state of a reader, so that the writer can start its write-ahead log over."""
        if self.connection.in_transaction:
            self.connection.execute("ROLLBACK")

    def begin_read(self) -> None:
        """Fix the current state of a reader again. Raises StorageError."""
        try:
            self.connection.execute("BEGIN")
            self.connection.execute("SELECT 1 FROM meta").fetchone()
        except sqlite3.DatabaseError as error:
            raise storage_error(error) from error

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()

    def _by_id(self, columns: str, table: str, ids: Sequence[int]) -> list[Any]:
        return self._among(f"SELECT {columns} FROM {table} WHERE id", ids)

    def _among(self, sql: str, values: Sequence[object]) -> list[Any]:
        """Return the rows of a query whose last column is one of `values`. SQLite takes some of them at a time."""
        found: list[Any] = []
        for i in range(0, len(values), 500):
            part = values[i : i + 500]
            found += self._rows(f"{sql} IN ({','.join('?' * len(part))})", part)
        return found


FILE_COLUMNS = "path, size, mtime_ns, digest, kind, language, generated"
_BARE = "id, path, start, end, language, symbol, title, signature, comment, text"
_CHUNK = f"{_BARE}, extra"


def open_reader(path: Path, *, foreign: bool = False) -> ManifestReader:
    """Open a connection that sees the current state of the manifest until it is closed. Raises StorageError.

    With `foreign`, the manifest is that of another process: the connection writes nothing, and moves no write-ahead
    log when it is closed.
    """
    name = f"{path.absolute().as_uri()}?mode=ro" if foreign else path
    try:
        connection = sqlite3.connect(name, isolation_level=None, check_same_thread=False, uri=foreign)
    except sqlite3.DatabaseError as error:
        raise storage_error(error) from error
    try:
        connection.execute("PRAGMA query_only = 1")
        # An answer needs rows of sixty pages. Reading each by a system call took two thirds of a query's time.
        connection.execute(f"PRAGMA mmap_size = {_MAPPED}")
        manifest = ManifestReader(connection)
        manifest.begin_read()  # the first read fixes the state
    except sqlite3.DatabaseError as error:
        connection.close()
        raise storage_error(error) from error
    except StorageError:
        connection.close()
        raise
    return manifest


_Columns = tuple[int, str, int, int, str, str, str, str, str, str]


def _chunk_row(row: tuple[*_Columns, str]) -> ChunkRow:
    return ChunkRow(row[0], _chunk(row[:-1]), row[-1])


def _chunk(row: _Columns) -> Chunk:
    return _chunks([row])[row[0]]


def _chunks(rows: Iterable[_Columns]) -> dict[int, Chunk]:
    """Return {id: chunk} of rows. A question reads hundreds, so that no function is called for each."""
    found: dict[int, Chunk] = {}
    for number, path, start, end, language, symbol, title, signature, comment, text in rows:
        found[number] = Chunk(
            kind=SOURCE_KINDS[number >> KIND_BITS],
            path=path.removeprefix(_MEMORY),
            start=start,
            end=end,
            text=text,
            language=language,
            symbol=symbol,
            title=title,
            signature=signature,
            comment=comment,
        )
    return found


def storage_error(error: sqlite3.Error) -> StorageError | BusyError:
    """Return the error that means what SQLite said."""
    if "locked" in str(error):
        return BusyError("another process writes the index", hint="Only one daemon may serve a repository.")
    if is_exhausted(error):
        hint = raising_limits() if is_at_limit(error) else "Is the disk full? The cache can be deleted."
        return StorageError(f"the index can't be written: {error}", hint=hint)
    return DamagedIndex(f"the index is damaged: {error}", hint="It is rebuilt; try again.")
