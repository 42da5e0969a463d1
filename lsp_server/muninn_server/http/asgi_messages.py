"""Requests and replies of the HTTP API, as ASGI (version 3) messages."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections.abc import AsyncIterator, Iterable, Mapping
from typing import Any, NamedTuple

from muninn_core.errors import MuninnError, NotFoundError, RequestError
from muninn_server.http_listener import MAX_BODY, ASGIScope, Receive, Send

JSON = "application/json"

HEADERS = (
    (b"cache-control", b"no-store"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
)
"""Headers of every reply: no cache and no address keeps anything, and no browser guesses a type."""

STATUSES: Mapping[str, int] = {
    "parse": 400,
    "request": 400,
    "usage": 400,
    "bad_params": 400,
    "refused": 403,
    "unknown_verb": 404,
    "not_found": 404,
    "not_a_repository": 404,
    "not_initialised": 409,
    "precondition": 409,
    "read_only": 503,
    "storage": 503,
    "busy": 503,
    "daemon": 503,
    "stopping": 503,
}
"""The HTTP status of an error by its kind; 500 for others."""


class Reply(NamedTuple):
    """A complete response."""

    status: int
    body: bytes
    content_type: str = JSON
    headers: tuple[tuple[bytes, bytes], ...] = ()


class ContentTooLarge(RequestError):
    """The body of a request is longer than allowed."""


class UnsupportedType(RequestError):
    """The body of a request is of another type."""


def json_reply(value: Any, status: int = 200) -> Reply:
    """Return a response with a value as JSON."""
    return Reply(status, json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def error_reply(error: MuninnError) -> Reply:
    """Return the response for an error: the JSON-RPC error object, with the status of its kind."""
    status = STATUSES.get(error.kind, 500)
    if isinstance(error, ContentTooLarge):
        status = 413
    if isinstance(error, UnsupportedType):
        status = 415
    return json_reply({"error": error.to_plain()}, status)


def no_such_path(path: str, known: Iterable[str]) -> Reply:
    """Return the response to a path that does not exist."""
    return error_reply(NotFoundError(f"there is no {path[:100]}", hint=f"The paths are {', '.join(known)}."))


def other_method(path: str, method: str, allowed: Iterable[str]) -> Reply:
    """Return the response to a method that a path does not take (RFC 9110, 15.5.6)."""
    names = ", ".join(allowed)
    reply = error_reply(RequestError(f"{path[:100]} does not take {method[:20]}", hint=f"It takes {names}."))
    return reply._replace(status=405, headers=((b"allow", names.encode()),))


async def send_reply(send: Send, reply: Reply) -> None:
    """Send a complete response."""
    headers = [
        (b"content-type", reply.content_type.encode()),
        (b"content-length", str(len(reply.body)).encode()),
        *HEADERS,
        *reply.headers,
    ]
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    await send({"type": "http.response.body", "body": reply.body})


def header(scope: ASGIScope, name: bytes) -> str:
    """Return the value of a request's header, "" without it."""
    found: Iterable[bytes] = (value for each, value in scope["headers"] if each.lower() == name)
    return next(iter(found), b"").decode("latin-1")


async def read_json_body(scope: ASGIScope, receive: Receive) -> bytes:
    """Return the body of a request with JSON.

    Raises UnsupportedType for another type, and ContentTooLarge above `MAX_BODY` bytes. A body that is too long is read
    and dropped, so that its client reads the answer.
    """
    kind = header(scope, b"content-type").partition(";")[0].strip().lower()
    if kind != JSON:
        raise UnsupportedType(f"the body's type is '{kind}'", hint=f"Send JSON with the header Content-Type: {JSON}.")
    pieces: list[bytes] = []
    length = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise RequestError("the client disconnected before its request ended")
        length += len(message.get("body", b""))
        if length <= MAX_BODY:
            pieces.append(message.get("body", b""))
        else:
            pieces.clear()
        if not message.get("more_body"):
            break
    if length > MAX_BODY:
        raise ContentTooLarge(
            f"a request of {length:,} bytes; the limit is {MAX_BODY:,}", hint="Send it in several requests."
        )
    return b"".join(pieces)


def caller_of(scope: ASGIScope) -> str:
    """Return the name and version of the calling program, from its header User-Agent; "http" without one."""
    product = header(scope, b"user-agent").partition(" ")[0][:100]
    return " ".join(filter(None, product.split("/", 1))) if product.isprintable() and product else "http"


@contextlib.asynccontextmanager
async def cancelled_with(receive: Receive) -> AsyncIterator[threading.Event]:
    """Yield an event that is set when the client disconnects."""
    cancelled = threading.Event()

    async def wait() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        cancelled.set()

    waiting = asyncio.get_running_loop().create_task(wait())
    try:
        yield cancelled
    finally:
        waiting.cancel()
