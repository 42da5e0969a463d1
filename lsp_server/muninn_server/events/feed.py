"""Publishes the events of a work tree: one reader of the journal, and a bounded queue for each subscriber.

The journal is read once for all subscribers. A subscriber that reads too slowly is ended when its queue is full, so it
costs the writer, the other subscribers and the memory of the daemon nothing. All methods run on the event loop.
"""

from __future__ import annotations

import asyncio
import functools
import json
import logging
import re
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

from muninn_core import __version__
from muninn_core.engine.engine import Engine
from muninn_core.errors import BadParams, BusyError, MuninnError
from muninn_core.journal.search import Search
from muninn_core.launch.repository_location import RepositoryLocation
from muninn_core.launch.runtime import repository_key
from muninn_core.model.event import Event
from muninn_core.model.value import encode_json
from muninn_server.events.subscription_request import Selection, SubscriptionRequest

MAX_QUEUED = 4 * 1024 * 1024
"""The most bytes that wait for one subscriber. A single longer message is queued alone."""

BATCH_BYTES = 64 * 1024
"""About how many bytes are sent to a subscriber at once."""

MAX_STREAMS = 64
"""The most subscribers of a work tree at once, of all its clients together."""

BATCH = 500
"""Events read at once."""

GATHER_SECONDS = 0.05
"""How long changes of memories and of the index are gathered."""

BURST_SECONDS = 0.01
SUBSCRIBER_SECONDS = 0.004
"""The least time for which further events are gathered, and the time added for each subscriber: waking a subscriber
costs as much for one event as for many."""

_IDENTITY = re.compile(r"([0-9a-f]{16}):([0-9]{1,15}):([0-9a-f]{16}|)")

log = logging.getLogger("muninn.events")


def sse_frame(kind: str, data: bytes, identity: str = "") -> bytes:
    """Return one message of a stream of Server-Sent Events. `data` is one line.

    Source of the form: HTML Living Standard, "Server-sent events", section "Parsing an event stream".
    """
    head = f"id: {identity}\n" if identity else ""
    return f"{head}event: {kind}\ndata: ".encode() + data + b"\n\n"


class Message:
    """What subscribers get: its kind, its data as one line of JSON, and an id to continue after, if it has one."""

    def __init__(self, kind: str, data: bytes, identity: str = "") -> None:
        self.kind = kind
        self.data = data
        self.identity = identity

    @property
    def size(self) -> int:
        """The bytes of memory that it holds while it waits, without those of its objects."""
        return len(self.data)


