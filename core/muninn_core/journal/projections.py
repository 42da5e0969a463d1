"""Projections of the journal: tables that follow its events, kept beside it and built again at will.

Each projection has an offset: the position of the last event that it holds. Offsets and rows change in one transaction,
so that an interrupted projection continues where it was. A new version of a projector builds its tables again.
"""

from __future__ import annotations

import hashlib
import logging
import marshal
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from muninn_core.errors import BadParams, MuninnError, NotFoundError
from muninn_core.index.embedding.embed import Embedder
from muninn_core.journal.database import make_private, translate
from muninn_core.journal.journal import Journal
from muninn_core.journal.projectors import (
    Decisions,
    Facts,
    Fields,
    Item,
    Patterns,
    Projector,
    Statistics,
    Vectors,
    Words,
    searched_text,
)
from muninn_core.journal.reader import Connections
from muninn_core.journal.row import Row, decoded, payload_text
from muninn_core.model.event import REDACTED, TOMBSTONE
from muninn_core.protocol.families.audit import ProjectionState, RebuiltProjection
from muninn_core.store.records.timestamps import milliseconds

VERSION = 3
"""The version of all projectors. Raise it when the same events give other rows: files of other versions are deleted."""

_BATCH = 10_000

_PAUSE = 0.2
"""Seconds after an event until it is applied, so that events in quick succession are applied together and writers are
not held up. A query applies what waits at once."""

log = logging.getLogger("muninn.journal")


