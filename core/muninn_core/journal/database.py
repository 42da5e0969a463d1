"""The journal's SQLite files: how they are opened, their tables and migrations, and their errors.

Migrations only add. Each runs in one transaction with its number, so that an interrupted one runs again.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from muninn_core.errors import BusyError, MuninnError, ReadOnlyError, StorageError

APPLICATION_ID = 0x4D4A524E
"""SQLite's application id of a journal: "MJRN"."""

EVENTS = (
    # 1: events, the head of the chain, sealed months, and what outlives sealed events.
    """
CREATE TABLE raw_events(
  position INTEGER PRIMARY KEY, event_id TEXT NOT NULL UNIQUE, project_id TEXT NOT NULL, session_id TEXT NOT NULL,
  turn_id TEXT NOT NULL, stream_id TEXT NOT NULL, stream_seq INTEGER NOT NULL, event_type TEXT NOT NULL,
  event_version INTEGER NOT NULL, occurred_at TEXT NOT NULL, actor TEXT NOT NULL, source TEXT NOT NULL,
  payload_json TEXT NOT NULL, idempotency_key TEXT, trace_id TEXT, recorded_at INTEGER NOT NULL,
  stored TEXT NOT NULL, payload_hash BLOB NOT NULL, hash BLOB NOT NULL,
  UNIQUE(stream_id, stream_seq, project_id));
CREATE UNIQUE INDEX raw_events_key ON raw_events(idempotency_key, project_id) WHERE idempotency_key IS NOT NULL;
CREATE TABLE chain_head(id INTEGER PRIMARY KEY CHECK(id = 1), position INTEGER NOT NULL, hash BLOB NOT NULL,
  recorded_at INTEGER NOT NULL);
INSERT INTO chain_head VALUES(1, 0, zeroblob(32), 0);
CREATE TABLE redactions(event_id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE sealed(last INTEGER PRIMARY KEY, first INTEGER NOT NULL, hash BLOB NOT NULL, previous BLOB NOT NULL,
  file TEXT NOT NULL, dropped INTEGER NOT NULL DEFAULT 0);
CREATE TABLE sealed_keys(idempotency_key TEXT NOT NULL, project_id TEXT NOT NULL, position INTEGER NOT NULL,
  PRIMARY KEY(idempotency_key, project_id)) WITHOUT ROWID;
CREATE TABLE sealed_streams(stream_id TEXT NOT NULL, project_id TEXT NOT NULL, stream_seq INTEGER NOT NULL,
  PRIMARY KEY(stream_id, project_id)) WITHOUT ROWID;
CREATE TRIGGER raw_events_insert BEFORE INSERT ON raw_events
WHEN NEW.position <> 1 + max(coalesce((SELECT max(position) FROM raw_events), 0),
                             coalesce((SELECT max(last) FROM sealed), 0))
  OR EXISTS(SELECT 1 FROM raw_events WHERE event_id = NEW.event_id)
  OR EXISTS(SELECT 1 FROM raw_events
            WHERE (stream_id, stream_seq, project_id) = (NEW.stream_id, NEW.stream_seq, NEW.project_id))
  OR EXISTS(SELECT 1 FROM raw_events
            WHERE (idempotency_key, project_id) = (NEW.idempotency_key, NEW.project_id))
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER raw_events_update BEFORE UPDATE ON raw_events
WHEN NOT (NEW.stored = 'redacted' AND NEW.payload_json = ''
  AND EXISTS(SELECT 1 FROM redactions WHERE event_id = OLD.event_id)
  AND (NEW.position, NEW.event_id, NEW.project_id, NEW.session_id, NEW.turn_id, NEW.stream_id, NEW.stream_seq,
       NEW.event_type, NEW.event_version, NEW.occurred_at, NEW.actor, NEW.source, NEW.idempotency_key, NEW.trace_id,
       NEW.recorded_at, NEW.payload_hash, NEW.hash)
   IS (OLD.position, OLD.event_id, OLD.project_id, OLD.session_id, OLD.turn_id, OLD.stream_id, OLD.stream_seq,
       OLD.event_type, OLD.event_version, OLD.occurred_at, OLD.actor, OLD.source, OLD.idempotency_key, OLD.trace_id,
       OLD.recorded_at, OLD.payload_hash, OLD.hash))
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER raw_events_delete BEFORE DELETE ON raw_events
WHEN OLD.position > (SELECT coalesce(max(last), 0) FROM sealed)
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER redactions_delete BEFORE DELETE ON redactions
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
""",
    # 2: the state of spans: sessions with their project, turns with their token, capsules.
    """
CREATE TABLE spans(
  project_id TEXT NOT NULL, span_id TEXT NOT NULL, kind TEXT NOT NULL CHECK(kind IN ('session', 'turn', 'capsule')),
  parent TEXT NOT NULL, session_id TEXT NOT NULL, turn_id TEXT NOT NULL, type TEXT NOT NULL, intent TEXT NOT NULL,
  scope_json TEXT NOT NULL, status TEXT NOT NULL CHECK(status IN ('open', 'closed', 'incomplete')),
  reason TEXT NOT NULL, token_hash BLOB, expires_at INTEGER, opened_at TEXT NOT NULL, closed_at TEXT NOT NULL,
  opened_position INTEGER NOT NULL, PRIMARY KEY(project_id, span_id)) WITHOUT ROWID;
CREATE UNIQUE INDEX spans_session ON spans(session_id) WHERE kind = 'session';
CREATE UNIQUE INDEX spans_token ON spans(token_hash) WHERE token_hash IS NOT NULL;
CREATE INDEX spans_open ON spans(kind, expires_at) WHERE status = 'open';
""",
    # 3: agents that work at the same time, their leases, hand-offs and barriers.
    """
CREATE TABLE agents(
  name TEXT PRIMARY KEY, role TEXT NOT NULL, session_id TEXT NOT NULL, root TEXT NOT NULL, client TEXT NOT NULL,
  task TEXT NOT NULL, seconds INTEGER NOT NULL, granted INTEGER NOT NULL, key_hash BLOB NOT NULL UNIQUE,
  project_id TEXT NOT NULL, registered_at TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE leases(resource TEXT PRIMARY KEY, agent TEXT NOT NULL, token INTEGER NOT NULL, claimed_at TEXT NOT NULL)
  WITHOUT ROWID;
CREATE INDEX leases_agent ON leases(agent);
CREATE TABLE handoffs(position INTEGER PRIMARY KEY, sender TEXT NOT NULL, recipient TEXT NOT NULL, text TEXT NOT NULL,
  resources_json TEXT NOT NULL, sent_at TEXT NOT NULL);
CREATE TABLE barriers(name TEXT PRIMARY KEY, parties INTEGER NOT NULL, arrived_json TEXT NOT NULL,
  position INTEGER NOT NULL) WITHOUT ROWID;
""",
)
"""The migrations of the journal, from version 0 on."""

