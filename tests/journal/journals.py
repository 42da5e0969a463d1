"""A journal in a folder of its own, with a manual clock and counted ids."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from muninn_core.journal.journal import Journal
from muninn_core.model.event import EventDraft
from muninn_core.store.records.ids import UlidGenerator


class Clock:
    """A clock that tests set."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **span: float) -> None:
        self.now += timedelta(**span)


def open_journal(folder: Path, clock: Callable[[], datetime] | None = None) -> Journal:
    clock = clock or Clock()
    counter = iter(range(1, 10_000_000))
    return Journal(folder, clock=clock, new_id=UlidGenerator(clock, lambda n: (next(counter) << 16).to_bytes(n, "big")))


def draft(payload: Any = None, **more: Any) -> EventDraft:
    values = {"event_type": "note", "project_id": "p", "session_id": "s1", **more}
    return EventDraft(payload={"text": "x"} if payload is None else payload, **values)


def tamper(folder: Path, *statements: str) -> None:
    """Change the database of a closed journal as a program would that does not respect it."""
    connection = sqlite3.connect(folder / "events.db")
    for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        connection.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()