class Batch:
    """Messages that are sent together. Subscribers with the same encoder share its bytes."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self.size = sum(each.size for each in messages)
        self._messages = messages
        self._encoded: dict[Callable[[Message], bytes], bytes] = {}

    def encoded(self, encode: Callable[[Message], bytes]) -> bytes:
        """Return the bytes of the messages."""
        found = self._encoded.get(encode)
        if found is None:
            found = self._encoded[encode] = b"".join(map(encode, self._messages))
        return found


def batches(messages: Sequence[Message]) -> Iterator[Batch]:
    """Yield messages in batches of about `BATCH_BYTES`."""
    begun = size = 0
    for number, message in enumerate(messages, 1):
        size += message.size
        if size >= BATCH_BYTES or number == len(messages):
            yield Batch(messages[begun:number])
            begun, size = number, 0


class Start(NamedTuple):
    """Where a subscriber begins: after an event. `resumed` tells whether that is what it asked for."""

    position: int
    digest: str
    resumed: bool
    reason: str = ""


class Subscriber:
    """The queue of one subscriber.

    `encode` returns the bytes of a message; it is called in the order of sending. Subscribers that share it share the
    bytes.
    `dropped` is called when the queue is full.
    """

    def __init__(
        self,
        subscription: SubscriptionRequest,
        encode: Callable[[Message], bytes],
        dropped: Callable[[], None] = lambda: None,
    ) -> None:
        self.subscription = subscription
        self.encode = encode
        self.ready = asyncio.Event()
        self.ended = False
        self.after = 0
        """The position up to which it has read."""
        self._dropped = dropped
        self._waiting: deque[Batch] = deque()
        self._size = 0

    def offer(self, batch: Batch) -> bool:
        """Queue messages; return False when the queue is full, which ends the subscriber with a notice."""
        if self.ended:
            return True
        if self._waiting and self._size + batch.size > MAX_QUEUED:
            self.end("the client reads too slowly")
            self._dropped()
            return False
        self._waiting.append(batch)
        self._size += batch.size
        self.ready.set()
        return True

    def end(self, reason: str = "") -> None:
        """End the subscriber. With a reason, it gets a notice in the place of what waits."""
        if self.ended:
            return
        self.ended = True
        self._waiting.clear()
        if reason:
            hint = "Connect again, and continue after the id of the last event that was read."
            notice = Message("dropped", json.dumps({"reason": reason, "hint": hint}).encode())
            self._waiting.append(Batch([notice]))
        self.ready.set()

    @property
    def empty(self) -> bool:
        """Whether nothing waits."""
        return not self._waiting

    def take(self) -> bytes:
        """Return messages that wait, about `BATCH_BYTES` of them; b"" when none waits."""
        taken = []
        size = 0
        while self._waiting and size < BATCH_BYTES:
            batch = self._waiting.popleft()
            taken.append(batch.encoded(self.encode))
            size += batch.size
        self._size -= min(size, self._size)
        if not self._waiting and not self.ended:
            self.ready.clear()
        return taken[0] if len(taken) == 1 else b"".join(taken)


class Feed:
    """What happens in one work tree and in its repository's journal. It follows only while it has subscribers."""

    def __init__(self, engine: Engine, location: RepositoryLocation) -> None:
        self._engine = engine
        self._location = location
        self._subscribers: list[Subscriber] = []
        self._due = asyncio.Event()
        self._follower: asyncio.Task[None] | None = None
        self._search: Search | None = None
        self._head: Callable[[], int] = lambda: 0
        self._position = 0
        self._ends: list[Callable[[], None]] = []
        self._memories: dict[str, bool] = {}
        self._gathering: asyncio.TimerHandle | None = None
        self._index: object = None
        self.key = repository_key(location.identity)
        self.streams = 0
        """Subscribers now."""
        self.dropped = 0
        """Subscribers that were ended because they read too slowly."""

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Hold the feed open for one subscriber. Raises BusyError for too many, and the errors of opening a journal."""
        if self.streams >= MAX_STREAMS:
            raise BusyError(
                f"{MAX_STREAMS} clients follow the events of {self._location.root}, the most at once",
                hint="Close a page, an editor or another program that follows them, and connect again.",
            )
        self.streams += 1
        try:
            await self._begin()
            yield
        finally:
            self.streams -= 1
            if not self.streams:
                self._stop()

    async def _begin(self) -> None:
        if self._search is not None:
            return
        engine, place = self._engine, self._location

        def opened() -> tuple[Search, Callable[[], int], Callable[[Callable[[int], None]], Callable[[], None]]]:
            engine.open(place)
            found = engine.journals.open(place)
            return found.search, lambda: found.journal.position, found.journal.on_commit

        search, head, on_commit = await asyncio.to_thread(opened)
        if self._search is None:  # another subscriber may have opened it meanwhile
            loop = asyncio.get_running_loop()

            def soon(run: Callable[[], object]) -> None:
                if not loop.is_closed():
                    loop.call_soon_threadsafe(run)

            self._search, self._head = search, head
            self._ends = [
                on_commit(lambda _position: soon(self._due.set)),
                engine.trees.memories.add(place.root, lambda changed: soon(lambda: self._gather(changed))),
                engine.trees.indexed.add(place.root, lambda _nothing: soon(lambda: self._gather({}))),
            ]
            self._index = self.index_state()
            self._follower = loop.create_task(self._follow())

    def _stop(self) -> None:
        for end in self._ends:
            end()
        self._ends, self._search = [], None
        if self._follower is not None:
            self._follower.cancel()
        if self._gathering is not None:
            self._gathering.cancel()
            self._gathering = None

    async def read(self, after: int) -> tuple[list[tuple[Event, Message]], int]:
        """Return events after a position with their messages, and the position that was reached. Raises MuninnError."""
        search = self._search
        assert search is not None

        found = search.following_newest(after, BATCH)
        if found is None:
            found = await asyncio.to_thread(search.following, after, BATCH)
        events, reached = found
        return [(event, self._message(event)) for event in events], reached

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

    async def deliver(
        self, start: Start, subscriber: Subscriber, send: Callable[[bytes], Awaitable[None]], beat: bytes = b""
    ) -> None:
        """Send a subscriber's events from `start` on until it ends; `beat` is sent when nothing was for a while.

        Those up to now come from the journal. Then it is subscribed, with no step between in which one could be missed.
        """
        position = start.position
        try:
            while position < self.position and not subscriber.ended:
                try:
                    events, position = await self.read(position)
                except MuninnError as error:
                    subscriber.end(f"the journal can't be read: {error.message}")
                    break
                for batch in batches([message for event, message in events if subscriber.subscription.takes(event)]):
                    await send(batch.encoded(subscriber.encode))
            subscriber.after = position
            self.add(subscriber)
            while not subscriber.ended or not subscriber.empty:
                try:
                    async with asyncio.timeout(subscriber.subscription.heartbeat if beat else None):
                        await subscriber.ready.wait()
                except TimeoutError:
                    await send(beat)
                while chunk := subscriber.take():
                    await send(chunk)
        finally:
            self.remove(subscriber)

    async def start(self, last: str, after: int | None) -> Start:
        """Return where a subscriber begins. Raises BadParams for an id that no message of this repository has."""
        head = self._head()
        if not last:
            position = head if after is None else min(after, head)
            return Start(position, await asyncio.to_thread(self._digest, position), resumed=after == position)
        found = _IDENTITY.fullmatch(last)
        if found is None or found[1] != self.key:
            about = "is malformed" if found is None else "is one of another repository"
            hint = "Send the id of the last message that was read, or connect without one to begin now."
            raise BadParams(f"the id of the last event {about}: '{last[:80]}'", hint=hint)
        position, digest = int(found[2]), found[3]
        if position <= head:
            known = await asyncio.to_thread(self._digest, position)
            if known in ("", digest) or not digest:  # "": retention removed the event
                return Start(position, digest, resumed=True)
        reason = "the journal was made anew since this event"
        return Start(head, await asyncio.to_thread(self._digest, head), resumed=False, reason=reason)

    def _digest(self, position: int) -> str:
        """Return the start of the hash of the event at a position, "" for none."""
        journal = self._engine.journals.open(self._location).journal
        row = next(journal.rows(position, position), None) if position else None
        return row.hash.hex()[:16] if row is not None else ""

    def state(self, start: Start) -> Message:
        """Return the first message: where the journal, memory and the index are, and where the subscriber begins."""
        data = {
            "repository": self.key,
            "identity": self._location.identity,
            "root": self._location.root,
            "version": __version__,
            "resumed": start.resumed,
            "reason": start.reason,
            "after": start.position,
            "journal": {"position": self._head()},
            "memory": self.memory_state(),
            "index": self.index_state(),
        }
        return Message("state", json.dumps(data).encode(), self.identity(start.position, start.digest))

    def identity(self, position: int, digest: str) -> str:
        """Return the id of the message with the event at a position: repository, position and part of its hash."""
        return f"{self.key}:{position}:{digest[:16]}"

    def _message(self, event: Event) -> Message:
        data = b'{"repository":"%b","event":%b}' % (self.key.encode(), encode_json(event))
        return Message("journal", data, self.identity(event.position, event.hash))

    def index_state(self) -> dict[str, Any]:
        """Return the state of the index: generation, changed files that it lacks, and whether it is ready."""
        workspace = self._engine.trees.get(self._location)
        if workspace is None or workspace.updater.index is None:
            return {"generation": 0, "lag": 0, "state": "absent" if workspace is None else workspace.updater.state}
        updater = workspace.updater
        index = updater.index
        generation = index.snapshot().generation if index is not None else 0
        return {"generation": generation, "lag": updater.lag, "state": updater.state}

    def memory_state(self) -> dict[str, Any]:
        """Return the state of memory: the number of its records."""
        workspace = self._engine.trees.get(self._location)
        return {"log": workspace.memory.log.position if workspace is not None else 0}

    # --- what happens ---

    async def _follow(self) -> None:
        while True:
            await self._due.wait()
            self._due.clear()
            try:
                while self._subscribers and self._position < self._head():
                    first = self._position
                    events, self._position = await self.read(first)
                    self._hand_out(first, events)
                await asyncio.sleep(max(BURST_SECONDS, SUBSCRIBER_SECONDS * len(self._subscribers)))
            except MuninnError as error:
                log.warning("the journal can't be followed: %s", error.message)
                for each in self._subscribers:
                    each.end(f"the journal can't be read: {error.message}")
            except Exception:  # a defect: without a notice, subscribers would wait for events that never come
                log.exception("the journal can't be followed")
                for each in self._subscribers:
                    each.end("the daemon failed to read the journal; `muninn daemon logs` says why")

    def _hand_out(self, first: int, events: Sequence[tuple[Event, Message]]) -> None:
        """Offer the events after `first` to those who want them and have not read them. What several want alike is
        chosen once.
        """
        chosen: dict[tuple[Selection, int], list[Batch]] = {}
        for each in self._subscribers:
            key = each.subscription.selection, max(first, each.after)
            found = chosen.get(key)
            if found is None:
                new = [pair for pair in events if each.after <= first or pair[0].position > each.after]
                found = list(batches([message for event, message in new if each.subscription.takes(event)]))
                chosen[key] = found
            for batch in found:
                self._offer(each, batch)

    def _gather(self, changed: Mapping[str, bool]) -> None:
        for identity, listed in changed.items():
            self._memories[identity] = self._memories.get(identity, False) or listed
        if self._gathering is None and self._subscribers:
            loop = asyncio.get_running_loop()
            self._gathering = loop.call_later(GATHER_SECONDS, self._publish_changes)

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
        data = {"repository": self.key, "root": self._location.root, **content}
        batch = Batch([Message(topic, json.dumps(data).encode())])
        for each in self._subscribers:
            if topic in each.subscription.topics:
                self._offer(each, batch)

    def _offer(self, subscriber: Subscriber, batch: Batch) -> None:
        if not subscriber.offer(batch):
            self.dropped += 1
            log.info("an event stream was ended: its client reads too slowly")


def feed_of(engine: Engine, location: RepositoryLocation) -> Feed:
    """Return the feed of a work tree, shared by all its subscribers."""
    return _feed(engine, location.root, location.identity, location.git_dir)


@functools.cache
def _feed(engine: Engine, *place: str) -> Feed:
    return Feed(engine, RepositoryLocation(*place))
