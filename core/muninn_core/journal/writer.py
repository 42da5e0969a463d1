"""The only writer of a journal: it commits all operations that wait in one transaction.

While a transaction is flushed to disk, new operations wait; the next transaction takes them together. A single client
therefore pays one flush per event, and a hundred clients share it.
"""

from __future__ import annotations

import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Sequence
from itertools import islice, takewhile
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from muninn_core.errors import MuninnError, Stopping
from muninn_core.journal.database import storage_error
from muninn_core.journal.row import COLUMNS, INSERT, Row, chain_hash

T = TypeVar("T")

MAX_BATCH = 512
"""The most operations in one transaction."""

MAX_CACHED_ROWS = 1_000
MAX_CACHED_BYTES = 1024 * 1024
"""The newest events that are kept in memory for those that follow the journal, and the bytes of their payloads."""

MAX_STREAMS = 50_000
"""Streams whose last sequence number is kept in memory."""


class Unstamped(NamedTuple):
    """What the author of an event decides; the transaction adds position, sequence, time and hash."""

    event_id: str
    project_id: str
    session_id: str
    turn_id: str
    stream_id: str
    event_type: str
    event_version: int
    occurred_at: str
    actor: str
    source: str
    payload_json: str
    stored: str
    payload_hash: bytes
    idempotency_key: str | None = None
    trace_id: str | None = None


class Refused(NamedTuple):
    """The outcome of an operation that is refused although it wrote something: the error that the caller gets."""

    error: MuninnError


class Transaction:
    """What an operation may do: read, add events, and change the tables that belong to the journal's state."""

    def __init__(self, connection: sqlite3.Connection, now: Callable[[], int]) -> None:
        self.connection = connection
        self.now = now
        self.reload()

    def reload(self) -> None:
        """Read the head of the chain again, after a rollback."""
        row = self.connection.execute("SELECT position, hash, recorded_at FROM chain_head").fetchone()
        self.position: int = row[0]
        self.hash: bytes = row[1]
        self.recorded_at: int = row[2]
        self.added: list[Row] = []
        self.hides = False
        self._streams: dict[tuple[str, str], int] = {}
        self._saved = self.position

    def stream_seq(self, project: str, stream: str) -> int:
        """Return the sequence number of a stream's last event, 0 for none."""
        known = self._streams.get((project, stream))
        if known is None:
            (known,) = self.connection.execute(
                "SELECT max(coalesce((SELECT max(stream_seq) FROM raw_events WHERE stream_id = ?1 AND project_id = ?2),"
                " 0), coalesce((SELECT stream_seq FROM sealed_streams WHERE stream_id = ?1 AND project_id = ?2), 0))",
                (stream, project),
            ).fetchone()
            if len(self._streams) >= MAX_STREAMS:
                self._streams.clear()
            self._streams[project, stream] = known
        return known

    def add(self, event: Unstamped) -> Row:
        """Append an event. The clock of the journal never goes back, even when the system's does."""
        sequence = self.stream_seq(event.project_id, event.stream_id) + 1
        self.recorded_at = max(self.now(), self.recorded_at)
        row = Row(
            position=self.position + 1, stream_seq=sequence, recorded_at=self.recorded_at, hash=b"", **event._asdict()
        )
        row = row._replace(hash=chain_hash(self.hash, row))
        self.connection.execute(INSERT, row)
        self.position, self.hash = row.position, row.hash
        self._streams[event.project_id, event.stream_id] = sequence
        self.added.append(row)
        return row

    def rows(self, where: str, parameters: tuple[Any, ...]) -> list[Row]:
        """Return rows by a condition."""
        sql = f"SELECT {COLUMNS} FROM raw_events WHERE {where}"
        return [Row(*row) for row in self.connection.execute(sql, parameters)]

    def save_head(self) -> None:
        """Store the head of the chain, which shows whether events at the end were removed."""
        if self.position != self._saved:
            self.connection.execute(
                "UPDATE chain_head SET position = ?, hash = ?, recorded_at = ?",
                (self.position, self.hash, self.recorded_at),
            )
            self._saved = self.position


class _Operation:
    """An operation that waits, and its outcome. `gate` opens when it is done, or when its caller has to commit next."""

    __slots__ = ("alone", "done", "error", "gate", "result", "run")

    def __init__(self, run: Callable[[Transaction], Any], *, alone: bool) -> None:
        self.run = run
        self.alone = alone
        self.gate = threading.Lock()
        self.gate.acquire()
        self.done = False
        self.result: Any = None
        self.error: BaseException | None = None


class Newest:
    """The newest rows, without a gap: who follows the journal gets them without a query, which changes threads for each
    row. A redaction or deletion empties it.
    """

    def __init__(self) -> None:
        self._rows: deque[Row] = deque()
        self._size = 0
        self._lock = threading.Lock()

    def add(self, rows: Sequence[Row]) -> None:
        """Add rows that were committed."""
        with self._lock:
            for row in rows:
                self._rows.append(row)
                self._size += len(row.payload_json)
                while len(self._rows) > MAX_CACHED_ROWS or self._size > MAX_CACHED_BYTES:
                    self._size -= len(self._rows.popleft().payload_json)

    def clear(self) -> None:
        """Forget all rows."""
        with self._lock:
            self._rows.clear()
            self._size = 0

    def between(self, first: int, last: int) -> list[Row] | None:
        """Return the rows from `first` to `last`, or None when not all of them are kept."""
        with self._lock:
            begin = self._rows[0].position if self._rows else last + 1
            if first < begin or last >= begin + len(self._rows):
                return None
            return list(islice(self._rows, first - begin, last + 1 - begin))


