"""The feed of events: what many events at once cost."""

from __future__ import annotations

import asyncio
import contextlib
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from muninn_core.errors import BusyError
from muninn_core.launch.repository_location import locate
from muninn_server.events import feed as feed_module
from muninn_server.events.feed import MAX_STREAMS, Feed, Message, Start, Subscriber, feed_of
from muninn_server.events.subscription_request import SubscriptionRequest

if TYPE_CHECKING:
    from engines import Muninn

pytest_plugins = ["engines"]

EVENTS = 200


class CountingFeed(Feed):
    """A feed of a journal that is a number, which counts how often it is read."""

    def __init__(self) -> None:
        location: Any = SimpleNamespace(identity="0" * 16, root="/nowhere")
        engine: Any = None
        super().__init__(engine, location)
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
        subscriber = Subscriber(SubscriptionRequest(), lambda message: message.data + b" ")
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


def test_a_defect_while_events_are_read_ends_followers_with_a_notice_and_later_ones_follow() -> None:
    class FailingFeed(CountingFeed):
        fails = True

        async def read(self, after: int) -> tuple[list[tuple[Any, Message]], int]:
            if self.fails:
                raise ZeroDivisionError
            return await super().read(after)

    async def run() -> None:
        feed = FailingFeed()
        following = asyncio.create_task(feed._follow())
        subscriber = Subscriber(SubscriptionRequest(), lambda message: message.kind.encode() + b" ")
        feed.add(subscriber)
        await feed.record(1)
        await asyncio.wait([asyncio.create_task(subscriber.ready.wait()), following], return_when="FIRST_COMPLETED")
        assert (subscriber.ended, subscriber.take()) == (True, b"dropped ")
        feed.remove(subscriber)
        feed.fails = False
        later = Subscriber(SubscriptionRequest(), lambda message: message.data + b" ")
        feed.add(later)
        await feed.record(1)
        assert await received(feed, later, 2) == [b"0", b"1"]
        following.cancel()

    asyncio.run(run())


def test_followers_that_want_the_same_share_what_is_chosen_and_encoded() -> None:
    chosen: list[object] = []
    encoded: list[Message] = []

    class Choosy(SubscriptionRequest):
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
    feed._hand_out(0, [(number, Message("journal", b"%d" % number)) for number in range(3)])  # type: ignore[misc]
    assert [each.take() for each in (*same, other)] == [b"02", b"02", b"02", b"<0<2"]
    assert (len(chosen), len(encoded)) == (2 * 3, 2)


async def test_one_that_joins_in_the_pause_after_a_burst_gets_each_event_once(
    muninn: Muninn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reader is behind the journal then."""
    monkeypatch.setattr(feed_module, "BURST_SECONDS", 10_000)
    feed = feed_of(muninn.engine, muninn.location)
    got: dict[str, list[bytes]] = {"early": [], "late": []}
    news = asyncio.Event()

    def record() -> None:
        muninn.call("event.append", event_type="step")

    async def follow(name: str, start: Start) -> None:
        async def send(data: bytes) -> None:
            got[name] += data.split()
            news.set()

        await feed.deliver(
            start, Subscriber(SubscriptionRequest(), lambda message: message.identity.encode() + b" "), send
        )

    async def reached(early: int, late: int = 0) -> None:
        while len(got["early"]) < early or len(got["late"]) < late:
            news.clear()
            await news.wait()

    async with feed.open():
        following = [asyncio.create_task(follow("early", await feed.start("", None)))]
        record()
        await reached(1)
        record()  # in the pause
        journal = muninn.engine.journals.open(muninn.location).journal
        second = feed.identity(2, next(journal.rows(2, 2)).hash.hex())
        start = await feed.start(second, None)
        assert (start.position, start.resumed) == (2, True)
        following.append(asyncio.create_task(follow("late", start)))
        while len(feed._subscribers) < 2:
            await asyncio.sleep(0)

        assert feed._follower is not None
        feed._follower.cancel()  # the pause ends
        monkeypatch.setattr(feed_module, "BURST_SECONDS", 0)
        feed._follower = asyncio.create_task(feed._follow())
        feed._due.set()
        await reached(2)
        record()
        await reached(3, 1)
        for each in following:
            each.cancel()
    numbers = {name: [int(each.split(b":")[1]) for each in found] for name, found in got.items()}
    assert numbers == {"early": [1, 2, 3], "late": [3]}


async def test_connections_to_a_work_tree_share_its_feed_and_its_limit(muninn: Muninn) -> None:
    feeds = [feed_of(muninn.engine, locate(str(muninn.root))) for _ in range(2)]
    assert feeds[0] is feeds[1]
    async with contextlib.AsyncExitStack() as stack:
        for number in range(MAX_STREAMS):
            await stack.enter_async_context(feeds[number % 2].open())
        with pytest.raises(BusyError, match=f"{MAX_STREAMS} clients follow the events of {muninn.root}") as refused:
            await stack.enter_async_context(feeds[0].open())
        assert "Close a page, an editor" in refused.value.hint
    assert feeds[0].streams == 0
