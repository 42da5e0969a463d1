"""Sealed months: compressed files of old events with the hash of their last one, and their retention."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from muninn_core.errors import BadParams
from muninn_core.journal.preparation import moment
from muninn_core.journal.reader import rows_at
from muninn_core.journal.row import COLUMNS, Row
from muninn_core.journal.sealed import Sealed, read_sealed, write_sealed
from muninn_core.store.files.disk import translate_errors
from muninn_core.store.records.timestamps import milliseconds, normalise

if TYPE_CHECKING:
    from muninn_core.journal.journal import Journal
    from muninn_core.journal.writer import Transaction


_SLICE = 1000
"""Events that one transaction removes."""


def month_before(now: datetime, months: int) -> str:
    """Return the month (YYYY-MM) that is so many months before that of a time in UTC."""
    year, number = divmod(now.astimezone(UTC).year * 12 + now.astimezone(UTC).month - 1 - months, 12)
    return f"{year:04d}-{number + 1:02d}"


def seal_months(journal: Journal, before: str) -> list[Sealed]:
    """Move the events of whole months before `before` (YYYY-MM) into sealed files, one per month.

    Months are those of `recorded_at`. Returns the new files. Raises BadParams for another form of month.
    """
    if not re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])", before):
        raise BadParams(f"'{before}' is not a month", hint="Give a month as YYYY-MM; earlier months are sealed.")
    limit = milliseconds(normalise(f"{before}-01T00:00:00.000Z"))
    made: list[Sealed] = []
    with journal.rewriting:
        _delete_sealed(journal)  # what a crash left
        while True:
            with journal.connections.one() as connection:
                row = connection.execute(f"SELECT {COLUMNS} FROM raw_events ORDER BY position LIMIT 1").fetchone()
            if row is None or Row(*row).recorded_at >= limit:
                return made
            made.append(_seal_month(journal, Row(*row)))


def _seal_month(journal: Journal, first: Row) -> Sealed:
    month = _month(first.recorded_at)
    end = milliseconds(normalise(f"{_next_month(month)}-01T00:00:00.000Z"))
    with journal.connections.one() as connection:
        (last,) = connection.execute(
            "SELECT coalesce(min(position) - 1, (SELECT max(position) FROM raw_events)) FROM raw_events"
            " WHERE recorded_at >= ?",
            (end,),
        ).fetchone()
        (previous,) = connection.execute(
            "SELECT coalesce((SELECT hash FROM sealed WHERE last = ?), zeroblob(32))", (first.position - 1,)
        ).fetchone()
        known = {file for (file,) in connection.execute("SELECT file FROM sealed")}
    name = f"events-{month}.jsonl.gz"
    if f"sealed/{name}" in known:  # else a file of this name is what a crash left, which is replaced
        name = f"events-{month}-{first.position}.jsonl.gz"
    (head,) = rows_at(journal.connections, journal.folder, [last]).values()
    seal = Sealed(first.position, last, head.hash, previous, f"sealed/{name}")
    path = journal.folder / seal.file
    write_sealed(path, journal.payloads, previous, journal.rows(seal.first, seal.last))
    for _ in read_sealed(path):
        pass  # what can't be read again is not removed from the database
    long = [row for row in journal.rows(seal.first, seal.last) if row.stored == "file"]
    journal.writer.run(lambda transaction: _record(transaction, seal))
    _delete_sealed(journal)
    for row in long:
        journal.drop_payload(row)
    return seal


def drop_sealed(journal: Journal, before: str) -> list[str]:
    """Remove sealed files whose events were all recorded before a time (RFC 3339); their hashes are kept.

    Returns the removed files. Raises BadParams for a malformed time.
    """
    limit = milliseconds(moment(before, "before"))
    with journal.rewriting:
        return _drop_sealed(journal, limit)


def _drop_sealed(journal: Journal, limit: int) -> list[str]:
    with journal.connections.one() as connection:
        dropped = connection.execute(
            "SELECT file FROM sealed WHERE dropped AND file NOT IN (SELECT file FROM sealed WHERE NOT dropped)"
        ).fetchall()
        seals = [
            Sealed(*row)
            for row in connection.execute(
                "SELECT first, last, hash, previous, file, dropped FROM sealed WHERE NOT dropped ORDER BY last"
            )
        ]
    for (file,) in dropped:  # what a crash left
        _remove(journal, file)
    removed = []
    for seal in seals:
        if any(row.recorded_at >= limit for row in read_sealed(journal.folder / seal.file)):
            break
        journal.writer.run(partial(_mark_dropped, seal))
        _remove(journal, seal.file)
        removed.append(seal.file)
    return removed


def _remove(journal: Journal, file: str) -> None:
    with translate_errors(journal.folder / file):
        (journal.folder / file).unlink(missing_ok=True)


def _month(recorded_at: int) -> str:
    return datetime.fromtimestamp(recorded_at / 1000, UTC).strftime("%Y-%m")


def _next_month(month: str) -> str:
    year, number = int(month[:4]), int(month[5:])
    return f"{year + number // 12:04d}-{number % 12 + 1:02d}"


def _record(transaction: Transaction, seal: Sealed) -> None:
    """Record a sealed file, and the keys and sequences that outlive its events in the database."""
    connection, span = transaction.connection, (seal.first, seal.last)
    inside = "FROM raw_events WHERE position BETWEEN ? AND ?"
    connection.execute(
        f"INSERT INTO sealed_keys SELECT idempotency_key, project_id, position {inside}"
        " AND idempotency_key IS NOT NULL",
        span,
    )
    connection.execute(
        f"INSERT INTO sealed_streams SELECT stream_id, project_id, max(stream_seq) {inside}"
        " GROUP BY stream_id, project_id ON CONFLICT DO UPDATE SET stream_seq = excluded.stream_seq",
        span,
    )
    connection.execute(
        "INSERT INTO sealed(first, last, hash, previous, file) VALUES(?, ?, ?, ?, ?)",
        (seal.first, seal.last, seal.hash, seal.previous, seal.file),
    )


def _delete_sealed(journal: Journal) -> None:
    """Remove sealed events from the database, some per transaction, so that no writer waits long.

    Readers take an event from its sealed file as soon as that is recorded.
    """
    statement = (
        "DELETE FROM raw_events WHERE position IN (SELECT position FROM raw_events WHERE position <="
        " (SELECT coalesce(max(last), 0) FROM sealed) ORDER BY position LIMIT ?)"
    )
    while journal.writer.run(lambda transaction: transaction.connection.execute(statement, (_SLICE,)).rowcount):
        pass


def _mark_dropped(seal: Sealed, transaction: Transaction) -> None:
    transaction.connection.execute("UPDATE sealed SET dropped = 1 WHERE last = ?", (seal.last,))
