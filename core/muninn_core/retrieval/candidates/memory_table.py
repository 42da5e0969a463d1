"""The memories as columns, so that a filter compares each distinct value once instead of each memory.

It follows the log. A column is made when a filter first needs it. What a filter gave is kept, and only values that came
since are compared: successive questions have the same filter.
"""

from __future__ import annotations

import threading
from array import array
from collections.abc import Callable, Hashable, Iterable, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from muninn_core.retrieval.decay import has_expired
from muninn_core.retrieval.query.filters import COLUMNS, Bound
from muninn_core.retrieval.request import Passing
from muninn_core.store.folding.lazy_mapping import each_value, passing_getter

if TYPE_CHECKING:
    from datetime import datetime

    from numpy.typing import NDArray

    from muninn_core.model.memory import Memory
    from muninn_core.retrieval.query.filters import FilterSet, Test
    from muninn_core.retrieval.query.query_language import Filter

_MAX_KEPT = 8
"""Filters whose results are kept, in each column and for the whole table."""

_SPARE = 1_000
"""The number of dead rows that is not worth a new table."""


class _Column:
    """The value of a field in each row, as a number of a distinct value."""

    def __init__(self, value_of: Callable[[Memory], Hashable]) -> None:
        self._value_of = value_of
        self._numbers: dict[Hashable, int] = {}
        self._rows = array("i")
        self._passed: dict[tuple[str, tuple[str, ...]], NDArray[np.bool_]] = {}
        self._texts: NDArray[np.str_] = np.array([], str)

    def add(self, memory: Memory | None) -> None:
        """Append the value of a memory; that of None passes no test."""
        numbers = self._numbers
        self._rows.append(-1 if memory is None else numbers.setdefault(self._value_of(memory), len(numbers)))

    def passing(self, asked: Filter, test: Test) -> NDArray[np.bool_]:
        """Return for each row whether its value passes. A test other than a `Bound` depends on `asked` alone."""
        passed = self._within(test) if isinstance(test, Bound) else self._tested((asked.key, asked.values), test)
        found: NDArray[np.bool_] = np.append(passed, False)[np.array(self._rows)]
        return found

    def _within(self, test: Bound) -> NDArray[np.bool_]:
        if len(self._texts) < len(self._numbers):
            values: Any = list(self._numbers)
            self._texts = np.array(values, str)
        return test.among(self._texts)

    def _tested(self, key: tuple[str, tuple[str, ...]], test: Test) -> NDArray[np.bool_]:
        known = self._passed.pop(key, np.zeros(0, bool))
        fresh = len(self._numbers) - len(known)
        if fresh:
            values = islice(self._numbers, len(known), None)
            known = np.concatenate([known, np.fromiter(map(test, values), bool, fresh)])
        self._passed[key] = known
        if len(self._passed) > _MAX_KEPT:
            del self._passed[next(iter(self._passed))]  # the one that was asked for longest ago
        return known


class MemoryTable:
    """Safe to use from several threads. `memories` returns all memories; it is called at the first use."""

    def __init__(self, memories: Callable[[], Mapping[str, Memory]]) -> None:
        self._all = memories
        self._lock = threading.Lock()
        self._clear()

    def _clear(self) -> None:
        self._open = False
        self._ids: list[str] = []
        self._row_of: dict[str, int] = {}
        self._active = array("b")
        self._expiring: dict[str, Memory] = {}
        self._columns: dict[str, _Column] = {}
        self._found: dict[tuple[Filter, ...], tuple[NDArray[np.intp], Passing]] = {}

    def update(self, changed: Mapping[str, Memory | None]) -> None:
        """Apply changes; None drops a memory. Does nothing before the first use."""
        with self._lock:
            if not self._open:
                return
            for identity, memory in changed.items():
                row = self._row_of.pop(identity, None)
                self._expiring.pop(identity, None)
                if row is not None:
                    self._active[row] = 0
                if memory is not None:
                    self._add(memory)
                    for column in self._columns.values():
                        column.add(memory)
            if len(self._ids) > 2 * len(self._row_of) + _SPARE:
                self._clear()

    def passing(self, filters: FilterSet, now: datetime) -> Passing:
        """Return the ids of the memories that can be recalled and pass all filters.

        The same object as at the last question with these filters while the same memories pass.
        """
        with self._lock:
            self._read([name for name, _, _ in filters.tests])
            mask = np.array(self._active, bool)
            for asked, (name, test, negated) in zip(filters.filters, filters.tests, strict=True):
                mask &= self._columns[name].passing(asked, test) != negated
            for identity, memory in self._expiring.items():
                if has_expired(memory, now):
                    mask[self._row_of[identity]] = False
            return self._ids_of(filters.filters, np.flatnonzero(mask))

    def _ids_of(self, asked: tuple[Filter, ...], rows: NDArray[np.intp]) -> Passing:
        known = self._found.pop(asked, None)
        if known is None or not np.array_equal(known[0], rows):  # a row is never used again
            ids = sorted([self._ids[row] for row in rows.tolist()])
            known = (rows, Passing(tuple(ids), frozenset(ids)))
        self._found[asked] = known
        if len(self._found) > _MAX_KEPT:
            del self._found[next(iter(self._found))]
        return known[1]

    def _read(self, names: Iterable[str]) -> None:
        """Make the rows, and the columns of some names, unless they exist. The memories are read at most once."""
        if not self._open:
            self._clear()  # an attempt may have failed
        missing = {name: _Column(COLUMNS[name]) for name in names if name not in self._columns}
        if not self._open:
            for memory in each_value(self._all()):
                self._add(memory)
                for column in missing.values():
                    column.add(memory)
            self._open = True
        elif missing:
            for known in map(passing_getter(self._all()), self._ids):
                for column in missing.values():
                    column.add(known)
        self._columns |= missing

    def _add(self, memory: Memory) -> None:
        self._row_of[memory.id] = len(self._ids)
        self._ids.append(memory.id)
        self._active.append(memory.active)
        if memory.expires:
            self._expiring[memory.id] = memory
