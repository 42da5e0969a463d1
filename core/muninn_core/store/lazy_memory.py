"""Memories that are not made yet: each follows from one plain line, and is made when somebody asks for it.

To make them all is a third of the time in which a log of 100,000 is read and folded, and whoever opens one to store a
memory or to ask for a few never looks at the others.
"""

from __future__ import annotations

from muninn_core.model.memory import Memory
from muninn_core.store.fast_parse import memory_of
from muninn_core.store.record import Record


class LazyMemory:
    """The memories of plain records, made when somebody asks. Safe to use from several threads.

    Their numbers are below zero, so that none is that of a value of a fold that was kept.
    """

    def __init__(self) -> None:
        self._records: list[Record] = []
        self._made: dict[int, Memory] = {}

    def take(self, record: Record) -> int:
        """Return the number of the memory that a plain record makes by itself."""
        self._records.append(record)
        return -len(self._records)

    def memory(self, number: int) -> Memory:
        """Return a memory, the same object each time."""
        made = self._made.get(number)
        return made if made is not None else self._made.setdefault(number, memory_of(self._records[-number - 1].line))
