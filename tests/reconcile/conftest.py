import random
from datetime import UTC, datetime, timedelta

import pytest

from muninn_core.store.ids import Ids
from muninn_core.store.layout import initialise, layout_of
from muninn_core.store.log import open_log


class Clock:
    """A second passes whenever somebody looks."""

    def __init__(self, start=datetime(2026, 1, 7, 10, 0, tzinfo=UTC)):
        self.now = start

    def __call__(self):
        self.now += timedelta(seconds=1)
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def ids(clock):
    return Ids(clock, random.Random(7).randbytes)


@pytest.fixture
def layout(tmp_path):
    layout = layout_of(tmp_path / "repo")
    initialise(layout, "# defaults\n")
    return layout


@pytest.fixture
def opened(layout, clock, ids):
    def at(where=layout, **options):
        return open_log(where, clock=clock, ids=ids, **options)

    return at


@pytest.fixture
def log(opened):
    return opened()
