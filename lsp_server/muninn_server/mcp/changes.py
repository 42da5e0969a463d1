"""Changes of a work tree's memory and knowledge, as the URIs of resources.

There is one object per work tree, which is active while it has subscribers. A commit or checkout changes many files,
so changes are gathered for a moment. Imports no MCP library.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from muninn_core.engine.engine import Engine
from muninn_core.errors import MuninnError
from muninn_core.launch.place import Place
from muninn_core.source.muninn_file import CONTEXT_FOLDER
from muninn_server.mcp.resources import STATUS, file_uri, memory_uri

GATHER_SECONDS = 0.05
"""How long changes are gathered."""

_FOLDERS = (".muninn/knowledge", ".muninn/packs", CONTEXT_FOLDER)


class ResourceChanges(NamedTuple):
    """The URIs of changed resources, and whether the list of resources changed.

    Contexts are not named: any change may affect each of them.
    """

    uris: frozenset[str]
    listed: bool


class Changes:
    """The changes of one work tree. `subscribe` is called on the event loop, and so are the subscribers."""

    def __init__(self, engine: Engine, place: Place) -> None:
        self._engine = engine
        self._place = place
        self._subscribers: list[Callable[[ResourceChanges], None]] = []
        self._ends: list[Callable[[], None]] = []
        self._memories: dict[str, bool] = {}
        self._knowledge: dict[str, tuple[int, int]] = {}
        self._due: asyncio.TimerHandle | None = None

    async def subscribe(self, subscriber: Callable[[ResourceChanges], None]) -> Callable[[], None]:
        """Call `subscriber` on the loop with all further changes. Returns a function that ends the subscription."""
        self._subscribers.append(subscriber)
        if not self._ends:
            loop = asyncio.get_running_loop()
            root = self._place.root
            self._ends = [
                self._engine.trees.files.add(root, lambda _paths: _call_soon(loop, self._wake, {})),
                self._engine.trees.memories.add(root, functools.partial(_call_soon, loop, self._wake)),
            ]
            self._knowledge = await asyncio.to_thread(self._open)
        return functools.partial(self._unsubscribe, subscriber)

    def _open(self) -> dict[str, tuple[int, int]]:
        try:
            self._engine.open(self._place)  # only an open work tree is watched
        except MuninnError:
            pass  # `.muninn` does not exist yet
        return _stamps(Path(self._place.root))

    def _unsubscribe(self, subscriber: Callable[[ResourceChanges], None]) -> None:
        if subscriber in self._subscribers:
            self._subscribers.remove(subscriber)
        if not self._subscribers:
            for end in self._ends:
                end()
            self._ends = []
            if self._due is not None:
                self._due.cancel()
                self._due = None

    def _wake(self, memories: Mapping[str, bool]) -> None:
        for identity, listed in memories.items():
            self._memories[identity] = self._memories.get(identity, False) or listed
        if self._due is None and self._subscribers:
            loop = asyncio.get_running_loop()
            self._due = loop.call_later(GATHER_SECONDS, lambda: loop.create_task(self._notify()))

    async def _notify(self) -> None:
        self._due = None
        memories, self._memories = self._memories, {}
        before, after = self._knowledge, await asyncio.to_thread(_stamps, Path(self._place.root))
        self._knowledge = after
        changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
        uris = {*map(memory_uri, memories), *map(file_uri, changed), STATUS}
        changes = ResourceChanges(frozenset(uris), any(memories.values()) or before.keys() != after.keys())
        for subscriber in list(self._subscribers):
            subscriber(changes)


def _call_soon(
    loop: asyncio.AbstractEventLoop, wake: Callable[[Mapping[str, bool]], None], memories: Mapping[str, bool]
) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(wake, memories)


def _stamps(root: Path) -> dict[str, tuple[int, int]]:
    """Return the modification time and size of each knowledge and context file."""
    found = {}
    for folder in _FOLDERS:
        for path in (root / folder).rglob("*.md"):
            try:
                status = path.stat()
            except OSError:
                continue  # deleted meanwhile
            found[path.relative_to(root).as_posix()] = (status.st_mtime_ns, status.st_size)
    return found
