"""One repository's journal: append, read, redact, verify, replay and seal events.

One process writes a journal, which it shows by holding `lock`. Other processes read it.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from muninn_core.errors import BusyError, NotFoundError, UsageError
from muninn_core.journal.database import EVENTS, make_private, open_writer, reserve_log, translate
from muninn_core.journal.preparation import Prepared, moment, prepare, write_payload
from muninn_core.journal.reader import Connections, rows_at, scan, scan_back
from muninn_core.journal.row import COLUMNS, Row, event_of, line_of, payload_path
from muninn_core.journal.sealed import Sealed, read_sealed, write_sealed
from muninn_core.journal.verify import Verification, verify
from muninn_core.journal.writer import Transaction, Unstamped, Writer
from muninn_core.launch.lock import FileLock
from muninn_core.model.event import REDACTED, TOMBSTONE, Event, EventDraft
from muninn_core.store.files.disk import translate_errors
from muninn_core.store.records.timestamps import milliseconds, normalise, timestamp
from muninn_core.store.secrets.masking import mask

log = logging.getLogger("muninn.journal")


class Appended(NamedTuple):
    """The event of an append. `duplicate`: it was there already, under the same idempotency key."""

    event: Event
    duplicate: bool
    masked: int


class Journal:
    """Opened once per process and repository; safe to use from several threads.

    `clock` returns an aware time, `new_id` a new event id. `committed` is called after each commit with the last
    position, on the thread that committed. Raises StorageError when the database can't be opened.
    """

    def __init__(self, folder: Path, *, clock: Callable[[], datetime], new_id: Callable[[], str]) -> None:
        self.folder = folder
        self.path = folder / "events.db"
        self.payloads = folder / "payloads"
        self._clock = clock
        self.new_id = new_id
        self._lock = FileLock(str(folder / "lock"))
        self._opening = threading.Lock()
        self.rewriting = threading.RLock()
        """Held while sealed months are written or removed, and during a redaction, which changes them."""
        self._writer: Writer | None = None
        self._listeners: list[Callable[[int], None]] = []
        self.connections = Connections(self.path)
        with translate(self.path):
            make_private(self.path)
        self.can_write()
        if self._writer is None and not self.path.stat().st_size:
            raise BusyError(f"another process creates {self.path}", hint="Try again in a moment.")

    # --- writing ---

    def can_write(self) -> bool:
        """Whether this process writes the journal; takes the lock when it is free. Raises StorageError."""
        with self._opening:
            if self._writer is None and not self._lock_taken():
                return False
            if self._writer is None:
                try:
                    connection = open_writer(self.path, EVENTS)
                except BaseException:
                    self._lock.release()
                    raise
                self._writer = Writer(self.path, connection, self._now, self._committed)
            return True

    def _lock_taken(self) -> bool:
        with translate(self.path):
            if not self._lock.acquire():
                return False
            self._lock.write(f"{os.getpid()}\n")
            return True

    @property
    def writer(self) -> Writer:
        """The writer. Raises BusyError when another process writes the journal."""
        if self._writer is None and not self.can_write():
            holder = Path(self._lock.path).read_text("utf-8").strip()
            raise BusyError(
                f"another process{f' (pid {holder})' if holder else ''} writes the journal {self.path}",
                hint="Stop the other daemon of this repository; nothing was recorded.",
            )
        assert self._writer is not None
        return self._writer

    def on_commit(self, listener: Callable[[int], None]) -> Callable[[], None]:
        """Call a listener with the last position after each commit, on the thread that committed.

        Returns a function that ends this.
        """
        self._listeners = [*self._listeners, listener]
        return lambda: self._off_commit(listener)

    def _off_commit(self, listener: Callable[[int], None]) -> None:
        self._listeners = [one for one in self._listeners if one is not listener]

    def _committed(self, position: int) -> None:
        for listener in self._listeners:
            try:
                listener(position)
            except Exception:  # the events are recorded, and the other listeners have to know
                log.exception("a listener of the journal failed")

    def _now(self) -> int:
        return milliseconds(timestamp(self._clock()))

    def close(self) -> None:
        """Commit what waits and release the lock."""
        self.connections.close()  # first: the last connection removes the write-ahead log
        with self._opening:
            if self._writer is not None:
                self._writer.close()
                self._writer = None
            self._lock.release()

    def prepare(self, draft: EventDraft, patterns: Sequence[str] = (), *, system: bool = False) -> Prepared:
        """Check a draft, mask its secrets and encode its payload; a long payload is written to its file.

        `patterns` are the user's regular expressions of secrets. Raises BadParams.
        """
        return prepare(draft, self.payloads, patterns, system=system)

    def append(self, draft: EventDraft, patterns: Sequence[str] = ()) -> Appended:
        """Record an event; it is on disk when this returns.

        A draft with a known idempotency key and the same payload returns the first event; another payload raises
        UsageError that names both. Raises BadParams, BusyError, ReadOnlyError or StorageError; then nothing is
        recorded.
        """
        prepared = self.prepare(draft, patterns)
        row, duplicate = self.writer.run(lambda transaction: self.add(transaction, prepared))
        return self.appended(row, prepared, duplicate=duplicate)

    def appended(self, row: Row, prepared: Prepared, *, duplicate: bool) -> Appended:
        """Return the outcome of an append."""
        return Appended(event_of(row, self.payloads), duplicate, prepared.masked)

    def add(self, transaction: Transaction, prepared: Prepared) -> tuple[Row, bool]:
        """Add a prepared event in a transaction; return its row and whether it was there already."""
        draft = prepared.draft
        stream = draft.stream_id or stream_of(draft.session_id, draft.turn_id)
        known = self._known(transaction, draft) if draft.idempotency_key is not None else None
        if known is not None:
            _check_same(known, prepared, stream)
            if prepared.stored == "file" != known.stored:  # redacted or sealed: the preparation wrote its file again
                self._drop_unused(transaction, prepared.payload_hash)
            return known, True
        following = transaction.stream_seq(draft.project_id, stream) + 1
        if draft.stream_seq is not None and draft.stream_seq != following:
            raise UsageError(
                f"the next event of stream '{stream}' has sequence {following}, not {draft.stream_seq}",
                hint=f"Send the events in order, or leave stream_seq out; nothing was recorded. {following} is next.",
                data={"expected": following, "given": draft.stream_seq},
            )
        if prepared.stored == "file":  # a redaction may have removed the file since it was prepared
            write_payload(payload_path(self.payloads, prepared.payload_hash), prepared.text)
        return transaction.add(self.unstamped(prepared, stream)), False

    def unstamped(self, prepared: Prepared, stream: str) -> Unstamped:
        """Return the columns of a prepared event that do not depend on the transaction."""
        draft = prepared.draft
        return Unstamped(
            event_id=self.new_id(),
            project_id=draft.project_id,
            session_id=draft.session_id,
            turn_id=draft.turn_id,
            stream_id=stream,
            event_type=draft.event_type,
            event_version=draft.event_version,
            occurred_at=normalise(draft.occurred_at) if draft.occurred_at else timestamp(self._clock()),
            actor=draft.actor,
            source=draft.source,
            payload_json=prepared.text.decode() if prepared.stored == "inline" else "",
            stored=prepared.stored,
            payload_hash=prepared.payload_hash,
            idempotency_key=draft.idempotency_key,
            trace_id=draft.trace_id,
        )

    def _known(self, transaction: Transaction, draft: EventDraft) -> Row | None:
        key = (draft.idempotency_key, draft.project_id)
        found = transaction.rows("idempotency_key = ? AND project_id = ?", key)
        if found:
            return found[0]
        row = transaction.connection.execute(
            "SELECT position FROM sealed_keys WHERE idempotency_key = ? AND project_id = ?", key
        ).fetchone()
        return rows_at(self.connections, self.folder, [row[0]]).get(row[0]) if row else None

    # --- changing what is recorded, as far as that is allowed ---

    def redactable(self, event_id: str) -> Event:
        """Return an event whose payload can be erased. Raises as `redact`."""
        return event_of(self._redactable(event_id), self.payloads)

    def _redactable(self, event_id: str) -> Row:
        row = self.row(event_id)
        if row.stored == "redacted":
            self._scrub_files(row)  # a crash may have left a file
            raise UsageError(f"event {event_id} is redacted already", hint="Nothing was changed.")
        if row.event_type == REDACTED:
            raise UsageError(f"event {event_id} records a redaction, which verification needs", hint="It has no text.")
        return row

    def redact(self, event_id: str, reason: str = "", actor: str = "user", item: str = "") -> Event:
        """Blank an event's payload for good and record that; id, sequence, links and payload hash stay.

        `item` is the id under which the event was imported, if it has another one; it is recorded too.
        Raises NotFoundError for an unknown event and UsageError for one that is redacted already or that records a
        redaction.
        """
        with self.rewriting:  # a month that is sealed meanwhile would keep the payload
            return self._redact(event_id, reason, actor, item)

    def _redact(self, event_id: str, reason: str, actor: str, item: str) -> Event:
        row = self._redactable(event_id)
        payload = {"event_id": event_id, "reason": mask(reason)[0]} | ({"item": item} if item else {})
        about = self._about(REDACTED, row, payload, actor)

        def operation(transaction: Transaction) -> Row:
            transaction.hides = True
            transaction.connection.execute("INSERT OR IGNORE INTO redactions VALUES(?)", (event_id,))
            transaction.connection.execute(
                "UPDATE raw_events SET payload_json = '', stored = 'redacted' WHERE event_id = ?", (event_id,)
            )
            return self.add(transaction, about)[0]

        done = self.writer.run(operation)
        self.writer.run_outside(self._empty_log)
        self._scrub_files(row)
        return event_of(done, self.payloads)

    def _empty_log(self, connection: sqlite3.Connection) -> None:
        """Remove what the write-ahead log holds of a redacted payload."""
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        reserve_log(self.path)

    def tombstone(self, event_id: str, reason: str = "", actor: str = "user") -> Event:
        """Record that an event is deleted: only the audit shows it from now on.

        Raises NotFoundError for an unknown event, UsageError for one that was deleted with another reason.
        """
        payload = {"event_id": event_id, "reason": reason}
        about = self._about(TOMBSTONE, self.row(event_id), payload, actor, key=f"{TOMBSTONE}:{event_id}")

        def operation(transaction: Transaction) -> Row:
            transaction.hides = True
            return self.add(transaction, about)[0]

        return event_of(self.writer.run(operation), self.payloads)

    def _about(self, kind: str, row: Row, payload: dict[str, str], actor: str, key: str | None = None) -> Prepared:
        draft = EventDraft(
            event_type=kind,
            payload=payload,
            project_id=row.project_id,
            session_id=row.session_id,
            turn_id=row.turn_id,
            stream_id=row.stream_id,
            actor=actor,
            source="muninn",
            idempotency_key=key,
        )
        return self.prepare(draft, system=True)

    def _scrub_files(self, row: Row) -> None:
        """Remove a redacted payload from its file and from a sealed month."""
        self.drop_payload(row)
        with self.connections.one() as connection:
            seals = [
                Sealed(*one)
                for one in connection.execute(
                    "SELECT first, last, hash, previous, file, dropped FROM sealed WHERE first <= ?1 AND last >= ?1",
                    (row.position,),
                )
            ]
        for seal in seals:
            if not seal.dropped:
                rows = [
                    one._replace(stored="redacted", payload_json="") if one.position == row.position else one
                    for one in read_sealed(self.folder / seal.file)
                ]
                write_sealed(self.folder / seal.file, self.payloads, seal.previous, rows)

    def drop_payload(self, row: Row) -> None:
        """Remove the file of a payload that no live event has any more."""
        self.writer.run(lambda transaction: self._drop_unused(transaction, row.payload_hash))

    def _drop_unused(self, transaction: Transaction, payload_hash: bytes) -> None:
        """Remove the file of a payload, unless a live event has it. None is added during the transaction."""
        path = payload_path(self.payloads, payload_hash)
        with translate_errors(path):
            (others,) = transaction.connection.execute(
                "SELECT count(*) FROM raw_events WHERE stored = 'file' AND payload_hash = ?", (payload_hash,)
            ).fetchone()
            if not others:
                path.unlink(missing_ok=True)

    # --- reading ---

    @property
    def position(self) -> int:
        """The position of the last event, 0 for none."""
        if self._writer is not None:
            return self._writer.position
        with self.connections.one() as connection:
            position: int = connection.execute("SELECT position FROM chain_head").fetchone()[0]
            return position

    def row(self, event_id: str) -> Row:
        """Return the row of an event. Raises NotFoundError."""
        with self.connections.snapshot() as connection:
            sql = f"SELECT {COLUMNS} FROM raw_events WHERE event_id = ?"
            found = connection.execute(sql, (event_id,)).fetchone()
            seals = (
                []
                if found
                else [
                    one[0] for one in connection.execute("SELECT file FROM sealed WHERE NOT dropped ORDER BY last DESC")
                ]
            )
        if found:
            return Row(*found)
        for file in seals:
            for row in read_sealed(self.folder / file):
                if row.event_id == event_id:
                    return row
        raise NotFoundError(f"there is no event '{event_id}'", hint="`muninn event query` lists events with their ids.")

    def event(self, event_id: str) -> Event:
        """Return an event. Raises NotFoundError."""
        return event_of(self.row(event_id), self.payloads)

    def events(self, positions: Sequence[int]) -> list[Event]:
        """Return the events at some positions, in the given order; those that retention removed are left out."""
        rows = rows_at(self.connections, self.folder, list(positions))
        return [event_of(rows[position], self.payloads) for position in positions if position in rows]

    def rows(self, first: int = 1, last: int | None = None) -> Iterator[Row]:
        """Yield all rows in the order of the journal."""
        return scan(self.connections, self.folder, first, last)

    def following(self, first: int, last: int, most: int) -> list[Row]:
        """Return at most `most` rows from `first` to `last`; the newest ones come from memory."""
        kept = self.newest(first, min(last, first + most - 1))
        return kept if kept is not None else list(islice(self.rows(first, last), most))

    def newest(self, first: int, last: int) -> list[Row] | None:
        """Return the rows from `first` to `last` if all of them are in memory, else None. None of them is deleted."""
        writer = self._writer  # `close` may forget it at any time
        return writer.newest(first, last) if writer is not None else None

    def rows_newest_first(self, last: int | None = None, first: int = 1) -> Iterator[Row]:
        """Yield all rows, newest first."""
        return scan_back(self.connections, self.folder, self.position if last is None else last, first)

    def replay(
        self, *, project: str = "", stream: str = "", since: str = "", until: str = "", after: int = 0
    ) -> Iterator[tuple[int, bytes]]:
        """Yield (position, line) of events in their order: the same bytes each time, until one is redacted.

        Filters: the project, the stream, and the time at which events occurred (`since` <= time < `until`; RFC 3339).
        Raises BadParams for a malformed time.
        """
        begin, end = moment(since, "since"), moment(until, "until")
        for row in self._stream_rows(stream, after) if stream else self.rows(after + 1):
            if (
                (not project or row.project_id == project)
                and (not begin or row.occurred_at >= begin)
                and (not end or row.occurred_at < end)
            ):
                yield row.position, line_of(row, self.payloads)

    def _stream_rows(self, stream: str, after: int) -> Iterator[Row]:
        with self.connections.snapshot() as connection:
            (sealed_to,) = connection.execute("SELECT coalesce(max(last), 0) FROM sealed").fetchone()
            live = connection.execute(
                f"SELECT {COLUMNS} FROM raw_events WHERE stream_id = ? AND position > ? ORDER BY position",
                (stream, max(after, sealed_to)),
            ).fetchall()
        if after < sealed_to:
            yield from (row for row in self.rows(after + 1, sealed_to) if row.stream_id == stream)
        yield from (Row(*row) for row in live)

    def verify(self) -> Verification:
        """Check every event against the chain."""
        return verify(self.connections, self.folder, self.payloads)


def stream_of(session_id: str, turn_id: str) -> str:
    """Return the stream of a turn, or of a session without a turn, or of the project without either."""
    if turn_id:
        return f"turn:{session_id}/{turn_id}"
    return f"session:{session_id}" if session_id else "project"


def _check_same(known: Row, prepared: Prepared, stream: str) -> None:
    """Raise UsageError when a repeated key comes with another event than the first one."""
    draft = prepared.draft
    given = (draft.event_type, stream, prepared.payload_hash)
    if given != (known.event_type, known.stream_id, known.payload_hash):
        raise UsageError(
            f"the idempotency key '{draft.idempotency_key}' was used for event {known.event_id} ({known.event_type} in"
            f" '{known.stream_id}', payload {known.payload_hash.hex()[:12]}); this one is another: {draft.event_type}"
            f" in '{stream}', payload {prepared.payload_hash.hex()[:12]}",
            hint="Use a new key for a new event; nothing was recorded.",
            data={
                "key": draft.idempotency_key or "",
                "event_id": known.event_id,
                "recorded": known.payload_hash.hex(),
                "given": prepared.payload_hash.hex(),
            },
        )
