"""The order of the project's memories within their sessions: what was stored right before and after one.

It follows the log.
"""

from __future__ import annotations

import threading
from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Mapping, Sequence

from muninn_core.model.memory import Memory
from muninn_core.store.folding.lazy_mapping import each_value


class SessionOrder:
    """Safe to use from several threads. `memories` returns all memories; it is called at the first use."""

    def __init__(self, memories: Callable[[], Mapping[str, Memory]]) -> None:
        self._all = memories
        self._lock = threading.Lock()
        self._open = False
        self._session: dict[str, str] = {}
        self._ids: dict[str, list[str]] = {}

    def update(self, changed: Mapping[str, Memory | None]) -> None:
        """Apply changes; None drops a memory. Does nothing before the first use."""
        with self._lock:
            if self._open:
                for identity, memory in changed.items():
                    self._remove(identity)
                    if memory is not None and (session := _session(memory)):
                        self._session[identity] = session
                        insort(self._ids.setdefault(session, []), identity)

    def near(self, identities: Iterable[str], reach: int) -> dict[str, Sequence[tuple[str, int]]]:
        """Return {id: (id, distance) of the active memories stored up to `reach` places before and after it}.

        Ids ascend with the time of storing. A memory without a session is left out.
        """
        found: dict[str, Sequence[tuple[str, int]]] = {}
        with self._lock:
            if not self._open:
                self._read()
            for identity in identities:
                session = self._session.get(identity)
                if session is None:
                    continue
                ids = self._ids[session]
                position = bisect_left(ids, identity)
                before, after = ids[max(0, position - reach) : position], ids[position + 1 : position + reach + 1]
                found[identity] = [
                    *zip(before, range(len(before), 0, -1), strict=True),
                    *zip(after, range(1, len(after) + 1), strict=True),
                ]
        return found

    def places(self, identities: Sequence[str]) -> tuple[list[int], list[int]]:
        """Return for each memory a number for its session, -1 without one, and its place in the session's order."""
        numbers: dict[str, int] = {}
        sessions, places = [], []
        with self._lock:
            if not self._open:
                self._read()
            of, ids = self._session, self._ids
            for identity in identities:
                session = of.get(identity)
                if session is None:
                    sessions.append(-1)
                    places.append(0)
                else:
                    sessions.append(numbers.setdefault(session, len(numbers)))
                    places.append(bisect_left(ids[session], identity))
        return sessions, places

    def _read(self) -> None:
        self._session, self._ids = {}, {}
        for memory in each_value(self._all()):
            if session := _session(memory):
                self._session[memory.id] = session
                self._ids.setdefault(session, []).append(memory.id)
        for ids in self._ids.values():
            ids.sort()
        self._open = True

    def _remove(self, identity: str) -> None:
        session = self._session.pop(identity, "")
        if session:
            ids = self._ids[session]
            del ids[bisect_left(ids, identity)]
            if not ids:
                del self._ids[session]


def _session(memory: Memory) -> str:
    """Return the session of work of an active memory of the project, "" for any other."""
    return memory.work_session if memory.active and memory.scope == "project" else ""
