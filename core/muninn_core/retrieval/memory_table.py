"""The memories as columns, so that a filter compares each distinct value once instead of each memory.

It follows the log. A column is made when a filter first needs it.
"""

from __future__ import annotations

import threading
from array import array
from collections.abc import Callable, Hashable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from muninn_core.retrieval.decay import has_expired
from muninn_core.retrieval.filters import COLUMNS, Bound

if TYPE_CHECKING:
    from datetime import datetime

    from numpy.typing import NDArray

    from muninn_core.model.memory import Memory
    from muninn_core.retrieval.filters import FilterSet, Test

_SPARE = 1_000
"""The number of dead rows that is not worth a new table."""


class _Column:
    """The value of a field in each row, as a number of a distinct value."""

    def __init__(self, value_of: Callable[[Memory], Hashable]) -> None:
        self._value_of = value_of
        self._numbers: dict[Hashable, int] = {}
        self._rows = array("i")

    def add(self, memory: Memory | None) -> None:
        """Append the value of a memory; that of None passes no test."""
        numbers = self._numbers
        self._rows.append(-1 if memory is None else numbers.setdefault(self._value_of(memory), len(numbers)))

    def passing(self, test: Test) -> NDArray[np.bool_]:
        """Return for each row whether its value passes."""
        values: Any = list(self._numbers)
        if isinstance(test, Bound):
            passed = test.among(np.array(values, str))
        else:
            passed = np.fromiter(map(test, values), bool, len(values))
        found: NDArray[np.bool_] = np.append(passed, False)[np.array(self._rows)]
        return found


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

    def passing(self, filters: FilterSet, now: datetime) -> list[str]:
        """Return the ids, sorted, of the memories that can be recalled and pass all filters."""
        with self._lock:
            memories = self._all()
            if not self._open:
                for memory in memories.values():
                    self._add(memory)
                self._open = True
            mask = np.array(self._active, bool)
            for name, test, negated in filters.tests:
                mask &= self._column(name, memories).passing(test) != negated
            expired = {identity for identity, memory in self._expiring.items() if has_expired(memory, now)}
            found = [self._ids[row] for row in np.flatnonzero(mask).tolist()]
        return sorted(found if not expired else [identity for identity in found if identity not in expired])

    def _column(self, name: str, memories: Mapping[str, Memory]) -> _Column:
        column = self._columns.get(name)
        if column is None:
            column = _Column(COLUMNS[name])
            for identity in self._ids:
                column.add(memories.get(identity))
            self._columns[name] = column
        return column

    def _add(self, memory: Memory) -> None:
        self._row_of[memory.id] = len(self._ids)
        self._ids.append(memory.id)
        self._active.append(memory.active)
        if memory.expires:
            self._expiring[memory.id] = memory