class Writer:
    """Runs operations in the order of their arrival. What an operation wrote is rolled back when it raises; others that
    shared its transaction then run again.

    The caller that finds no other one waiting commits, on its own thread: a change of threads costs more than the flush
    of a fast disk. `committed` is called with the last position after each transaction that added events.
    """

    def __init__(
        self, path: Path, connection: sqlite3.Connection, now: Callable[[], int], committed: Callable[[int], None]
    ) -> None:
        self._path = path
        self._connection = connection
        self._committed = committed
        self._transaction = Transaction(connection, now)
        self._newest = Newest()
        self._stale = False
        self.position = self._transaction.position
        """The position of the last event that was committed."""
        self._waiting: deque[_Operation] = deque()
        """The operations that are not done. The caller of the first one commits."""
        self._changed = threading.Condition(threading.Lock())
        self._closed = False

    def run(self, operation: Callable[[Transaction], T | Refused]) -> T:
        """Run an operation; what it wrote is on disk when this returns.

        Raises what the operation raises, and StorageError when the transaction failed; then nothing was recorded.
        """
        one = _Operation(operation, alone=False)
        self._queue([one])
        if one.error is not None:
            raise one.error
        result: T = one.result
        return result

    def run_all(self, operations: Sequence[Callable[[Transaction], T | Refused]]) -> list[T | BaseException]:
        """Run operations as `run` does, those that follow each other in one transaction.

        Return the result of each, or the error that `run` would raise.
        """
        queued = [_Operation(each, alone=False) for each in operations]
        self._queue(queued)
        return [each.result if each.error is None else each.error for each in queued]

    def run_outside(self, operation: Callable[[sqlite3.Connection], T]) -> T:
        """Run an operation of the writer's connection outside of a transaction, when no other operation runs."""
        one = _Operation(lambda transaction: operation(transaction.connection), alone=True)
        self._queue([one])
        if one.error is not None:
            raise one.error
        result: T = one.result
        return result

    def _queue(self, operations: Sequence[_Operation]) -> None:
        """Queue operations, and return when they are done."""
        if not operations:
            return
        with self._changed:
            if self._closed:
                raise Stopping("the journal is closed", hint="The next call opens it again.")
            first = not self._waiting
            self._waiting.extend(operations)
        for number, operation in enumerate(operations):
            if number or not first:
                operation.gate.acquire()
            if not operation.done:
                self._run_batch()

    def newest(self, first: int, last: int) -> list[Row] | None:
        """Return the rows from `first` to `last` if they are among the newest, which are kept in memory, else None."""
        return self._newest.between(first, last)

    def close(self) -> None:
        """Finish the operations that wait, and close the connection."""
        with self._changed:
            if self._closed:
                return
            self._closed = True
            self._changed.wait_for(lambda: not self._waiting)
        self._connection.close()

    def _run_batch(self) -> None:
        """Run the operations that wait, then let the caller of the next one continue."""
        with self._changed:
            batch = self._next_batch()
        try:
            if batch[0].alone:
                self._run_alone(batch[0])
            else:
                self._commit(batch)
        finally:
            with self._changed:
                for operation in batch:
                    operation.done = True
                    self._waiting.popleft()
                following = self._waiting[0] if self._waiting else None
                if following is None:
                    self._changed.notify_all()
            if following is not None:
                following.gate.release()
            for operation in batch:
                operation.gate.release()

    def _next_batch(self) -> list[_Operation]:
        """Return the first operations: one that runs alone, or those up to the next one that does."""
        if self._waiting[0].alone:
            return [self._waiting[0]]
        return list(takewhile(lambda operation: not operation.alone, islice(self._waiting, MAX_BATCH)))

    def _run_alone(self, operation: _Operation) -> None:
        try:
            operation.result = operation.run(self._transaction)
        except BaseException as error:
            operation.error = self._failure(error)

    def _commit(self, batch: list[_Operation]) -> None:
        """Run a batch in one transaction. When it fails, each operation runs in a transaction of its own."""
        outcomes: list[tuple[Any, BaseException | None]] = []
        transaction = self._transaction
        try:
            if self._stale:
                transaction.reload()
                self._stale = False
            self._connection.execute("BEGIN IMMEDIATE")
            for operation in batch:
                before = self._connection.total_changes
                try:
                    outcomes.append((operation.run(transaction), None))
                except MuninnError as error:
                    if self._connection.total_changes != before:
                        raise  # what it wrote is rolled back
                    outcomes.append((None, error))
            transaction.save_head()
            if transaction.hides:
                self._newest.clear()
            self._connection.execute("COMMIT")
        except BaseException as error:
            self._roll_back()
            if len(batch) > 1:
                for operation in batch:
                    self._commit([operation])
            else:
                batch[0].error = self._failure(error)
            return
        added = transaction.position > self.position
        if not transaction.hides:
            self._newest.add(transaction.added)
        transaction.added, transaction.hides = [], False
        self.position = transaction.position
        for operation, (result, failed) in zip(batch, outcomes, strict=True):
            operation.result, operation.error = result, result.error if isinstance(result, Refused) else failed
        if added:
            self._committed(self.position)

    def _roll_back(self) -> None:
        self._stale = True
        if self._connection.in_transaction:
            try:
                self._connection.execute("ROLLBACK")
            except sqlite3.Error:
                pass  # SQLite has rolled back by itself; the next transaction reports what is wrong

    def _failure(self, error: BaseException) -> BaseException:
        return storage_error(self._path, error) if isinstance(error, sqlite3.Error | OSError) else error
