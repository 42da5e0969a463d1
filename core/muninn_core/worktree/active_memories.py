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

_MANY = 200
"""With more changes than this, sorting everything is faster than inserting each."""


class ActiveMemories:
    """Safe to use from several threads. `memories` returns all memories; it is called at the first use."""

    def __init__(self, memories: Callable[[], Mapping[str, Memory]]) -> None:
        self._all = memories
        self._lock = threading.Lock()
        self._active: dict[str, Memory] | None = None
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
                if known is not None and len(changed) <= _MANY:
                    del self._order[bisect_left(self._order, _age(known))]
                self._pins.discard(identity)
                self._mortal.discard(identity)
                if memory is not None and memory.active:
                    self._active[identity] = memory
                    if memory.pinned:
                        self._pins.add(identity)
                    if memory.expires:
                        self._mortal.add(identity)
                    if len(changed) <= _MANY:
                        insort(self._order, _age(memory))
            if len(changed) > _MANY:
                self._sort()

    def memories(self, now: datetime) -> dict[str, Memory]:
        """Return the active memories that have not expired, by id, in arbitrary order."""
        with self._lock:
            found = dict(self._opened())
            for identity in self._mortal:  # few memories expire; checking all of them is too slow
                if has_expired(found[identity], now):
                    del found[identity]
            return found

    def newest(self, now: datetime) -> Iterator[Memory]:
        """Yield the active memories that have not expired, the last changed first."""
        with self._lock:
            active, order = dict(self._opened()), self._order[::-1]
        for _, identity in order:
            if not has_expired(active[identity], now):
                yield active[identity]

    def pinned(self, now: datetime) -> list[Memory]:
        """Return the pinned active memories that have not expired, the last changed first."""
        with self._lock:
            active = self._opened()
            pins = [active[identity] for identity in self._pins]
        return sorted((memory for memory in pins if not has_expired(memory, now)), key=_age, reverse=True)

    def _opened(self) -> dict[str, Memory]:
        if self._active is None:
            self._active = {identity: memory for identity, memory in self._all().items() if memory.active}
            self._pins = {identity for identity, memory in self._active.items() if memory.pinned}
            self._mortal = {identity for identity, memory in self._active.items() if memory.expires}
            self._sort()
        return self._active

    def _sort(self) -> None:
        self._order = sorted(map(_age, (self._active or {}).values()))


def _age(memory: Memory) -> tuple[str, str]:
    return (memory.updated or memory.ts, memory.id)
