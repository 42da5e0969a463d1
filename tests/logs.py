"""An initialised folder with an open log and no engine. Each call of the clock advances it; ids are seeded."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from muninn_core.store.files.layout import Layout, initialise, layout_of
from muninn_core.store.log import Log, open_log
from muninn_core.store.records.ids import UlidGenerator


class Clock:
    """A clock that advances by one second per call."""

    def __init__(self, start: datetime = datetime(2026, 1, 7, 10, 0, tzinfo=UTC)) -> None:
        self.now = start

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


@pytest.fixture
def clock() -> Clock:
    """A clock for one test."""
    return Clock()


@pytest.fixture
def ids(clock: Clock) -> UlidGenerator:
    """Ids that are the same in every run."""
    return UlidGenerator(clock, random.Random(7).randbytes)


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    """An initialised folder without git."""
    layout = layout_of(tmp_path / "repo")
    initialise(layout, "# defaults\n")
    return layout


@pytest.fixture
def opened(layout: Layout, clock: Clock, ids: UlidGenerator) -> Callable[..., Log]:
    """A function that opens the log, or that of another folder."""

    def at(where: Layout = layout, **options: Any) -> Log:
        return open_log(where, clock=clock, ids=ids, **options)

    return at


@pytest.fixture
def log(opened: Callable[..., Log]) -> Log:
    """The log, open for writing."""
    return opened()
