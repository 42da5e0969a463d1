"""The manifest: what is indexed, in SQLite. The word index and the vector index are rebuilt from it.

It holds files, chunks with their texts, quantised vectors, and the journal `pending` of changes that the word index
does not have yet. A memory is a file of the kind `memory` with one chunk, under a key that no path can equal. Ids of
chunks are never reused. `reader` reads it.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from muninn_core.errors import StorageError
from muninn_core.index.integrity import DamagedIndex
from muninn_core.index.manifest.code_facts import SCHEMA
from muninn_core.index.manifest.reader import FILE_COLUMNS, UNFINISHED, FileRow, ManifestReader, storage_error
from muninn_core.index.vectors.vector_index import KIND_BITS
from muninn_core.index.words.term_counts import HEADER_BYTES, added, lengths
from muninn_core.model.chunk import SOURCE_KINDS, Chunk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from muninn_core.index.embedding.encodings import Encodings

FORMAT = 7
"""The version of the tables. 1: files, chunks, vectors, pending, meta. 2: 8-bit vectors. 3: signature and comment of a
chunk, and the tables of `code.py`. 4: whether a file was generated. 5: the term counts of chunks and files. 6: the
encodings of memories. 7: the states of their tokens."""

FEATURES = 10
"""The version of the content. Raise it when the same files give other chunks, words or vectors: indexes are rebuilt.
2: a JavaScript call with a function argument is no definition. 3: chunks follow definitions. 4: the title of code is
not searched. 5: signatures and comments are in the body only. 6: more definitions; partly parsed code. 7: a
memory's title that is the beginning of its text is not searched. 8: annotated definitions of Java-like languages. 9:
fields of classes with an arrow function. 10: files such as `.cursorrules` are prose."""

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


class Manifest(ManifestReader):
    """The connection of the writer. It sees the current state."""

    def set_meta(self, key: str, value: str) -> None:
        """Set an entry of the meta table."""
        self.connection.execute("INSERT OR REPLACE INTO meta VALUES(?, ?)", (key, value))

    def note_finished(self) -> None:
        """Note that all files of the work tree were indexed once."""
        self.connection.execute("DELETE FROM meta WHERE key = ?", (UNFINISHED,))

    def next_generation(self) -> None:
        """Count a change."""
        self.set_meta("generation", str(self.generation + 1))

    def put_terms(self, counts: Iterable[tuple[int, bytes]], *, whole: bool = False) -> None:
        """Store the term counts of new chunks, or of new whole files by their file ids."""
        rows = [(-number if whole else number, each) for number, each in counts]
        self.connection.executemany("INSERT INTO terms VALUES(?, ?)", rows)
        total = self.lengths()
        for _, each in rows:
            total = added(total, lengths(each, whole=whole))
        self._set_lengths(total)

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
        self.connection.execute(f"INSERT INTO files({FILE_COLUMNS}) VALUES(?, ?, ?, ?, ?, ?, ?)", file)
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
            raise storage_error(error) from error

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
            raise storage_error(error) from error

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
            raise storage_error(error) from error
        return int(busy), int(pages), int(moved)


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
        manifest.set_meta(UNFINISHED, "1")
    except sqlite3.DatabaseError as error:
        raise storage_error(error) from error
    except OSError as error:
        raise StorageError(f"the cache in {path.parent} can't be written: {error.strerror}") from error
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
