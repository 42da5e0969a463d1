"""The manifest: what is indexed, in SQLite. The word index and the vector index are rebuilt from it.

It holds files, chunks with their texts, quantised vectors, and the journal `pending` of changes that the word index
does not have yet. A memory is a file of the kind `memory` with one chunk, under a key that no path can equal. Ids of
chunks are never reused.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from muninn_core.errors import BusyError, StorageError
from muninn_core.index.code import SCHEMA, Code
from muninn_core.index.encodings import Encoding
from muninn_core.index.integrity import DamagedIndex, is_shortage
from muninn_core.index.term_counts import FIELDS, HEADER_BYTES, added, lengths
from muninn_core.index.vector import KIND_BITS
from muninn_core.model.chunk import SOURCE_KINDS, Chunk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from muninn_core.index.encodings import Encodings
    from muninn_core.model.chunk import SourceKind

FORMAT = 7
"""The version of the tables. 1: files, chunks, vectors, pending, meta. 2: 8-bit vectors. 3: signature and comment of a
chunk, and the tables of `code.py`. 4: whether a file was generated. 5: the term counts of chunks and files. 6: the
encodings of memories. 7: the states of their tokens."""

FEATURES = 7
"""The version of the content. Raise it when the same files give other chunks, words or vectors: indexes are rebuilt.
2: a JavaScript call with a function argument is no definition. 3: chunks follow definitions. 4: the title of code is
not searched. 5: signatures and comments are in the body only. 6: more definitions; partly parsed code. 7: a
memory's title that is the beginning of its text is not searched."""

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
CREATE TABLE encodings(id INTEGER PRIMARY KEY, digest BLOB NOT NULL, vector BLOB NOT NULL);
CREATE INDEX encodings_digest ON encodings(digest);
CREATE TABLE token_states(id INTEGER PRIMARY KEY, states BLOB NOT NULL);
CREATE TABLE terms(id INTEGER PRIMARY KEY, counts BLOB NOT NULL);
CREATE TABLE pending(path TEXT PRIMARY KEY) WITHOUT ROWID;
"""

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


class Manifest:
    """One connection to the manifest: of the writer, or of a reader that sees one fixed state."""

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
            raise _storage_error(error) from error

    def _row(self, sql: str, parameters: Sequence[object] = ()) -> Any:
        return next(iter(self._rows(sql, parameters)), None)

    def meta(self, key: str) -> str | None:
        """Return an entry of the meta table."""
        row = self._row("SELECT value FROM meta WHERE key = ?", (key,))
        return row[0] if row else None

    def set_meta(self, key: str, value: str) -> None:
        """Set an entry of the meta table."""
        self.connection.execute("INSERT OR REPLACE INTO meta VALUES(?, ?)", (key, value))

    @property
    def generation(self) -> int:
        """The number of changes of the index so far."""
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

    def indexed_paths(self, paths: Sequence[str]) -> set[str]:
        """Return those of the paths that are indexed."""
        found: set[str] = set()
        for i in range(0, len(paths), 500):
            part = paths[i : i + 500]
            marks = ",".join("?" * len(part))
            found.update(row[0] for row in self._rows(f"SELECT path FROM files WHERE path IN ({marks})", part))
        return found

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
        found: dict[bytes, Encoding] = {}
        for i in range(0, len(digests), 500):
            part = digests[i : i + 500]
            marks = ",".join("?" * len(part))
            rows = self._rows(
                f"SELECT digest, vector, states FROM encodings JOIN token_states USING(id) WHERE digest IN ({marks})",
                part,
            )
            found.update((one, Encoding(vector, states)) for one, vector, states in rows)
        return found

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
        found: list[int] = []
        for i in range(0, len(keys), 500):
            part = keys[i : i + 500]
            marks = ",".join("?" * len(part))
            found += [row[0] for row in self._rows(f"SELECT id FROM chunks WHERE path IN ({marks})", part)]
        return sorted(found)

    def ids_of_memories(self, ids: Sequence[str]) -> dict[str, int]:
        """Return {memory id: id of its chunk} of the memories that are indexed."""
        found: dict[str, int] = {}
        for i in range(0, len(ids), 500):
            part = [_MEMORY + each for each in ids[i : i + 500]]
            marks = ",".join("?" * len(part))
            rows = self._rows(f"SELECT path, id FROM chunks WHERE path IN ({marks})", part)
            found |= {key[len(_MEMORY) :]: number for key, number in rows}
        return found

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

    def put_terms(self, counts: Iterable[tuple[int, bytes]], *, whole: bool = False) -> None:
        """Store the term counts of new chunks, or of new whole files by their file ids."""
        rows = [(-number if whole else number, each) for number, each in counts]
        self.connection.executemany("INSERT INTO terms VALUES(?, ?)", rows)
        total = self.lengths()
        for _, each in rows:
            total = added(total, lengths(each, whole=whole))
        self._set_lengths(total)

    def lengths(self) -> tuple[int, ...]:
        """Return the number of words in each field of all documents, in the order of `term_counts.FIELDS`."""
        stored = self.meta("lengths")
        return tuple(map(int, stored.split())) if stored else (0,) * len(FIELDS)

    def _set_lengths(self, total: Sequence[int]) -> None:
        self.set_meta("lengths", " ".join(map(str, total)))

    def _remove_terms(self, ids: Sequence[int], file: int | None) -> None:
        keys = [*ids, *([] if file is None else [-file])]
        head = f"id, substr(counts, 1, {HEADER_BYTES})"
        total = self.lengths()
        for number, header in self._by_id(head, "terms", keys):
            total = added(total, lengths(header, whole=number < 0), -1)
        self._set_lengths(total)
        self.connection.executemany("DELETE FROM terms WHERE id = ?", ((key,) for key in keys))

    def remove(self, path: str) -> list[int]:
        """Delete a path's rows and return the ids of its chunks."""
        ids = [row[0] for row in self._rows("SELECT id FROM chunks WHERE path = ?", (path,))]
        self._remove_terms(ids, self.file_id(path))
        for table in ("vectors", "encodings", "token_states"):
            self.connection.execute(f"DELETE FROM {table} WHERE id IN (SELECT id FROM chunks WHERE path = ?)", (path,))
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
        """Store the new size and time of a file whose content is unchanged."""
        self.connection.execute("UPDATE files SET size = ?, mtime_ns = ? WHERE path = ?", (size, mtime_ns, path))

    def clear_vectors(self, table: str = "vectors") -> None:
        """Delete all vectors, or all `encodings`, when the model has changed."""
        self.connection.execute(f"DELETE FROM {table}")
        if table == "encodings":
            self.connection.execute("DELETE FROM token_states")

    def put_encodings(self, ids: Sequence[int], encodings: Encodings) -> None:
        """Store the encodings of memories."""
        blobs = (row.tobytes() for row in encodings.rows)
        self.connection.executemany(
            "INSERT OR REPLACE INTO encodings VALUES(?, ?, ?)", zip(ids, encodings.digests, blobs, strict=True)
        )
        self.connection.executemany(
            "INSERT OR REPLACE INTO token_states VALUES(?, ?)", zip(ids, encodings.states, strict=True)
        )

    def put_vectors(self, ids: Sequence[int], rows: NDArray[np.int8]) -> None:
        """Store vectors [n, dim] from `quantise`."""
        self.connection.executemany(
            "INSERT OR REPLACE INTO vectors VALUES(?, ?)", zip(ids, (row.tobytes() for row in rows), strict=True)
        )

    def begin_change(self, paths: Iterable[str]) -> None:
        """Add keys to the journal: the word index does not have their change yet."""
        self.connection.executemany("INSERT OR IGNORE INTO pending VALUES(?)", ((path,) for path in paths))

    def end_change(self) -> None:
        """Empty the journal: the word index has all changes."""
        self.connection.execute("DELETE FROM pending")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit the changes of the block, or none when it raises. Raises StorageError when they can't be written."""
        try:
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self.connection.execute("ROLLBACK")
                raise
            self.connection.execute("COMMIT")
        except sqlite3.ProgrammingError:
            raise
        except sqlite3.DatabaseError as error:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            raise _storage_error(error) from error

    def check(self) -> None:
        """Check all pages, and that tables and their indexes agree. Raises DamagedIndex; then it is closed."""
        try:
            found = self._row("PRAGMA integrity_check(1)")
            if found != ("ok",):
                raise DamagedIndex(f"the manifest is damaged: {found}")
        except BaseException:
            self.close()
            raise

    def checkpoint(self) -> int:
        """Move as much of the write-ahead log into the database as readers allow; return its length in pages.

        Raises StorageError.
        """
        return self._checkpoint("PASSIVE")[1]

    def checkpoint_whole(self) -> bool:
        """Move the write-ahead log into the database; return whether all of it was moved. Raises StorageError."""
        _, pages, moved = self._checkpoint("PASSIVE")
        return pages == moved

    def vacuum(self) -> None:
        """Rewrite the database, so that its free pages hold no deleted rows. Raises StorageError."""
        try:
            self.connection.execute("VACUUM")
        except sqlite3.DatabaseError as error:
            raise _storage_error(error) from error

    def empty_log(self) -> bool:
        """Empty the write-ahead log, which holds older pages; False when a reader uses it for five seconds.

        Raises StorageError.
        """
        return not self._checkpoint("TRUNCATE")[0]

    def _checkpoint(self, mode: str) -> tuple[int, int, int]:
        """Return whether it was hindered, the length of the write-ahead log in pages, and how many were moved."""
        try:
            busy, pages, moved = self.connection.execute(f"PRAGMA wal_checkpoint({mode})").fetchone()
        except sqlite3.DatabaseError as error:
            raise _storage_error(error) from error
        return int(busy), int(pages), int(moved)

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
            raise _storage_error(error) from error

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


