"""Journals of earlier versions open, keep their events, and take new ones."""

from __future__ import annotations

import gzip
import sqlite3
from pathlib import Path

import pytest
from journals import Clock, draft, open_journal

from muninn_core.errors import StorageError
from muninn_core.journal import database

DATA = Path(__file__).parent / "data"


@pytest.fixture
def first_version(folder: Path) -> Path:
    folder.mkdir()
    (folder / "events.db").write_bytes(gzip.decompress((DATA / "version-1.db.gz").read_bytes()))
    return folder


def test_a_journal_of_version_1_opens_with_all_its_events(first_version):
    later = Clock()
    later.forward(days=2)
    for _ in range(2):
        journal = open_journal(first_version, later)
        rows = list(journal.rows())
        assert [row.event_type for row in rows[:4]] == ["note", "note", "note", "muninn.redacted"]
        assert journal.event(rows[2].event_id).payload == {"n": 1.5, "list": [1, "é", None]}
        assert journal.append(draft({"text": "The first event."}, stream_id="main", idempotency_key="k1")).duplicate
        assert journal.verify().broken is None
        later.forward(days=1)
        journal.append(draft())
        journal.close()
    with sqlite3.connect(first_version / "events.db") as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (len(database.EVENTS),)
    connection.close()


def test_a_migration_that_was_interrupted_runs_again(tmp_path):
    good = ("CREATE TABLE one(x)", "CREATE TABLE two(x)")
    path = tmp_path / "j" / "events.db"
    with pytest.raises(StorageError):
        database.open_writer(path, (good[0], "CREATE TABLE two(x); INSERT INTO missing VALUES(1)"))
    connection = database.open_writer(path, good)
    assert {name for (name,) in connection.execute("SELECT name FROM sqlite_master")} == {"one", "two"}
    connection.close()
