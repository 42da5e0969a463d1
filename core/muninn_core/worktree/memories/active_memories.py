"""The active memories, updated with the log: all of them, and ordered from newest to oldest.

A session start needs the newest of ten thousand memories. Sorting them at each start took longer than all other work,
so the order is made once and then updated.
"""

from __future__ import annotations

import threading
from bisect import bisect_left, insort
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime

from muninn_core.model.memory import Memory
from muninn_core.retrieval.decay import has_expired
from muninn_core.store.folding.lazy_mapping import each_value

_RESORT_THRESHOLD = 200
"""With more changes than this, sorting everything is faster than inserting each."""


class ActiveMemories:
    """Safe to use from several threads. `memories` returns all memories; it is called at the first use."""

    def __init__(self, memories: Callable[[], Mapping[str, Memory]]) -> None:
        self._all = memories
        self._lock = threading.Lock()
        self._active: dict[str, str] | None = None
        """The time of each active memory's last change, by id; None before the first use."""
        self._order: list[tuple[str, str]] = []
        self._pins: set[str] = set()
        self._mortal: set[str] = set()

    def update(self, changed: Mapping[str, Memory | None]) -> None:
        """Apply changes; None drops a memory. Does nothing before the first use."""
        with self._lock:
            if self._active is None:
                return
            for identity, memory in changed.items():
                known = self._active.pop(identity, None)
                if known is not None and len(changed) <= _RESORT_THRESHOLD:
                    del self._order[bisect_left(self._order, (known, identity))]
                self._pins.discard(identity)
                self._mortal.discard(identity)
                if memory is not None and memory.active:
                    self._add(self._active, memory)
                    if len(changed) <= _RESORT_THRESHOLD:
                        insort(self._order, (self._active[identity], identity))
            if len(changed) > _RESORT_THRESHOLD:
                self._sort(self._active)

    def memories(self, now: datetime) -> dict[str, Memory]:
        """Return the active memories that have not expired, by id, in arbitrary order."""
        with self._lock:
            active, memories = tuple(self._opened()), self._all()
            mortal = set(self._mortal)
        found = {each: memory for each in active if (memory := memories.get(each)) is not None and memory.active}
        for identity in mortal & found.keys():  # few memories expire; checking all of them is too slow
            if has_expired(found[identity], now):
                del found[identity]
        return found

    def newest(self, now: datetime) -> Iterator[Memory]:
        """Yield the active memories that have not expired, the last changed first."""
        with self._lock:
            self._opened()
            order, memories = self._order[::-1], self._all()
        for _, identity in order:
            memory = memories.get(identity)
            if memory is not None and memory.active and not has_expired(memory, now):
                yield memory

    def pinned(self, now: datetime) -> list[Memory]:
        """Return the pinned active memories that have not expired, the last changed first."""
        with self._lock:
            self._opened()
            memories = self._all()
            pins = [memory for each in self._pins if (memory := memories.get(each)) is not None and memory.active]
        return sorted((memory for memory in pins if not has_expired(memory, now)), key=_age, reverse=True)

    def release_memory(self) -> None:
        """Forget what was read. The next use reads all memories again."""
        with self._lock:
            self._active, self._order = None, []

    def _opened(self) -> dict[str, str]:
        if self._active is None:
            active: dict[str, str] = {}
            self._pins, self._mortal = set(), set()
            for memory in each_value(self._all()):
                if memory.active:
                    self._add(active, memory)
            self._active = active
            self._sort(active)
        return self._active

    def _add(self, active: dict[str, str], memory: Memory) -> None:
        active[memory.id] = _age(memory)[0]
        if memory.pinned:
            self._pins.add(memory.id)
        if memory.expires:
            self._mortal.add(memory.id)

    def _sort(self, active: Mapping[str, str]) -> None:
        self._order = sorted([(changed, identity) for identity, changed in active.items()])


def _age(memory: Memory) -> tuple[str, str]:
    return (memory.updated or memory.ts, memory.id)
