"""Subscriptions of a JSON-RPC connection, which editors use as well: events come as notifications.

`muninn/subscribe` takes the names of the event stream's address as parameters, and `last`, the id to continue after.
Its result is the stream's first message. Every further message is a notification `muninn/event`. `muninn/unsubscribe`
ends a subscription.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from muninn_core.errors import BadParams, Cancelled
from muninn_server.events.feed import Feed, Message, Start, Subscriber, feed_of
from muninn_server.events.subscription_request import parse_params
from muninn_server.session import Session

log = logging.getLogger("muninn.events")


class Subscriptions:
    """The subscriptions of one connection. `send` writes frames, and waits while the client reads slowly."""

    def __init__(self, session: Session, send: Callable[[bytes], Awaitable[None]]) -> None:
        self._session = session
        self._send = send
        self._last = 0
        self._tasks: dict[int, asyncio.Task[None]] = {}

    async def answer(self, method: str, params: Any, respond: Callable[[bytes], None]) -> None:
        """Subscribe or unsubscribe; `respond` gets the result as JSON. Raises MuninnError."""
        if not isinstance(params, dict | None):
            raise BadParams(f"'{method}' takes an object")
        given = dict(params or {})
        if method == "muninn/unsubscribe":
            self._end(given)
            respond(b"{}")
            return
        last = given.pop("last", "")
        if not isinstance(last, str):
            raise BadParams("'last' is the id of a message")
        subscription = parse_params(given)
        feed = feed_of(self._session.engine, self._session.location)
        self._last += 1
        number = self._last
        subscriber = Subscriber(subscription, _framing(number))
        begun: asyncio.Future[Start] = asyncio.get_running_loop().create_future()
        task = asyncio.get_running_loop().create_task(self._run(feed, last, subscriber, begun))
        self._tasks[number] = task
        task.add_done_callback(lambda _: self._forget(number, begun))
        start = await begun
        respond(b'{"subscription":%d,"id":%b,"state":%b}' % (number, *_state(feed.state(start))))

    async def _run(self, feed: Feed, last: str, subscriber: Subscriber, begun: asyncio.Future[Start]) -> None:
        try:
            async with feed.open():
                start = await feed.start(last, subscriber.subscription.after)
                begun.set_result(start)
                await asyncio.sleep(0)  # the response goes first
                await feed.deliver(start, subscriber, self._send)
        except ConnectionError:
            pass  # the client disconnected
        except Exception as error:  # before the response it is the answer; after it the log is the only place
            if begun.done():
                log.exception("a subscription failed")
            else:
                begun.set_exception(error)

    def _forget(self, number: int, begun: asyncio.Future[Start]) -> None:
        """Forget a subscription that has ended. One that was cancelled before it began gets its answer here."""
        self._tasks.pop(number, None)
        if not begun.done():
            begun.set_exception(Cancelled("the subscription was ended before it began"))

    def _end(self, given: dict[str, Any]) -> None:
        number = given.get("subscription")
        task = self._tasks.get(number) if isinstance(number, int) else None
        if task is None:
            raise BadParams(f"there is no subscription {json.dumps(number)[:40]}", hint="It may have ended already.")
        task.cancel()

    async def close(self) -> None:
        """End all subscriptions."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(*tasks, return_exceptions=True)


def _state(message: Message) -> tuple[bytes, bytes]:
    return json.dumps(message.identity).encode(), message.data


@functools.lru_cache(maxsize=1_000)
def _framing(number: int) -> Callable[[Message], bytes]:
    """Return what makes notifications of a subscription. Subscriptions of the same number, of any client, share it."""
    begin = b'{"jsonrpc":"2.0","method":"muninn/event","params":{"subscription":%d,"kind":"' % number

    def frame(message: Message) -> bytes:
        names = message.kind.encode(), message.identity.encode()  # none has a character that JSON escapes
        body = b'%b%b","id":"%b","data":%b}}' % (begin, *names, message.data)
        return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)

    return frame
