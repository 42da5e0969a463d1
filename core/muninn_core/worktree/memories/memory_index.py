"""An index of memories by the files and code names that they mention. It follows the log.

It returns candidates. Callers decide whether a memory is recallable and where its code is now.
"""

from __future__ import annotations

import re
import threading
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping

from muninn_core.model.memory import Memory
from muninn_core.store.folding.lazy_mapping import each_value

_CODE = re.compile(r"`([A-Za-z_][\w.:#]*)(?:\(\))?`")
_LAST = re.compile(r"[.#]|::")

MIN_NAME_LENGTH = 3
"""Characters. Shorter names are too common to index."""

_SPARE = 1_000
"""The number of dead rows that is not worth a new index."""


class MemoryIndex:
    """Safe to use from several threads. `memories` returns all memories; it is called at each use.

    Memories are rows, and each key has the rows that hold it: a sixth of the size of sets of memories. A row is never
    used again. One whose memory has changed or gone is dead until the index is made again.
    """

    def __init__(self, memories: Callable[[], Mapping[str, Memory]]) -> None:
        self._all = memories
        self._lock = threading.Lock()
        self._open = False
        self._ids: list[str] = []
        self._row_of: dict[str, int] = {}
        self._rows: dict[str, array[int]] = {}

    def update(self, changed: Mapping[str, Memory | None]) -> None:
        """Apply changes; None drops a memory. Does nothing before the first use."""
        with self._lock:
            if not self._open:
                return
            for identity, memory in changed.items():
                self._row_of.pop(identity, None)
                if memory is not None and memory.active:
                    self._add(memory)
            if len(self._ids) > 2 * len(self._row_of) + _SPARE:
                self._open = False

    def by_files(self, paths: Iterable[str]) -> list[Memory]:
        """Return the memories that name or cite one of some files, by id."""
        return self._found(f"/{path}" for path in paths)

    def by_name(self, name: str) -> list[Memory]:
        """Return, by id, the memories that cite a definition of this name, list it as an entity, or quote it in
        backticks.
        """
        return self._found([name]) if len(name) >= MIN_NAME_LENGTH else []

    def _found(self, keys: Iterable[str]) -> list[Memory]:
        with self._lock:
            memories = self._all()
            if not self._open:
                self._read(memories)
            rows = {row for key in keys for row in self._rows.get(key, ())}
            ids = sorted(self._ids[row] for row in rows if self._row_of.get(self._ids[row]) == row)
        return [memories[identity] for identity in ids if identity in memories]

    def _read(self, memories: Mapping[str, Memory]) -> None:
        self._ids, self._row_of, self._rows = [], {}, {}
        for memory in each_value(memories):
            if memory.active:
                self._add(memory)
        self._open = True

    def _add(self, memory: Memory) -> None:
        row = self._row_of[memory.id] = len(self._ids)
        self._ids.append(memory.id)
        for key in frozenset(_keys(memory)):
            rows = self._rows.get(key)
            if rows is None:
                self._rows[key] = array("i", (row,))
            else:
                rows.append(row)


def _keys(memory: Memory) -> Iterator[str]:
    for path in (*memory.files, *(cite.path for cite in memory.cites)):
        yield f"/{path}"
    yield from names_of(memory)


def names_of(memory: Memory) -> Iterator[str]:
    """Yield the code names that a memory mentions, unqualified.

    A plain word such as `user` counts only where it is cited.
    """
    for cite in memory.cites:
        if cite.symbol:
            yield _LAST.split(cite.symbol)[-1]
    for name in (*memory.entities, *_CODE.findall(memory.title), *_CODE.findall(memory.text)):
        last = _LAST.split(name.removesuffix("()"))[-1]
        if last.isidentifier() and not (last.isalpha() and last.islower()):
            yield last