def open_manifest(path: Path, *, check: bool = False) -> Manifest:
    """Open the manifest for writing. A missing or damaged one, or one of another version, is replaced by an empty one.

    With `check`, all pages are checked. Raises DamagedIndex, StorageError when it can't be written, BusyError while
    another process has it open.
    """
    try:
        known = _open_known(path)
        if known is not None:
            if check:
                known.check()
            return known
        for suffix in ("", "-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        connection = _connect(path)
        connection.executescript(_SCHEMA + SCHEMA)
        manifest = Manifest(connection)
        manifest.set_meta("version", f"{FORMAT}.{FEATURES}")
    except sqlite3.DatabaseError as error:
        raise _storage_error(error) from error
    except OSError as error:
        raise StorageError(f"the cache in {path.parent} can't be written: {error.strerror}") from error
    return manifest


def open_reader(path: Path, *, foreign: bool = False) -> Manifest:
    """Open a connection that sees the current state of the manifest until it is closed. Raises StorageError.

    With `foreign`, the manifest is that of another process: the connection writes nothing, and moves no write-ahead
    log when it is closed.
    """
    name = f"{path.absolute().as_uri()}?mode=ro" if foreign else path
    try:
        connection = sqlite3.connect(name, isolation_level=None, check_same_thread=False, uri=foreign)
    except sqlite3.DatabaseError as error:
        raise _storage_error(error) from error
    try:
        connection.execute("PRAGMA query_only = 1")
        # An answer needs rows of sixty pages. Reading each by a system call took two thirds of a query's time.
        connection.execute(f"PRAGMA mmap_size = {_MAPPED}")
        manifest = Manifest(connection)
        manifest.begin_read()  # the first read fixes the state
    except sqlite3.DatabaseError as error:
        connection.close()
        raise _storage_error(error) from error
    except StorageError:
        connection.close()
        raise
    return manifest


def _open_known(path: Path) -> Manifest | None:
    """Return the manifest when it exists, is intact and has this version; else None."""
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
    if not path.exists():
        with suppress(OSError):  # SQLite reports it; it gives its other files the mode of this one
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=5)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        # Each commit reaches the disk, so that a power failure never leaves the word index ahead of the journal.
        connection.execute("PRAGMA synchronous = FULL")
    except sqlite3.OperationalError:
        connection.close()
        raise
    except sqlite3.DatabaseError:
        pass  # not a database: the caller detects it and replaces the file
    return connection


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


def _storage_error(error: sqlite3.Error) -> StorageError | BusyError:
    if "locked" in str(error):
        return BusyError("another process writes the index", hint="only one daemon may serve a repository")
    if is_shortage(error):
        hint = "Is the disk full, or are too many files open? The cache can be deleted."
        return StorageError(f"the index can't be written: {error}", hint=hint)
    return DamagedIndex(f"the index is damaged: {error}", hint="It is rebuilt; try again.")
