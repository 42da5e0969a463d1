"""`GET /events`: Server-Sent Events, from a position of the journal on, without a gap.

A message of the journal has an id. A client that sends it as `Last-Event-ID` gets every later event, first from the
journal and then as they are recorded. The first message, `state`, tells where the journal, memory and the index are, so
that a client can tell whether it missed a change of memory or of the index.
"""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Protocol

from muninn_server.events.feed import Feed, Message, Subscriber, sse_frame
from muninn_server.events.subscription_request import parse_query
from muninn_server.http.asgi_messages import HEADERS, header
from muninn_server.http_listener import ASGIScope, Receive, RequestTimer, Send, log

RETRY_MS = 1000
"""After how many milliseconds a client connects again."""

HEARTBEAT = b": heartbeat\n\n"
"""A comment for a quiet stream, so that both sides notice a broken connection."""


class Merge(Protocol):
    """Adds the events of other repositories to a stream."""

    last: str
    """The id to continue after in this repository, "" for none."""

    def encode(self, message: Message) -> bytes:
        """Return a message of the stream; its id continues in all repositories."""

    def following(self, subscriber: Subscriber) -> AbstractAsyncContextManager[object]:
        """Offer the messages of the other repositories while the context lasts."""


class Streams:
    """The event streams of one port."""

    def __init__(self, feed: Feed) -> None:
        self.feed = feed
        self._open: set[Subscriber] = set()

    def close(self) -> None:
        """End all streams with a notice."""
        for each in self._open:
            each.end("the daemon closes the port")

    async def serve(self, scope: ASGIScope, receive: Receive, send: Send, merge: Merge | None = None) -> None:
        """Send events until the client or the port goes. Raises MuninnError before the response begins."""
        subscription = parse_query(scope["query_string"])
        last = merge.last if merge else header(scope, b"last-event-id")

        async def write(data: bytes) -> None:
            await send({"type": "http.response.body", "body": data, "more_body": True})

        async with self.feed.open():
            start = await self.feed.start(last, subscription.after)
            encode = merge.encode if merge else _encode
            subscriber = Subscriber(subscription, encode, lambda: RequestTimer.release(scope))
            self._open.add(subscriber)
            gone = asyncio.create_task(_until_gone(receive, subscriber))
            try:
                content_type = (b"content-type", b"text/event-stream; charset=utf-8")
                await send({"type": "http.response.start", "status": 200, "headers": [content_type, *HEADERS]})
                await write(f"retry: {RETRY_MS}\n\n".encode() + encode(self.feed.state(start)))
                async with merge.following(subscriber) if merge else nullcontext():
                    await self.feed.deliver(start, subscriber, write, HEARTBEAT)
                await send({"type": "http.response.body", "body": b""})
            except Exception:  # the response has begun: no error can be sent, and the connection is closed
                log.exception("an event stream failed")
            finally:
                self._open.discard(subscriber)
                gone.cancel()


def _encode(message: Message) -> bytes:
    return sse_frame(message.kind, message.data, message.identity)


async def _until_gone(receive: Receive, subscriber: Subscriber) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    subscriber.end()
