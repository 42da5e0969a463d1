"""The routes of the HTTP API."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any

from muninn_core.errors import ParseError
from muninn_core.model.value import encode_json
from muninn_server.http import json_rpc
from muninn_server.http.event_stream import stream
from muninn_server.http.feed import Feed
from muninn_server.http.replies import Reply, caller_of, error_reply, json_reply, read_json_body, send_reply
from muninn_server.http_listener import ASGIScope, Receive, Send
from muninn_server.rpc import Unreadable, decode_body
from muninn_server.session import Session, error_of

HEALTH = "/health"

Route = Callable[[ASGIScope, Receive], Awaitable[Reply]]


class Application:
    """An ASGI application (version 3) for one work tree. `session` has the rights of an agent."""

    def __init__(self, session: Session, feed: Feed) -> None:
        self._session = session
        self._feed = feed
        self._routes: Mapping[str, Mapping[str, Route]] = {
            HEALTH: {"GET": self._health},
            "/rpc": {"POST": self._rpc},
            "/events/emit": {"POST": self._emit},
        }

    async def __call__(self, scope: ASGIScope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        path, method = scope["path"], scope["method"]
        try:
            if (path, method) == ("/events", "GET"):
                await stream(scope, receive, send, self._feed, self._session)
                return
            reply = await self._reply(path, method, scope, receive)
        except Exception as error:  # every failure is a response; error_of logs what is unexpected
            reply = error_reply(error_of(error, f"{method} {path}"))
        await send_reply(send, reply)

    async def _reply(self, path: str, method: str, scope: ASGIScope, receive: Receive) -> Reply:
        known = {"GET": None} if path == "/events" else self._routes.get(path)
        if known is None:
            paths = ", ".join(["/events", *self._routes])
            return json_reply({"error": {"message": f"there is no {path[:100]}; the paths are {paths}"}}, 404)
        route = known.get("GET" if method == "HEAD" else method)
        if route is None:
            allowed = ", ".join(known)
            refused = json_reply({"error": {"message": f"{path} takes {allowed}, not {method[:20]}"}}, 405)
            return refused._replace(headers=((b"allow", allowed.encode()),))
        return await route(scope, receive)

    async def _health(self, _scope: ASGIScope, _receive: Receive) -> Reply:
        return json_reply({"status": "ok"})

    async def _rpc(self, scope: ASGIScope, receive: Receive) -> Reply:
        body = await read_json_body(scope, receive)
        async with _cancelled_with(receive) as cancelled:
            return await json_rpc.answer(self._session, body, caller_of(scope), cancelled)

    async def _emit(self, scope: ASGIScope, receive: Receive) -> Reply:
        """Append an event to the journal; it is on disk when the response is sent."""
        params = _body_of(await read_json_body(scope, receive))
        caller = caller_of(scope)
        result = await self._session.as_client(caller).call("event.append", params, encode_json)
        return Reply(202, result)


def _body_of(body: bytes) -> Any:
    try:
        return decode_body(body)
    except Unreadable as error:
        raise ParseError(f"the body is not JSON: {error}", hint="Send the parameters of event.append.") from None


@contextlib.asynccontextmanager
async def _cancelled_with(receive: Receive) -> AsyncIterator[threading.Event]:
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
