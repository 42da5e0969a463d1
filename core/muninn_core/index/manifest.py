"""The manifest: what is indexed, in SQLite. It is the truth that the word index and the vectors are rebuilt from.

Files, chunks with their texts, vectors (whole numbers of 8 bits) and, for the changes under way, the `pending` journal.
Memories are rows as well: kind `memory`, one chunk each, under a key that no file can have. A chunk's id is never used
again. It knows nothing of tantivy and faiss, and nothing of how chunks are made.
"""

from __future__ import annotations

import sqlite3
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from muninn_core.errors import BusyError, StorageError
from muninn_core.index.code import SCHEMA, Code
from muninn_core.index.vector import KIND_BITS
from muninn_core.model.chunk import SOURCE_KINDS, Chunk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from muninn_core.model.chunk import SourceKind

FORMAT = 4
"""1: files, chunks, vectors, pending, meta. 2: vectors are whole numbers of 8 bits. 3: a chunk's signature and comment,
and the tables of `code.py`. 4: whether a file was generated."""

FEATURES = 6
"""Raised when chunks, words or vectors of the same files come out differently, so that old ones are made anew.
1: the first. 2: a call in JavaScript that is given a function is no definition. 3: chunks along definitions.
4: what surrounds a piece of code is no title that is searched. 5: signatures and comments are in the body alone.
6: more definitions, and files of code that their grammar understands only in part."""

_SCHEMA = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE files(id INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT NOT NULL UNIQUE, size INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL, digest BLOB NOT NULL, kind TEXT NOT NULL, language TEXT NOT NULL,
  generated INTEGER NOT NULL);
CREATE INDEX files_generated ON files(path) WHERE generated;
CREATE TABLE chunks(id INTEGER PRIMARY KEY, path TEXT NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL,
  language TEXT NOT NULL, symbol TEXT NOT NULL, title TEXT NOT NULL, signature TEXT NOT NULL, comment TEXT NOT NULL,
  text TEXT NOT NULL, extra TEXT NOT NULL);
CREATE INDEX chunks_path ON chunks(path);
CREATE TABLE vectors(id INTEGER PRIMARY KEY, vector BLOB NOT NULL);
CREATE TABLE pending(path TEXT PRIMARY KEY) WITHOUT ROWID;
"""

_MAPPED = 128 * 1024 * 1024
"""Bytes of the file that readers map; they share the pages, with one another and over generations."""

_BATCH = 20_000
"""Vectors that are read at a time."""

_MEMORY = "/memory/"
"""Before a memory's id it makes a key that no relative path equals."""


class FileRow(NamedTuple):
    """A file (or memory) as it was indexed. `generated`: it says that a program made it."""

    path: str
    size: int
    mtime_ns: int
    digest: bytes
    kind: SourceKind
    language: str
    generated: bool = False


class ChunkRow(NamedTuple):
    """A chunk with its id. `extra` are words that are searched beside the text: a memory's tags and files."""

    id: int
    chunk: Chunk
    extra: str


def memory_key(memory_id: str) -> str:
    """Return the key that a memory has among the paths."""
    return _MEMORY + memory_id


