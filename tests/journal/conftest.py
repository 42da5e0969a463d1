"""Fixtures: a journal in a folder of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from journals import Clock, open_journal

from muninn_core.journal.journal import Journal


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "journal"


@pytest.fixture
def journal(folder: Path, clock: Clock) -> Iterator[Journal]:
    one = open_journal(folder, clock)
    yield one
    one.close()