PAGE_BYTES = 4096
WAL_PAGES = 1000
"""Pages after which the write-ahead log is copied into the database."""

_WAL_BYTES = 32 + (WAL_PAGES + 64) * (24 + PAGE_BYTES)
"""The size of a write-ahead log of so many pages, and of those that the last transaction adds. Source:
sqlite.org/fileformat2.html, section 4.1."""


def open_writer(path: Path, migrations: Sequence[str]) -> sqlite3.Connection:
    """Open a database for its only writer, create it with mode 0600, and apply the missing migrations.

    Raises StorageError when it was made by a newer version, is damaged, or lies on a file system without WAL.
    """
    with translate(path):
        make_private(path)
        connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=30)
        try:
            connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
            (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
            if mode != "wal":
                raise StorageError(
                    f"{path} lies on a file system without shared memory, which the journal needs",
                    hint="Keep the repository on a local disk; nothing was recorded.",
                )
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute(f"PRAGMA wal_autocheckpoint = {WAL_PAGES}")
            _migrate(connection, path, migrations)
            reserve_log(path)
        except BaseException:
            connection.close()
            raise
        return connection


def reserve_log(path: Path) -> None:
    """Extend the write-ahead log of a database with zeros, while nothing writes to it: 4 MB.

    A flush of a file that keeps its size is about twice as fast. SQLite ignores what follows the last valid frame.
    """
    log = Path(f"{path}-wal")
    try:
        with log.open("r+b") as file:
            file.write(bytes(max(0, _WAL_BYTES - file.seek(0, os.SEEK_END))))
            file.flush()
            os.fdatasync(file.fileno())
    except OSError:
        pass  # the log grows with the events instead; a full disk is reported by the event that has no room


def open_reader(path: Path) -> sqlite3.Connection:
    """Open a database for reading; several threads may use the connection, one at a time."""
    with translate(path):
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None, check_same_thread=False, timeout=30
        )
        connection.execute("PRAGMA query_only = ON")
        return connection


def make_private(path: Path) -> None:
    """Create an empty file with mode 0600 in a folder with mode 0700. SQLite gives its other files the same mode."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if path.parent.stat().st_mode & 0o077:
        path.parent.chmod(0o700)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))


def _migrate(connection: sqlite3.Connection, path: Path, migrations: Sequence[str]) -> None:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > len(migrations):
        raise StorageError(
            f"{path} has format {version}; this version of Muninn reads formats up to {len(migrations)}",
            hint="Update Muninn; nothing was changed.",
        )
    for number in range(version, len(migrations)):
        script = f"BEGIN IMMEDIATE; {migrations[number]}; PRAGMA user_version = {number + 1}; COMMIT;"
        try:
            connection.executescript(script)
        except sqlite3.Error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
    if version < len(migrations):
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")


@contextmanager
def translate(path: Path) -> Iterator[None]:
    """Turn an error of SQLite or of the system into a MuninnError with a hint."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise storage_error(path, error) from error


def storage_error(path: Path, error: Exception) -> MuninnError:
    """Return the error for a failed read or write of a database."""
    name = getattr(error, "sqlite_errorname", "")
    reason = getattr(error, "strerror", None) or str(error)
    if name.startswith(("SQLITE_FULL", "SQLITE_IOERR_WRITE")) or "disk is full" in reason:
        return StorageError(f"can't write {path}: {reason}", hint="Make room on the disk; nothing was recorded.")
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return BusyError(f"{path} is in use: {reason}", hint="Try again; nothing was recorded.")
    if name.startswith(("SQLITE_READONLY", "SQLITE_PERM", "SQLITE_CANTOPEN")) or isinstance(error, PermissionError):
        return ReadOnlyError(f"can't open {path} for writing: {reason}", hint="Check the folder's permissions.")
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return StorageError(
            f"{path} is damaged: {reason}", hint="Move it away; `muninn audit verify` says which events a copy has."
        )
    return StorageError(f"can't use {path}: {reason}", hint="Check the disk; nothing was recorded.")
