"""The feed of events: what many events at once cost."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

from muninn_server.events.feed import Feed, Message, Subscriber
from muninn_server.events.wanted import Wanted

EVENTS = 200


class CountingFeed(Feed):
    """A feed of a journal that is a number, which counts how often it is read."""

    def __init__(self) -> None:
        place: Any = SimpleNamespace(identity="0" * 16, root="/nowhere")
        engine: Any = None
        super().__init__(engine, place)
        self.head = self.reads = 0
        self._head = lambda: self.head

    async def read(self, after: int) -> tuple[list[tuple[Any, Message]], int]:
        """Return the events after a position."""
        self.reads += 1
        return [(None, Message("journal", b"%d" % number)) for number in range(after, self.head)], self.head

    async def record(self, count: int) -> None:
        """Record events one by one, each with its notice."""
        for _ in range(count):
            self.head += 1
            self._due.set()
            await asyncio.sleep(0)


async def received(feed: CountingFeed, subscriber: Subscriber, count: int) -> list[bytes]:
    """Wait for some events."""
    got: list[bytes] = []
    while len(got) < count:
        await subscriber.ready.wait()
        got += subscriber.take().split()
    return got


def test_events_of_a_burst_are_read_and_sent_together_and_the_first_at_once() -> None:
    async def run() -> None:
        feed = CountingFeed()
        subscriber = Subscriber(Wanted(), lambda message: message.data + b" ")
        feed.add(subscriber)
        following = asyncio.create_task(feed._follow())
        await feed.record(1)
        assert await received(feed, subscriber, 1) == [b"0"]
        assert feed.reads == 1
        await feed.record(EVENTS)
        assert await received(feed, subscriber, EVENTS) == [b"%d" % number for number in range(1, EVENTS + 1)]
        assert feed.reads < EVENTS / 4
        following.cancel()

    asyncio.run(run())


def test_followers_that_want_the_same_share_what_is_chosen_and_encoded() -> None:
    chosen: list[object] = []
    encoded: list[Message] = []

    class Choosy(Wanted):
        def takes(self, event: Any) -> bool:
            chosen.append(event)
            return event != 1

    def encode(message: Message) -> bytes:
        encoded.append(message)
        return message.data

    feed = CountingFeed()
    same = [Subscriber(Choosy(), encode) for _ in range(3)]
    other = Subscriber(Choosy(fields=(("event_type", ("a",)),)), lambda message: b"<" + message.data)
    for each in (*same, other):
        feed.add(each)
    feed._hand_out([(number, Message("journal", b"%d" % number)) for number in range(3)])  # type: ignore[misc]
    assert [each.take() for each in (*same, other)] == [b"02", b"02", b"02", b"<0<2"]
    assert (len(chosen), len(encoded)) == (2 * 3, 2)
