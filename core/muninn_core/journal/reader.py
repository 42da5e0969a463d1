"""Reading a journal: live rows and sealed ones in one order, on connections of their own."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from muninn_core.journal.database import open_reader, translate
from muninn_core.journal.row import COLUMNS, Row
from muninn_core.journal.sealed import Sealed, read_sealed

_BATCH = 2_000
"""Rows read per query. Between two queries no transaction is open, so that the write-ahead log can be reused."""


class Connections:
    """Connections for reading. A connection that a thread no longer uses serves the next one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._idle: list[sqlite3.Connection] = []
        self._lock = threading.Lock()
        self._closed = False

    @contextmanager
    def one(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection. Errors of SQLite become MuninnErrors."""
        with self._lock:
            connection = self._idle.pop() if self._idle else None
        with translate(self.path):
            connection = connection or open_reader(self.path)
            try:
                yield connection
            finally:
                with self._lock:
                    if self._closed:
                        connection.close()
                    else:
                        self._idle.append(connection)

    @contextmanager
    def snapshot(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection whose queries all see one state: sealing moves rows between two of them otherwise."""
        with self.one() as connection:
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                connection.execute("COMMIT")

    def close(self) -> None:
        """Close the idle connections now and the lent ones when they come back."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()


def scan(connections: Connections, folder: Path, first: int = 1, last: int | None = None) -> Iterator[Row]:
    """Yield all rows from `first` to `last` in the order of their positions, sealed ones included.

    A sealed file that retention removed is skipped. Raises StorageError when a sealed file can't be read.
    """
    position = first
    while last is None or position <= last:
        with connections.snapshot() as connection:
            seal = sealed_at(connection, position)
            rows = [] if seal else _live(connection, position, last)
        if seal is None and not rows:
            return
        if seal is not None:
            if not seal.dropped:
                for row in read_sealed(folder / seal.file):
                    if row.position >= position and (last is None or row.position <= last):
                        yield row
            position = seal.last + 1
        else:
            yield from rows
            position = rows[-1].position + 1


def scan_back(connections: Connections, folder: Path, last: int, first: int = 1) -> Iterator[Row]:
    """Yield all rows from `last` down to `first`, newest first, sealed ones included."""
    position = last
    while position >= first:
        with connections.snapshot() as connection:
            seal = sealed_at(connection, position)
            sql = f"SELECT {COLUMNS} FROM raw_events WHERE position BETWEEN ? AND ? ORDER BY position DESC LIMIT ?"
            rows = [] if seal else [Row(*row) for row in connection.execute(sql, (first, position, _BATCH))]
        if seal is not None:
            found = [] if seal.dropped else [row for row in read_sealed(folder / seal.file) if row.position <= position]
            yield from (row for row in reversed(found) if row.position >= first)
            position = seal.first - 1
        elif rows:
            yield from rows
            position = rows[-1].position - 1
        else:
            return


def rows_at(connections: Connections, folder: Path, positions: list[int]) -> dict[int, Row]:
    """Return the rows at some positions, by position; positions of removed events are left out."""
    found: dict[int, Row] = {}
    with connections.snapshot() as connection:
        for start in range(0, len(positions), 500):
            part = positions[start : start + 500]
            marks = ", ".join("?" * len(part))
            sql = f"SELECT {COLUMNS} FROM raw_events WHERE position IN ({marks})"
            found |= {row[0]: Row(*row) for row in connection.execute(sql, part)}
        seals = {seal.file: seal for one in positions if one not in found and (seal := sealed_at(connection, one))}
    wanted = set(positions)
    for seal in seals.values():
        if not seal.dropped:
            found |= {row.position: row for row in read_sealed(folder / seal.file) if row.position in wanted}
    return found


def sealed_at(connection: sqlite3.Connection, position: int) -> Sealed | None:
    """Return the sealed file of a position, None when the position is live or not taken."""
    row = connection.execute(
        "SELECT first, last, hash, previous, file, dropped FROM sealed WHERE last >= ? AND first <= ?"
        " ORDER BY last LIMIT 1",
        (position, position),
    ).fetchone()
    return Sealed(*row) if row else None


def _live(connection: sqlite3.Connection, first: int, last: int | None) -> list[Row]:
    sql = (
        f"SELECT {COLUMNS} FROM raw_events WHERE position >= ?1 AND (?2 IS NULL OR position <= ?2)"
        " ORDER BY position LIMIT ?3"
    )
    return list(map(Row._make, connection.execute(sql, (first, last, _BATCH))))
