"""`GET /events`: Server-Sent Events, from a position of the journal on, without a gap.

A message of the journal has an id. A client that sends it as `Last-Event-ID` gets every later event, first from the
journal and then as they are recorded. The first message, `state`, tells where the journal, memory and the index are, so
that a client can tell whether it missed a change of memory or of the index.
"""

from __future__ import annotations

import asyncio
import json
import re
from typing import NamedTuple

from muninn_core import __version__
from muninn_core.errors import BadParams, BusyError, MuninnError
from muninn_server.http.event_filter import Wanted, read_wanted
from muninn_server.http.feed import Feed, Subscriber, frame
from muninn_server.http.replies import HEADERS, header
from muninn_server.http_listener import ASGIScope, Receive, RequestTimer, Send, log
from muninn_server.session import Session

MAX_STREAMS = 64
"""The most streams at once; the other connections of the port stay for requests."""

RETRY_MS = 1000
"""After how many milliseconds a client connects again."""

_IDENTITY = re.compile(r"([0-9a-f]{16}):([0-9]{1,15}):([0-9a-f]{16}|)")


class Start(NamedTuple):
    """Where a stream begins: after an event. `resumed` tells whether that is what the client asked for."""

    position: int
    digest: str
    resumed: bool
    reason: str = ""


async def stream(scope: ASGIScope, receive: Receive, send: Send, feed: Feed, session: Session) -> None:
    """Send events until the client or the port goes. Raises MuninnError before the response begins."""
    wanted = read_wanted(scope["query_string"])
    if feed.streams >= MAX_STREAMS:
        raise BusyError(f"{MAX_STREAMS} event streams are open", hint="Close one, and connect again.")
    await feed.open()
    start = await _start(header(scope, b"last-event-id"), wanted, feed, session)
    subscriber = Subscriber(wanted, lambda: RequestTimer.release(scope))
    gone = asyncio.create_task(_until_gone(receive, subscriber))
    feed.streams += 1
    try:
        content_type = (b"content-type", b"text/event-stream; charset=utf-8")
        await send({"type": "http.response.start", "status": 200, "headers": [content_type, *HEADERS]})
        await _send(send, f"retry: {RETRY_MS}\n\n".encode() + _state(start, feed, session))
        await _replay(start.position, send, feed, subscriber)
        await _follow(send, subscriber)
        await send({"type": "http.response.body", "body": b""})
    except Exception:  # the response has begun: no error can be sent, and the connection is closed
        log.exception("an event stream failed")
    finally:
        feed.streams -= 1
        feed.remove(subscriber)
        gone.cancel()


async def _replay(position: int, send: Send, feed: Feed, subscriber: Subscriber) -> None:
    """Send the events up to now, then subscribe, with no step between in which one could be missed."""
    while position < feed.position and not subscriber.ended:
        try:
            events, position = await feed.read(position)
        except MuninnError as error:
            subscriber.end(f"the journal can't be read: {error.message}")
            return
        for event, message in events:
            if subscriber.wanted.takes(event):
                await _send(send, message)
    feed.add(subscriber)


async def _follow(send: Send, subscriber: Subscriber) -> None:
    while True:
        try:
            async with asyncio.timeout(subscriber.wanted.heartbeat):
                await subscriber.ready.wait()
        except TimeoutError:
            await _send(send, b": heartbeat\n\n")
            continue
        while chunk := subscriber.take():
            await _send(send, chunk)
        if subscriber.ended:
            return


async def _start(last: str, wanted: Wanted, feed: Feed, session: Session) -> Start:
    """Return where a stream begins. Raises BadParams for an id that no message of this repository has."""
    head = feed.position
    if not last:
        position = head if wanted.after is None else min(wanted.after, head)
        return Start(position, await asyncio.to_thread(_digest, session, position), resumed=wanted.after == position)
    found = _IDENTITY.fullmatch(last)
    if found is None or found[1] != feed.key:
        about = "is malformed" if found is None else "is one of another repository"
        hint = "Send the id of the last message that was read, or connect without the header to begin now."
        raise BadParams(f"the Last-Event-ID {about}: '{last[:80]}'", hint=hint)
    position, digest = int(found[2]), found[3]
    if position <= head:
        known = await asyncio.to_thread(_digest, session, position)
        if known in ("", digest) or not digest:  # "": retention removed the event
            return Start(position, digest, resumed=True)
    reason = "the journal was made anew since this Last-Event-ID"
    return Start(head, await asyncio.to_thread(_digest, session, head), resumed=False, reason=reason)


def _digest(session: Session, position: int) -> str:
    """Return the start of the hash of the event at a position, "" for none."""
    journal = session.engine.journals.open(session.place).journal
    row = next(journal.rows(position, position), None) if position else None
    return row.hash.hex()[:16] if row is not None else ""


def _state(start: Start, feed: Feed, session: Session) -> bytes:
    data = {
        "repository": feed.key,
        "identity": session.place.identity,
        "root": session.place.root,
        "version": __version__,
        "resumed": start.resumed,
        "reason": start.reason,
        "after": start.position,
        "journal": {"position": feed.position},
        "memory": feed.memory_state(),
        "index": feed.index_state(),
    }
    return frame("state", json.dumps(data).encode(), feed.identity(start.position, start.digest))


async def _until_gone(receive: Receive, subscriber: Subscriber) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    subscriber.end()


async def _send(send: Send, data: bytes) -> None:
    await send({"type": "http.response.body", "body": data, "more_body": True})
