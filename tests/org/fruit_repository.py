"""A small repository with a memory, and an organisation's database for one test."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from repositories import git

from muninn_core.org.reading.branches import enter
from muninn_core.org.reading.reader import PostgresReader

FRUIT = "def peel(banana):\n    '''Take the skin off.'''\n    return banana.inner\n"
MEMORY = {
    "v": 1,
    "id": "01K00000000000000000000001",
    "ts": "2026-10-01T00:00:00.000Z",
    "type": "decision",
    "text": "Bananas are peeled from the far end.",
    "actor": "user",
}


@pytest.fixture(name="root")
def fruit_root(tmp_path: Path) -> Path:
    """A repository with a file and a memory."""
    found = tmp_path / "one"
    (found / ".muninn" / "memory").mkdir(parents=True)
    (found / "fruit.py").write_text(FRUIT)
    (found / ".muninn" / "memory" / "main.jsonl").write_text(json.dumps(MEMORY) + "\n")
    git(found, "init", "-q", "-b", "main")
    git(found, "add", "-A")
    git(found, "commit", "-q", "-m", "All")
    return found


@pytest.fixture(name="fresh")
def fruit_fresh(make_home):
    """A database of its own."""
    return make_home()


def files(home, name: str = "one") -> set[str]:
    """Return the files of a repository that a reader of it finds."""
    ann = home.principal("ann", name)
    with home.database.transaction("muninn_reader", snapshot=True) as connection:
        return set(PostgresReader(connection, home.tenant, enter(connection, home.tenant, ann, [name])).files())
