"""A pytest plugin that runs the modules with the longest tests first.

With `--dist loadfile` each worker gets whole modules, because the tests of a module share repositories, engines and
daemons. A worker that ends early waits for the other one, so the last modules should be short.
"""

from __future__ import annotations

import pytest

RANKS = ("slow", "client", "daemon")
"""Markers, the one of the longest tests first."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Order the modules by their longest test, and leave the tests of a module in their order."""
    ranks: dict[object, int] = {}
    for item in items:
        rank = min((RANKS.index(mark.name) for mark in item.iter_markers() if mark.name in RANKS), default=len(RANKS))
        ranks[item.path] = min(rank, ranks.get(item.path, rank))
    items.sort(key=lambda item: ranks[item.path])