class Manifest:
    """One connection to the manifest: the writer's, or a reader's that sees one fixed state."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        # Two threads that ask the same at once share a prepared statement: Python 3.13 mixes up their rows. SQLite lets
        # only one of them in at a time anyway.
        self._asking = threading.Lock()
        self.code = Code(self._rows, connection)

    def _rows(self, question: str, parameters: Sequence[object] = ()) -> list[Any]:
        with self._asking:
            return self.connection.execute(question, parameters).fetchall()

    def _row(self, question: str, parameters: Sequence[object] = ()) -> Any:
        return next(iter(self._rows(question, parameters)), None)

    def meta(self, key: str) -> str | None:
        """Return an entry of the meta table."""
        row = self._row("SELECT value FROM meta WHERE key = ?", (key,))
        return row[0] if row else None

    def set_meta(self, key: str, value: str) -> None:
        """Set an entry of the meta table."""
        self.connection.execute("INSERT OR REPLACE INTO meta VALUES(?, ?)", (key, value))

    @property
    def generation(self) -> int:
        """How often the index has changed."""
        return int(self.meta("generation") or 0)

    def next_generation(self) -> None:
        """Count a change."""
        self.set_meta("generation", str(self.generation + 1))

    def file(self, path: str) -> FileRow | None:
        """Return the row of a path or memory key."""
        row = self._row(f"SELECT {_FILE} FROM files WHERE path = ?", (path,))
        return FileRow(*row) if row else None

    def files(self) -> dict[str, FileRow]:
        """Return all files by path; memories are left out."""
        rows = self._rows(f"SELECT {_FILE} FROM files WHERE kind != 'memory'")
        return {row[0]: FileRow(*row) for row in rows}

    def keys(self) -> list[str]:
        """Return the paths of all files and the keys of all memories, sorted."""
        return [row[0] for row in self._rows("SELECT path FROM files ORDER BY path")]

    def memories(self) -> dict[str, bytes]:
        """Return {memory id: digest} of all memories."""
        rows = self._rows("SELECT path, digest FROM files WHERE kind = 'memory'")
        return {path.removeprefix(_MEMORY): digest for path, digest in rows}

    def known(self, paths: Sequence[str]) -> set[str]:
        """Return those of some paths that are files of the index."""
        found: set[str] = set()
        for i in range(0, len(paths), 500):
            part = paths[i : i + 500]
            marks = ",".join("?" * len(part))
            found.update(row[0] for row in self._rows(f"SELECT path FROM files WHERE path IN ({marks})", part))
        return found

    def generated(self) -> frozenset[str]:
        """Return the files that say that a program made them."""
        return frozenset(row[0] for row in self._rows("SELECT path FROM files WHERE generated"))

    def file_paths(self, ids: Sequence[int]) -> dict[int, str]:
        """Return {file id: path}."""
        return {row[0]: row[1] for row in self._by_id("id, path", "files", ids)}

    def file_id(self, path: str) -> int | None:
        """Return a file's id."""
        row = self._row("SELECT id FROM files WHERE path = ?", (path,))
        return row[0] if row else None

    def chunks(self, ids: Sequence[int]) -> dict[int, Chunk]:
        """Return {id: chunk} of the ids that are there. A memory's path is its id."""
        return {row[0]: _chunk(row) for row in self._by_id(_BARE, "chunks", ids)}

    def chunks_of(self, path: str) -> list[ChunkRow]:
        """Return the chunks of a path or memory key, in the order of the file."""
        rows = self._rows(f"SELECT {_CHUNK} FROM chunks WHERE path = ? ORDER BY id", (path,))
        return [_chunk_row(row) for row in rows]

    def first_chunks(self, paths: Sequence[str]) -> dict[str, Chunk]:
        """Return the first chunk of each of the paths that has some."""
        marks = ",".join("?" * len(paths))
        first = f"SELECT MIN(id) FROM chunks WHERE path IN ({marks}) GROUP BY path"
        rows = self._rows(f"SELECT {_BARE} FROM chunks WHERE id IN ({first})", paths) if paths else ()
        return {row[1]: _chunk(row) for row in rows}

    def unembedded(self, limit: int, after: int) -> list[ChunkRow]:
        """Return chunks that have no vector yet, by id, from the first one after an id."""
        rows = self._rows(
            f"SELECT {_CHUNK} FROM chunks WHERE id > ? AND id NOT IN (SELECT id FROM vectors) ORDER BY id LIMIT ?",
            (after, limit),
        )
        return [_chunk_row(row) for row in rows]

    def present(self, ids: Sequence[int]) -> set[int]:
        """Return those of the ids that are chunks."""
        return {row[0] for row in self._by_id("id", "chunks", ids)}

    def count(self, table: str) -> int:
        """Return the number of rows of a table."""
        return int(self._row(f"SELECT COUNT(*) FROM {table}")[0])

    def counts(self) -> dict[str, int]:
        """Return the number of files and of chunks of each kind, and of chunks without a vector."""
        files = self._row("SELECT COUNT(*) FROM files WHERE kind != 'memory'")[0]
        # The index on paths holds every id and none of the texts: a tenth of the pages.
        of_kind = f"SELECT id >> {KIND_BITS}, COUNT(*) FROM chunks INDEXED BY chunks_path GROUP BY 1"
        chunks = dict(self._rows(of_kind))
        found = {"files": int(files), "chunks": sum(chunks.values())}
        found.update((kind, chunks.get(number, 0)) for number, kind in enumerate(SOURCE_KINDS))
        found["unembedded"] = found["chunks"] - self.count("vectors")
        return found

    def vectors(self, dim: int, kind: SourceKind) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int8]]]:
        """Yield (ids, whole numbers [n, dim]) of a kind's vectors, in batches, by id."""
        first = SOURCE_KINDS.index(kind) << KIND_BITS
        last = first + (1 << KIND_BITS)
        asked = "SELECT id, vector FROM vectors WHERE id > ? AND id < ? ORDER BY id LIMIT ?"
        while rows := self._rows(asked, (first, last, _BATCH)):
            blob = b"".join([row[1] for row in rows])
            yield np.array([row[0] for row in rows], np.int64), np.frombuffer(blob, np.int8).reshape(-1, dim)
            first = rows[-1][0]

    def paths(self) -> list[tuple[str, SourceKind, str]]:
        """Return (path, kind, language) of all files, by path; memories are left out."""
        return [
            (*row,) for row in self._rows("SELECT path, kind, language FROM files WHERE kind != 'memory' ORDER BY 1")
        ]

    def ids_of(self, keys: Sequence[str]) -> list[int]:
        """Return the ids of the chunks of paths and memory keys, in order."""
        found: list[int] = []
        for i in range(0, len(keys), 500):
            part = keys[i : i + 500]
            marks = ",".join("?" * len(part))
            found += [row[0] for row in self._rows(f"SELECT id FROM chunks WHERE path IN ({marks})", part)]
        return sorted(found)

    def pending(self) -> list[str]:
        """Return the paths whose change may not have reached the word index."""
        return [row[0] for row in self._rows("SELECT path FROM pending ORDER BY path")]

    def remove(self, path: str) -> list[int]:
        """Delete a path's rows and return the ids of its chunks."""
        ids = [row[0] for row in self._rows("SELECT id FROM chunks WHERE path = ?", (path,))]
        self.connection.execute("DELETE FROM vectors WHERE id IN (SELECT id FROM chunks WHERE path = ?)", (path,))
        self.connection.execute("DELETE FROM chunks WHERE path = ?", (path,))
        self.connection.execute("DELETE FROM files WHERE path = ?", (path,))
        return ids

    def insert(self, file: FileRow, chunks: Sequence[tuple[Chunk, str]]) -> list[int]:
        """Add a file with its (chunk, extra words), and return the chunks' new ids."""
        self.connection.execute(f"INSERT INTO files({_FILE}) VALUES(?, ?, ?, ?, ?, ?, ?)", file)
        first = int(self.meta("next") or 1)
        self.set_meta("next", str(first + len(chunks)))
        base = (SOURCE_KINDS.index(file.kind) << KIND_BITS) + first
        self.connection.executemany(
            "INSERT INTO chunks VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (
                    base + i,
                    file.path,
                    c.start,
                    c.end,
                    c.language,
                    c.symbol,
                    c.title,
                    c.signature,
                    c.comment,
                    c.text,
                    extra,
                )
                for i, (c, extra) in enumerate(chunks)
            ),
        )
        return list(range(base, base + len(chunks)))

    def touch(self, path: str, size: int, mtime_ns: int) -> None:
        """Note a file's new size and time: its content is the same."""
        self.connection.execute("UPDATE files SET size = ?, mtime_ns = ? WHERE path = ?", (size, mtime_ns, path))

    def clear_vectors(self) -> None:
        """Forget all vectors: another model makes others."""
        self.connection.execute("DELETE FROM vectors")

    def put_vectors(self, ids: Sequence[int], rows: NDArray[np.int8]) -> None:
        """Store vectors [n, dim], as `whole` makes them."""
        self.connection.executemany(
            "INSERT OR REPLACE INTO vectors VALUES(?, ?)", zip(ids, (row.tobytes() for row in rows), strict=True)
        )

    def begin_change(self, paths: Iterable[str]) -> None:
        """Note in the journal that the word index has yet to follow for these paths."""
        self.connection.executemany("INSERT OR IGNORE INTO pending VALUES(?)", ((path,) for path in paths))

    def end_change(self) -> None:
        """Empty the journal: the word index has followed."""
        self.connection.execute("DELETE FROM pending")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All changes inside, or none. Raises StorageError when they can't be written."""
        try:
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self.connection.execute("ROLLBACK")
                raise
            self.connection.execute("COMMIT")
        except sqlite3.OperationalError as error:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            raise _storage_error(error) from error

    def checkpoint(self) -> int:
        """Move the write-ahead log into the database as far as readers allow; return the log's length in pages."""
        _, pages, _ = self.connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        return int(pages)

    def checkpoint_whole(self) -> bool:
        """Move the write-ahead log into the database; say whether all of it could be moved."""
        _, pages, moved = self.connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        return int(pages) == int(moved)

    def vacuum(self) -> None:
        """Write the database anew: deleted rows stay in its free pages until then. Raises StorageError."""
        try:
            self.connection.execute("VACUUM")
        except sqlite3.OperationalError as error:
            raise _storage_error(error) from error

    def empty_log(self) -> bool:
        """Empty the write-ahead log, which holds older pages; False when a reader kept it in use for five seconds."""
        busy, _, _ = self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return not busy

    def rest(self) -> None:
        """Give back the pages that are mapped and kept; the next look takes in what it needs again."""
        with self._asking:
            mapped = self.connection.execute("PRAGMA mmap_size").fetchone()
            self.connection.execute("PRAGMA mmap_size = 0")
            self.connection.execute("PRAGMA shrink_memory")
            if mapped:
                self.connection.execute(f"PRAGMA mmap_size = {mapped[0]}")

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()

    def _by_id(self, columns: str, table: str, ids: Sequence[int]) -> list[Any]:
        found: list[Any] = []
        # SQLite takes a limited number of parameters.
        for i in range(0, len(ids), 500):
            part = ids[i : i + 500]
            marks = ",".join("?" * len(part))
            found += self._rows(f"SELECT {columns} FROM {table} WHERE id IN ({marks})", part)
        return found


