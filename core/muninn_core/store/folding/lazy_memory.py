"""Memories that are created from their line on first use.

Creating all of them takes a third of the time to open a log of 100,000 memories, of which most callers need a few.
"""

from __future__ import annotations

from muninn_core.model.memory import Memory
from muninn_core.store.records.fast_parse import memory_from_line
from muninn_core.store.records.record import Record


class LazyMemories:
    """Memories of plain records, created on first use. Safe for several threads.

    Their numbers are negative, which keeps them apart from those of `CachedValues`.
    """

    def __init__(self) -> None:
        self._records: list[Record] = []
        self._memories: dict[int, Memory] = {}

    def add(self, record: Record) -> int:
        """Return the number of the memory that a plain record creates."""
        self._records.append(record)
        return -len(self._records)

    def memory(self, number: int) -> Memory:
        """Return a memory, the same object each time."""
        memory = self._memories.get(number)
        return memory if memory is not None else self._memories.setdefault(number, self.passing_memory(number))

    def passing_memory(self, number: int) -> Memory:
        """Return a memory that is not kept, unless it was created before."""
        memory = self._memories.get(number)
        if memory is not None:
            return memory
        record = self._records[-number - 1]
        return memory_from_line(record.line, record.id)

    def created(self, number: int) -> Memory | None:
        """Return a memory that was created before, None for any other."""
        return self._memories.get(number)
