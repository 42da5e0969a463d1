"""An index of memories by the files and code names that they mention. It follows the log.

It returns candidates. Callers decide whether a memory is recallable and where its code is now.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping

from muninn_core.model.memory import Memory

_CODE = re.compile(r"`([A-Za-z_][\w.:#]*)(?:\(\))?`")
_LAST = re.compile(r"[.#]|::")

SHORTEST = 3
"""Characters. Shorter names are too common to index."""


class MemoryIndex:
    """Safe to use from several threads. `memories` returns all memories; it is called at the first use."""

    def __init__(self, memories: Callable[[], Mapping[str, Memory]]) -> None:
        self._all = memories
        self._lock = threading.Lock()
        self._open = False
        self._keys: dict[str, frozenset[str]] = {}
        self._holders: dict[str, dict[str, Memory]] = {}

    def update(self, changed: Mapping[str, Memory | None]) -> None:
        """Apply changes; None drops a memory. Does nothing before the first use."""
        with self._lock:
            if self._open:
                for identity, memory in changed.items():
                    self._remove(identity)
                    if memory is not None and memory.active:
                        self._add(memory)

    def by_files(self, paths: Iterable[str]) -> list[Memory]:
        """Return the memories that name or cite one of some files, by id."""
        return self._found(f"/{path}" for path in paths)

    def by_name(self, name: str) -> list[Memory]:
        """Return, by id, the memories that cite a definition of this name, list it as an entity, or quote it in
        backticks.
        """
        return self._found([name]) if len(name) >= SHORTEST else []

    def _found(self, keys: Iterable[str]) -> list[Memory]:
        with self._lock:
            if not self._open:
                for memory in self._all().values():
                    if memory.active:
                        self._add(memory)
                self._open = True
            found = {identity: memory for key in keys for identity, memory in self._holders.get(key, {}).items()}
        return [found[identity] for identity in sorted(found)]

    def _add(self, memory: Memory) -> None:
        keys = self._keys[memory.id] = frozenset(_keys(memory))
        for key in keys:
            self._holders.setdefault(key, {})[memory.id] = memory

    def _remove(self, identity: str) -> None:
        for key in self._keys.pop(identity, ()):
            holders = self._holders[key]
            del holders[identity]
            if not holders:
                del self._holders[key]


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