class Projections:
    """The projections of one journal. Safe to use from several threads.

    One process follows the journal: that which writes it. Others read the tables as they are.
    """

    def __init__(self, journal: Journal, embedder: Embedder) -> None:
        self._journal = journal
        self.embedder = embedder
        self.path = journal.folder / "projections.db"
        self._projectors: tuple[Projector, ...] = (
            Facts(), Decisions(), Patterns(), Statistics(), Fields(), Words(), Vectors(embedder),
        )  # fmt: skip
        self._working = threading.Lock()
        self._writer: sqlite3.Connection | None = None
        self.connections = Connections(self.path)
        self._wake = threading.Event()
        self._closing = threading.Event()
        self.failure = ""
        self.removals = 0
        """Grows when rows are removed: what was read from the tables before may be gone."""
        self._thread = threading.Thread(target=self._follow, name="projections", daemon=True)
        self._thread.start()
        journal.on_commit(lambda _position: self._wake.set())

    def close(self) -> None:
        """Stop following; what is missing is added after the next start."""
        self._closing.set()
        self._wake.set()
        self._thread.join()
        self.connections.close()
        with self._working:
            if self._writer is not None:
                self._writer.close()
                self._writer = None

    def status(self) -> list[ProjectionState]:
        """Return the state of each projection."""
        offsets = self._offsets_read()
        head = self._journal.position
        return [
            ProjectionState(name=one.name, tables=one.views or one.tables, offset=offset, lag=head - offset)
            for one in self._projectors
            for offset in (offsets.get(one.name, 0),)
        ]

    @property
    def alive(self) -> bool:
        """Whether the thread runs that follows the journal."""
        return self._thread.is_alive()

    @property
    def lag(self) -> int:
        """How many events the projection that is furthest behind lacks."""
        return max(one.lag for one in self.status())

    def catch_up(self) -> int:
        """Apply all events that were recorded before this call; return the position that the tables hold.

        A process that does not write the journal changes nothing.
        """
        head = self._journal.position
        if not self._journal.can_write():
            return min(self._offsets_read().values(), default=0)
        with self._working, self._translated():
            while self._step(head):
                if self._closing.is_set():
                    break
        return head

    def rebuild(self, names: Sequence[str] = ()) -> list[RebuiltProjection]:
        """Build projections again, all without names, and compare their content with what it was.

        Raises BadParams for an unknown name and BusyError in a process that does not write the journal.
        """
        known = {one.name: one for one in self._projectors}
        for name in names:
            if name not in known:
                raise BadParams(f"there is no projection '{name}'", hint=f"The projections are {', '.join(known)}.")
        assert self._journal.writer  # raises BusyError
        self.catch_up()
        chosen = [known[name] for name in dict.fromkeys(names)] or list(self._projectors)
        head = self._journal.position
        with self._working, self._translated():
            while self._step(head):
                pass
            connection = self._connection()
            before = [self._digest(connection, one) for one in chosen]
            connection.execute("BEGIN IMMEDIATE")
            for one in chosen:
                self._clear(connection, one)
            connection.execute("COMMIT")
            while self._step(head):
                pass
            after = [self._digest(connection, one) for one in chosen]
        return [
            RebuiltProjection(name=one.name, digest=new, same=new == old)
            for one, old, new in zip(chosen, before, after, strict=True)
        ]

    def rows(self, sql: str, parameters: Sequence[object] = ()) -> list[Any]:
        """Run a query on the tables as they are. Raises StorageError; the next call builds a damaged file again."""
        if self._writer is None and self._journal.can_write():
            with self._working, self._translated():
                self._connection()  # creates the tables
        try:
            with self.connections.one() as connection:
                return connection.execute(sql, parameters).fetchall()
        except MuninnError as error:
            if _is_damage(error) and self._journal.can_write():
                with self._working:
                    self._discard()
            raise

    # --- following ---

    def _follow(self) -> None:
        while True:
            self._wake.wait()
            self._wake.clear()  # before `_closing` is read: `close` sets it first, so its wake-up can't be lost
            if self._closing.wait(_PAUSE):
                return
            try:
                self.catch_up()
                self.failure = ""
            except MuninnError as error:
                self.failure = error.message
            except Exception as error:  # a defect of a projector must not end the thread: `status` and the log show it
                self.failure = f"{type(error).__name__}: {error}"
                log.exception("the projections of %s failed", self._journal.folder)

    def _step(self, head: int) -> bool:
        """Apply one batch to the projections that lag most; return whether there was one."""
        connection = self._connection()
        offsets = dict(connection.execute("SELECT name, position FROM projection_offsets").fetchall())
        first = min(offsets[one.name] for one in self._projectors)
        if first >= head:
            return False
        lagging = [one for one in self._projectors if offsets[one.name] == first]
        limit = min([offsets[one.name] for one in self._projectors if offsets[one.name] > first] + [head])
        rows = self._journal.following(first + 1, limit, _BATCH)
        reached = rows[-1].position if len(rows) == _BATCH else limit
        items = [self._item(row) for row in rows]
        connection.execute("BEGIN IMMEDIATE")
        try:
            restart: set[str] = set()
            for part, about in _parts(items):
                for one in lagging:
                    one.apply(connection, part)
                if about is not None:
                    restart |= self._forget(connection, lagging, about)
            for one in lagging:
                if one.name in restart:
                    self._clear(connection, one)
                else:
                    connection.execute("UPDATE projection_offsets SET position = ? WHERE name = ?", (reached, one.name))
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        if any(item.row.event_type == REDACTED for item in items):
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()  # it holds what was removed
        return True

    def _forget(self, connection: sqlite3.Connection, lagging: Sequence[Projector], about: Item) -> set[str]:
        """Remove what an event redacts or deletes; return the projections that have to be built again."""
        try:
            target = self._journal.row(about.payload["event_id"])
        except NotFoundError:
            return set()  # retention removed it, and the tables are built of what remains
        self.removals += 1
        tombstone = about.row.event_type == TOMBSTONE
        return {one.name for one in lagging if one.forget(connection, target, tombstone=tombstone)}

    def _item(self, row: Row) -> Item:
        text = row.payload_json if row.stored == "inline" else payload_text(row, self._journal.payloads)
        payload = decoded(row, text, self._journal.payloads)
        return Item(row, payload, searched_text(row, payload), milliseconds(row.occurred_at))

    def _connection(self) -> sqlite3.Connection:
        """Return the connection that writes; create the tables, anew when the version or the model changed."""
        if self._writer is not None:
            return self._writer
        connection = self._connect()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version != VERSION:
            connection.close()
            self._discard()
            connection = self._connect()
            connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute(
            "CREATE TABLE IF NOT EXISTS projection_offsets(name TEXT PRIMARY KEY, position INTEGER NOT NULL,"
            " model TEXT NOT NULL) WITHOUT ROWID"
        )
        known = dict(connection.execute("SELECT name, model FROM projection_offsets").fetchall())
        connection.execute("BEGIN IMMEDIATE")
        for one in self._projectors:
            if known.get(one.name) != self._model(one):
                self._clear(connection, one)
        connection.execute("COMMIT")
        self._writer = connection
        return connection

    def _connect(self) -> sqlite3.Connection:
        make_private(self.path)
        connection = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False, timeout=30)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("PRAGMA cache_size = -32000")
        return connection

    def _model(self, one: Projector) -> str:
        """Return the model that a projection depends on, "" for none."""
        return self.embedder.name if one.name == Vectors.name else ""

    def _clear(self, connection: sqlite3.Connection, one: Projector) -> None:
        """Empty a projection, so that it is built again. Runs in a transaction."""
        self.removals += 1
        for view in one.views:
            connection.execute(f"DROP VIEW IF EXISTS {view}")
        for table in one.tables:
            connection.execute(f"DROP TABLE IF EXISTS {table}")
        for statement in filter(str.strip, one.schema.split(";")):
            connection.execute(statement)
        connection.execute("INSERT OR REPLACE INTO projection_offsets VALUES(?, 0, ?)", (one.name, self._model(one)))

    def _digest(self, connection: sqlite3.Connection, one: Projector) -> str:
        content = hashlib.sha256()
        for query in one.digest.split(";"):
            cursor = connection.execute(query)
            while rows := cursor.fetchmany(_BATCH):
                content.update(marshal.dumps(rows, 2))  # version 2 depends on the values only
        return content.hexdigest()

    def _offsets_read(self) -> dict[str, int]:
        if not self.path.exists():
            return {}
        try:
            with self.connections.one() as connection:
                return dict(connection.execute("SELECT name, position FROM projection_offsets").fetchall())
        except MuninnError:  # the tables are being created
            return {}

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Turn errors of SQLite into MuninnErrors. A damaged file is deleted: the next call builds it again."""
        try:
            with translate(self.path):
                yield
        except MuninnError as error:
            if _is_damage(error):
                self._discard()
            raise

    def _discard(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        self.connections.close()
        self.connections = Connections(self.path)
        for suffix in ("", "-wal", "-shm"):
            Path(f"{self.path}{suffix}").unlink(missing_ok=True)


def _is_damage(error: MuninnError) -> bool:
    """Whether SQLite reported a damaged page or a file that is not a database."""
    return getattr(error.__cause__, "sqlite_errorname", "").startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB"))


def _parts(items: Sequence[Item]) -> Iterator[tuple[Sequence[Item], Item | None]]:
    """Split events after each that removes another one; yield each part with that event."""
    start = 0
    for number, item in enumerate(items):
        if item.row.event_type in (REDACTED, TOMBSTONE) and item.payload:
            yield items[start : number + 1], item
            start = number + 1
    if start < len(items):
        yield items[start:], None