_FILE = "path, size, mtime_ns, digest, kind, language, generated"
_BARE = "id, path, start, end, language, symbol, title, signature, comment, text"
_CHUNK = f"{_BARE}, extra"


def open_manifest(path: Path) -> Manifest:
    """Open the manifest for writing; a missing or unreadable one, or one of another version, is replaced by a new one.

    Raises StorageError where it can't be written, BusyError while another process holds it.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        known = _open_known(path)
        if known is not None:
            return known
        for suffix in ("", "-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        connection = _connect(path)
        connection.executescript(_SCHEMA + SCHEMA)
        manifest = Manifest(connection)
        manifest.set_meta("version", f"{FORMAT}.{FEATURES}")
    except sqlite3.OperationalError as error:
        raise _storage_error(error) from error
    except OSError as error:
        raise StorageError(f"the cache in {path.parent} can't be written: {error.strerror}") from error
    return manifest


def open_reader(path: Path) -> Manifest:
    """Open a connection that sees the manifest as it is now, for as long as it is open."""
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA query_only = 1")
    # The rows of an answer lie in sixty pages: to read each by a call took two thirds of a question's time.
    connection.execute(f"PRAGMA mmap_size = {_MAPPED}")
    connection.execute("BEGIN")
    connection.execute("SELECT 1 FROM meta").fetchone()  # the first read is what fixes the state
    return Manifest(connection)


def _open_known(path: Path) -> Manifest | None:
    """Return the manifest when it is there, whole and of this version."""
    if not path.exists():
        return None
    connection = _connect(path)
    try:
        row = connection.execute("SELECT value FROM meta WHERE key = 'version'").fetchone()
    except sqlite3.OperationalError as error:
        connection.close()
        if "locked" in str(error):
            raise
        return None
    except sqlite3.DatabaseError:
        connection.close()
        return None
    if row is None or row[0] != f"{FORMAT}.{FEATURES}":
        connection.close()
        return None
    return Manifest(connection)


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=5)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        # Each commit reaches the disk: not even a power failure shall leave the word index ahead of the journal.
        connection.execute("PRAGMA synchronous = FULL")
    except sqlite3.OperationalError:
        connection.close()
        raise
    except sqlite3.DatabaseError:
        pass  # no database at all: the caller finds out and replaces it
    return connection


_Columns = tuple[int, str, int, int, str, str, str, str, str, str]


def _chunk_row(row: tuple[*_Columns, str]) -> ChunkRow:
    return ChunkRow(row[0], _chunk(row[:-1]), row[-1])


def _chunk(row: _Columns) -> Chunk:
    number, path, start, end, language, symbol, title, signature, comment, text = row
    return Chunk(
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


def _storage_error(error: sqlite3.Error) -> StorageError | BusyError:
    if "locked" in str(error):
        return BusyError("another process writes the index", hint="only one daemon may serve a repository")
    return StorageError(f"the index can't be written: {error}", hint="is the disk full? the cache can be deleted")
