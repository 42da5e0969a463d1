"""Sealed months: compressed files of old events with the hash of their last one, and their retention."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from muninn_core.errors import BadParams
from muninn_core.journal.preparation import moment
from muninn_core.journal.reader import rows_at
from muninn_core.journal.row import COLUMNS, Row
from muninn_core.journal.sealed import Sealed, read_sealed, write_sealed
from muninn_core.store.files.disk import translate_errors
from muninn_core.store.records.timestamps import milliseconds, normalise

if TYPE_CHECKING:
    from collections.abc import Iterator

    from muninn_core.journal.journal import Journal
    from muninn_core.journal.writer import Transaction


_SLICE = 1000
"""Events that one transaction removes."""


class Month(NamedTuple):
    """Events that one file takes: the first of them, the last position, and the file."""

    first: Row
    last: int
    file: str


def month_before(now: datetime, months: int) -> str:
    """Return the month (YYYY-MM) that is so many months before that of a time in UTC."""
    year, number = divmod(now.astimezone(UTC).year * 12 + now.astimezone(UTC).month - 1 - months, 12)
    return f"{year:04d}-{number + 1:02d}"


def seal_months(journal: Journal, before: str) -> list[Sealed]:
    """Move the events of whole months before `before` (YYYY-MM) into sealed files, one per month.

    Months are those of `recorded_at`. Returns the new files. Raises BadParams for another form of month.
    """
    limit = _start_of(before)
    with journal.rewriting:
        _delete_sealed(journal)  # what a crash left
        return [_seal_month(journal, month) for month in _months(journal, limit)]


def preview(journal: Journal, before: str, retained_from: str | None) -> tuple[list[str], list[str]]:
    """Return the files that `seal_months` would write, and those that `drop_sealed` would then remove.

    `retained_from` is the time that `drop_sealed` gets, None when nothing is removed. Raises BadParams as they do.
    """
    months = list(_months(journal, _start_of(before)))
    files = [month.file for month in months]
    if retained_from is None:
        return files, []
    limit = milliseconds(moment(retained_from, "before"))
    removed: list[str] = []
    for seal in _kept_files(journal):
        if not _is_expired(journal, seal, limit):
            return files, removed
        removed.append(seal.file)
    for month in months:
        with journal.connections.one() as connection:
            (newest,) = connection.execute(
                "SELECT max(recorded_at) FROM raw_events WHERE position BETWEEN ? AND ?",
                (month.first.position, month.last),
            ).fetchone()
        if newest >= limit:
            return files, removed
        removed.append(month.file)
    return files, removed


def _start_of(month: str) -> int:
    """Return the time at which a month (YYYY-MM) begins, in milliseconds. Raises BadParams for another form."""
    if not re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])", month):
        raise BadParams(f"'{month}' is not a month", hint="Give a month as YYYY-MM; earlier months are sealed.")
    return milliseconds(normalise(f"{month}-01T00:00:00.000Z"))


def _months(journal: Journal, limit: int) -> Iterator[Month]:
    """Yield the months in the database whose events were all recorded before a time."""
    with journal.connections.one() as connection:
        (done,) = connection.execute("SELECT coalesce(max(last), 0) FROM sealed").fetchone()
        known = {file for (file,) in connection.execute("SELECT file FROM sealed")}
    while True:
        with journal.connections.one() as connection:
            row = connection.execute(
                f"SELECT {COLUMNS} FROM raw_events WHERE position > ? ORDER BY position LIMIT 1", (done,)
            ).fetchone()
            if row is None or (first := Row(*row)).recorded_at >= limit:
                return
            month = _month(first.recorded_at)
            (done,) = connection.execute(
                "SELECT coalesce(min(position) - 1, (SELECT max(position) FROM raw_events)) FROM raw_events"
                " WHERE position > ? AND recorded_at >= ?",
                (done, _start_of(_next_month(month))),
            ).fetchone()
        file = f"sealed/events-{month}.jsonl.gz"
        if file in known:  # else a file of this name is what a crash left, which is replaced
            file = f"sealed/events-{month}-{first.position}.jsonl.gz"
        known.add(file)
        yield Month(first, done, file)


def _seal_month(journal: Journal, month: Month) -> Sealed:
    first = month.first.position
    with journal.connections.one() as connection:
        (previous,) = connection.execute(
            "SELECT coalesce((SELECT hash FROM sealed WHERE last = ?), zeroblob(32))", (first - 1,)
        ).fetchone()
    (head,) = rows_at(journal.connections, journal.folder, [month.last]).values()
    seal = Sealed(first, month.last, head.hash, previous, month.file)
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
    for (file,) in dropped:  # what a crash left
        _remove(journal, file)
    removed = []
    for seal in _kept_files(journal):
        if not _is_expired(journal, seal, limit):
            break
        journal.writer.run(partial(_mark_dropped, seal))
        _remove(journal, seal.file)
        removed.append(seal.file)
    return removed


def _kept_files(journal: Journal) -> list[Sealed]:
    """Return the sealed files that retention has not removed, oldest first."""
    with journal.connections.one() as connection:
        rows = connection.execute(
            "SELECT first, last, hash, previous, file, dropped FROM sealed WHERE NOT dropped ORDER BY last"
        )
        return [Sealed(*row) for row in rows]


def _is_expired(journal: Journal, seal: Sealed, limit: int) -> bool:
    return all(row.recorded_at < limit for row in read_sealed(journal.folder / seal.file))


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
        # A key of a month that retention removed may be used again.
        " AND idempotency_key IS NOT NULL ON CONFLICT DO UPDATE SET position = excluded.position",
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
