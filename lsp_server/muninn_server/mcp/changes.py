"""What changes in a work tree's memory and knowledge, told to whoever listens as addresses of resources.

One object a work tree; it looks only while somebody listens. Changes of a moment are told together: a commit or a
checkout brings many. Knows no MCP library.
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
from muninn_server.mcp.resources import STATUS, memory_uri, written_uri

GATHER_SECONDS = 0.05
"""How long changes are gathered before they are told."""

_FOLDERS = (".muninn/knowledge", ".muninn/packs", CONTEXT_FOLDER)


class News(NamedTuple):
    """What changed: the addresses of resources, and whether the list of them is another.

    Any context may be another one, too: they are not named.
    """

    uris: frozenset[str]
    listed: bool


class Changes:
    """The changes of one work tree. `listen` is called on the event loop, and so is whoever listens."""

    def __init__(self, engine: Engine, place: Place) -> None:
        self._engine = engine
        self._place = place
        self._listeners: list[Callable[[News], None]] = []
        self._ends: list[Callable[[], None]] = []
        self._memories: dict[str, bool] = {}
        self._knowledge: dict[str, tuple[int, int]] = {}
        self._due: asyncio.TimerHandle | None = None

    async def listen(self, heard: Callable[[News], None]) -> Callable[[], None]:
        """Call `heard` on the loop with what changes from now on; returns what ends it."""
        self._listeners.append(heard)
        if not self._ends:
            loop = asyncio.get_running_loop()
            root = self._place.root
            self._ends = [
                self._engine.trees.files.add(root, lambda _paths: _soon(loop, self._wake, {})),
                self._engine.trees.memories.add(root, functools.partial(_soon, loop, self._wake)),
            ]
            self._knowledge = await asyncio.to_thread(self._open)
        return functools.partial(self._leave, heard)

    def _open(self) -> dict[str, tuple[int, int]]:
        try:
            self._engine.open(self._place)  # what is not open is not watched
        except MuninnError:
            pass  # there is no memory yet: nothing changes until somebody makes it
        return _stamps(Path(self._place.root))

    def _leave(self, heard: Callable[[News], None]) -> None:
        if heard in self._listeners:
            self._listeners.remove(heard)
        if not self._listeners:
            for end in self._ends:
                end()
            self._ends = []
            if self._due is not None:
                self._due.cancel()
                self._due = None

    def _wake(self, memories: Mapping[str, bool]) -> None:
        for identity, spoke in memories.items():
            self._memories[identity] = self._memories.get(identity, False) or spoke
        if self._due is None and self._listeners:
            loop = asyncio.get_running_loop()
            self._due = loop.call_later(GATHER_SECONDS, lambda: loop.create_task(self._tell()))

    async def _tell(self) -> None:
        self._due = None
        memories, self._memories = self._memories, {}
        before, after = self._knowledge, await asyncio.to_thread(_stamps, Path(self._place.root))
        self._knowledge = after
        changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
        uris = {*map(memory_uri, memories), *map(written_uri, changed), STATUS}
        news = News(frozenset(uris), any(memories.values()) or before.keys() != after.keys())
        for heard in list(self._listeners):
            heard(news)


def _soon(
    loop: asyncio.AbstractEventLoop, wake: Callable[[Mapping[str, bool]], None], memories: Mapping[str, bool]
) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(wake, memories)


def _stamps(root: Path) -> dict[str, tuple[int, int]]:
    """Return the files of knowledge and the context files with what changes when they do."""
    found = {}
    for folder in _FOLDERS:
        for path in (root / folder).rglob("*.md"):
            try:
                status = path.stat()
            except OSError:
                continue  # gone meanwhile
            found[path.relative_to(root).as_posix()] = (status.st_mtime_ns, status.st_size)
    return found
