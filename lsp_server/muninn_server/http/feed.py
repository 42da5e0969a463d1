"""What happens in a repository, handed to any number of event streams: one reader, and a bounded queue for each stream.

The journal is read once for all streams. A stream whose client reads too slowly is ended when its queue is full, so it
costs the writer, the other streams and the memory of the daemon nothing. All methods run on the event loop.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from muninn_core.errors import MuninnError
from muninn_core.journal.search import Search
from muninn_core.launch.runtime import repository_key
from muninn_core.model.event import Event
from muninn_core.model.value import encode_json
from muninn_server.http.event_filter import Wanted
from muninn_server.http_listener import log
from muninn_server.session import Session

MAX_QUEUED = 4 * 1024 * 1024
"""The most bytes that wait for one client. A single longer message is queued alone."""

BATCH = 500
"""Events read at once."""

GATHER_SECONDS = 0.05
"""How long changes of memories and of the index are gathered."""


def frame(kind: str, data: bytes, identity: str = "") -> bytes:
    """Return one message of a stream. `data` is one line.

    Source of the form: HTML Living Standard, "Server-sent events", section "Parsing an event stream".
    """
    head = f"id: {identity}\n" if identity else ""
    return f"{head}event: {kind}\ndata: ".encode() + data + b"\n\n"


class Subscriber:
    """The queue of one stream. `dropped` is called when the queue is full."""

    def __init__(self, wanted: Wanted, dropped: Callable[[], None]) -> None:
        self.wanted = wanted
        self.ready = asyncio.Event()
        self.ended = False
        self._dropped = dropped
        self._waiting: deque[bytes] = deque()
        self._size = 0

    def offer(self, message: bytes) -> bool:
        """Queue a message; return False when the queue is full, which ends the stream with a notice."""
        if self.ended:
            return True
        if self._waiting and self._size + len(message) > MAX_QUEUED:
            self.end("the client reads too slowly")
            self._dropped()
            return False
        self._waiting.append(message)
        self._size += len(message)
        self.ready.set()
        return True

    def end(self, reason: str = "") -> None:
        """End the stream. With a reason, the client gets a notice in the place of what waits."""
        if self.ended:
            return
        self.ended = True
        self._waiting.clear()
        if reason:
            hint = "Connect again; the header Last-Event-ID continues after the last event that was read."
            self._waiting.append(frame("dropped", json.dumps({"reason": reason, "hint": hint}).encode()))
        self.ready.set()

    def take(self, most: int = 65_536) -> bytes:
        """Return messages that wait, about `most` bytes of them; b"" when none waits."""
        taken = []
        size = 0
        while self._waiting and size < most:
            taken.append(self._waiting.popleft())
            size += len(taken[-1])
        self._size -= min(size, self._size)
        if not self._waiting and not self.ended:
            self.ready.clear()
        return b"".join(taken)


class Feed:
    """What happens in one work tree and in its repository's journal."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._subscribers: list[Subscriber] = []
        self._loop = asyncio.get_running_loop()
        self._due = asyncio.Event()
        self._follower: asyncio.Task[None] | None = None
        self._search: Search | None = None
        self._head: Callable[[], int] = lambda: 0
        self._position = 0
        self._ends: list[Callable[[], None]] = []
        self._memories: dict[str, bool] = {}
        self._gathering: asyncio.TimerHandle | None = None
        self._index: object = None
        self.key = repository_key(session.place.identity)
        self.streams = 0
        """Streams that are open."""
        self.dropped = 0
        """Streams that were ended because their clients read too slowly."""

    async def open(self) -> None:
        """Open the work tree and its journal, once. Raises MuninnError."""
        if self._search is not None:
            return
        engine, place = self._session.engine, self._session.place

        def opened() -> tuple[Search, Callable[[], int], Callable[[Callable[[int], None]], Callable[[], None]]]:
            engine.open(place)
            found = engine.journals.open(place)
            return found.search, lambda: found.journal.position, found.journal.on_commit

        search, head, on_commit = await asyncio.to_thread(opened)
        if self._search is None:  # another request may have opened it meanwhile
            self._search, self._head = search, head
            self._ends = [
                on_commit(lambda _position: self._soon(self._due.set)),
                engine.trees.memories.add(place.root, lambda changed: self._soon(lambda: self._gather(changed))),
                engine.trees.indexed.add(place.root, lambda _nothing: self._soon(lambda: self._gather({}))),
            ]
            self._index = self.index_state()
            self._follower = self._loop.create_task(self._follow())

    def close(self) -> None:
        """End all streams with a notice, and stop following."""
        for end in self._ends:
            end()
        if self._follower is not None:
            self._follower.cancel()
        if self._gathering is not None:
            self._gathering.cancel()
        for each in self._subscribers:
            each.end("the daemon closes the port")

    async def read(self, after: int) -> tuple[list[tuple[Event, bytes]], int]:
        """Return events after a position with their messages, and the position that was reached. Raises MuninnError."""
        search = self._search
        assert search is not None

        def read() -> tuple[list[tuple[Event, bytes]], int]:
            events, reached = search.following(after, BATCH)
            return [(event, self._message(event)) for event in events], reached

        return await asyncio.to_thread(read)

    @property
    def position(self) -> int:
        """The position after which new subscribers get events."""
        if not self._subscribers:
            self._position = self._head()
        return self._position

    def add(self, subscriber: Subscriber) -> None:
        """Queue all further messages for a subscriber that has read up to `position`."""
        self._subscribers.append(subscriber)
        self._due.set()  # what was recorded since `position` was read

    def remove(self, subscriber: Subscriber) -> None:
        """Queue nothing more for a subscriber."""
        if subscriber in self._subscribers:
            self._subscribers.remove(subscriber)

    def identity(self, position: int, digest: str) -> str:
        """Return the id of the message with the event at a position: repository, position and part of its hash."""
        return f"{self.key}:{position}:{digest[:16]}"

    def _message(self, event: Event) -> bytes:
        data = b'{"repository":"%b","event":%b}' % (self.key.encode(), encode_json(event))
        return frame("journal", data, self.identity(event.position, event.hash))

    def index_state(self) -> dict[str, Any]:
        """Return the state of the index: generation, changed files that it lacks, and whether it is ready."""
        workspace = self._session.engine.trees.get(self._session.place)
        if workspace is None or workspace.updater.index is None:
            return {"generation": 0, "lag": 0, "state": "absent" if workspace is None else workspace.updater.state}
        updater = workspace.updater
        index = updater.index
        generation = index.snapshot().generation if index is not None else 0
        return {"generation": generation, "lag": updater.lag, "state": updater.state}

    def memory_state(self) -> dict[str, Any]:
        """Return the state of memory: the number of its records."""
        workspace = self._session.engine.trees.get(self._session.place)
        return {"log": workspace.memory.log.position if workspace is not None else 0}

    # --- what happens ---

    def _soon(self, run: Callable[[], object]) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(run)

    async def _follow(self) -> None:
        while True:
            await self._due.wait()
            self._due.clear()
            try:
                while self._subscribers and self._position < self._head():
                    events, reached = await self.read(self._position)
                    self._position = reached
                    for event, message in events:
                        self._offer([each for each in self._subscribers if each.wanted.takes(event)], message)
            except MuninnError as error:
                log.warning("the journal can't be followed: %s", error.message)
                for each in self._subscribers:
                    each.end(f"the journal can't be read: {error.message}")

    def _gather(self, changed: Mapping[str, bool]) -> None:
        for identity, listed in changed.items():
            self._memories[identity] = self._memories.get(identity, False) or listed
        if self._gathering is None and self._subscribers:
            self._gathering = self._loop.call_later(GATHER_SECONDS, self._publish_changes)

    def _publish_changes(self) -> None:
        self._gathering = None
        memories, self._memories = self._memories, {}
        if memories:
            self._publish("memory", {**self.memory_state(), "changed": memories})
        index = self.index_state()
        if index != self._index:
            self._index = index
            self._publish("index", index)

    def _publish(self, topic: str, content: dict[str, Any]) -> None:
        data = {"repository": self.key, "root": self._session.place.root, **content}
        takers = [each for each in self._subscribers if topic in each.wanted.topics]
        self._offer(takers, frame(topic, json.dumps(data).encode()))

    def _offer(self, takers: list[Subscriber], message: bytes) -> None:
        for each in takers:
            if not each.offer(message):
                self.dropped += 1
                log.info("an event stream was ended: its client reads too slowly")
