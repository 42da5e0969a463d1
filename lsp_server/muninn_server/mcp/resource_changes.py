"""Changes of a work tree's memory and knowledge, as the URIs of resources.

There is one object per work tree, which is active while it has subscribers. A commit or checkout changes many files,
so changes are gathered for a moment. Imports no MCP library.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from muninn_core.engine.engine import Engine
from muninn_core.errors import MuninnError
from muninn_core.launch.repository_location import RepositoryLocation
from muninn_core.source.documents.muninn_file import CONTEXT_FOLDER
from muninn_server.mcp.resources import EVENTS, STATUS, file_uri, memory_uri

GATHER_SECONDS = 0.05
"""How long changes are gathered."""

_FOLDERS = (".muninn/knowledge", ".muninn/packs", CONTEXT_FOLDER)


class ResourceChanges(NamedTuple):
    """The URIs of changed resources, whether the list of resources changed, and whether contexts may have.

    Contexts are not named: any change but a new event may affect each of them.
    """

    uris: frozenset[str]
    listed: bool
    contexts: bool = True


class Changes:
    """The changes of one work tree. `subscribe` is called on the event loop, and so are the subscribers."""

    def __init__(self, engine: Engine, location: RepositoryLocation) -> None:
        self._engine = engine
        self._location = location
        self._subscribers: list[Callable[[ResourceChanges], None]] = []
        self._ends: list[Callable[[], None]] = []
        self._memories: dict[str, bool] = {}
        self._knowledge: dict[str, tuple[int, int]] = {}
        self._files = False
        self._events = False
        self._journal: Callable[[], None] | None = None
        self._due: asyncio.TimerHandle | None = None

    async def subscribe(self, subscriber: Callable[[ResourceChanges], None]) -> Callable[[], None]:
        """Call `subscriber` on the loop with all further changes. Returns a function that ends the subscription."""
        self._subscribers.append(subscriber)
        if not self._ends:
            loop = asyncio.get_running_loop()
            root = self._location.root
            self._ends = [
                self._engine.trees.files.add(root, lambda _paths: _call_soon(loop, self._wake)),
                self._engine.trees.memories.add(root, lambda changed: _call_soon(loop, self._wake, changed)),
            ]
            self._knowledge = await asyncio.to_thread(self._open)
        return functools.partial(self._unsubscribe, subscriber)

    async def follow_journal(self) -> None:
        """Tell of new events as well, as long as there are subscribers. Raises MuninnError."""
        if self._journal is not None:
            return
        loop = asyncio.get_running_loop()

        def note() -> None:
            self._events = True
            self._soon()

        def opened() -> Callable[[], None]:
            self._engine.open(self._location)
            journal = self._engine.journals.open(self._location).journal
            return journal.on_commit(lambda _position: _call_soon(loop, note))

        self._journal = lambda: None  # a second call that comes meanwhile has nothing to do
        try:
            self._journal = await asyncio.to_thread(opened)
        except MuninnError:
            self._journal = None
            raise

    def _open(self) -> dict[str, tuple[int, int]]:
        try:
            self._engine.open(self._location)  # only an open work tree is watched
        except MuninnError:
            pass  # `.muninn` does not exist yet
        return _stamps(Path(self._location.root))

    def _unsubscribe(self, subscriber: Callable[[ResourceChanges], None]) -> None:
        if subscriber in self._subscribers:
            self._subscribers.remove(subscriber)
        if not self._subscribers:
            for end in self._ends:
                end()
            self._ends = []
            if self._journal is not None:
                self._journal()
                self._journal = None
            if self._due is not None:
                self._due.cancel()
                self._due = None

    def _wake(self, memories: Mapping[str, bool] = MappingProxyType({})) -> None:
        for identity, listed in memories.items():
            self._memories[identity] = self._memories.get(identity, False) or listed
        self._files = True
        self._soon()

    def _soon(self) -> None:
        if self._due is None and self._subscribers:
            loop = asyncio.get_running_loop()
            self._due = loop.call_later(GATHER_SECONDS, lambda: loop.create_task(self._notify()))

    async def _notify(self) -> None:
        self._due = None
        memories, self._memories = self._memories, {}
        files, self._files = self._files, False
        uris, self._events = {EVENTS} if self._events else set(), False
        listed = any(memories.values())
        if files:
            before, after = self._knowledge, await asyncio.to_thread(_stamps, Path(self._location.root))
            self._knowledge = after
            changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
            uris |= {*map(memory_uri, memories), *map(file_uri, changed), STATUS}
            listed = listed or before.keys() != after.keys()
        changes = ResourceChanges(frozenset(uris), listed, files)
        for subscriber in list(self._subscribers):
            subscriber(changes)


def _call_soon(loop: asyncio.AbstractEventLoop, work: Callable[..., None], *given: Any) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(work, *given)


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
