"""The routes of the HTTP API."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from muninn_core.engine.metrics import counter, exposition, gauge
from muninn_core.errors import ParseError
from muninn_core.model.value import encode_json, to_plain
from muninn_server.http import json_rpc
from muninn_server.http.asgi_messages import (
    Reply,
    caller_of,
    cancelled_with,
    error_reply,
    json_reply,
    no_such_path,
    other_method,
    read_json_body,
    send_reply,
)
from muninn_server.http.event_stream import Streams
from muninn_server.http.openapi import document
from muninn_server.http_listener import ASGIScope, Receive, Send
from muninn_server.rpc import Unreadable, decode_body
from muninn_server.session import Session, error_of

HEALTH = "/health"

EXPOSITION = "text/plain; version=0.0.4; charset=utf-8"
"""The type of Prometheus' text format."""

Route = Callable[[ASGIScope, Receive], Awaitable[Reply]]


class Application:
    """An ASGI application (version 3) for one work tree. `session` has the rights of an agent."""

    def __init__(self, session: Session, streams: Streams) -> None:
        self._session = session
        self._streams = streams
        self._routes: Mapping[str, Mapping[str, Route]] = {
            HEALTH: {"GET": self._health},
            "/ready": {"GET": self._ready},
            "/metrics": {"GET": self._metrics},
            "/openapi.json": {"GET": self._openapi},
            "/rpc": {"POST": self._rpc},
            "/events/emit": {"POST": self._emit},
        }

    async def __call__(self, scope: ASGIScope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        path, method = scope["path"], scope["method"]
        try:
            if (path, method) == ("/events", "GET"):
                await self._streams.serve(scope, receive, send)
                return
            reply = await self._reply(path, method, scope, receive)
        except Exception as error:  # every failure is a response; error_of logs what is unexpected
            reply = error_reply(error_of(error, f"{method} {path}"))
        await send_reply(send, reply)

    async def _reply(self, path: str, method: str, scope: ASGIScope, receive: Receive) -> Reply:
        known = {"GET": None} if path == "/events" else self._routes.get(path)
        if known is None:
            return no_such_path(path, ("/events", *self._routes))
        route = known.get("GET" if method == "HEAD" else method)
        if route is None:
            return other_method(path, method, known)
        return await route(scope, receive)

    async def _health(self, _scope: ASGIScope, _receive: Receive) -> Reply:
        return json_reply({"status": "ok"})

    async def _ready(self, _scope: ASGIScope, _receive: Receive) -> Reply:
        found = await self._session.call("ready", {}, to_plain)
        return json_reply(found, 200 if found["ok"] else 503)

    async def _metrics(self, _scope: ASGIScope, _receive: Receive) -> Reply:
        text = (await self._session.call("metrics", {}, to_plain))["text"]
        feed = self._streams.feed
        open_now = gauge("muninn_event_streams", "Event streams that are open.", feed.streams)
        about = "Event streams that were ended because their clients read too slowly."
        text += exposition([open_now, counter("muninn_event_streams_dropped_total", about, feed.dropped)])
        return Reply(200, text.encode(), EXPOSITION)

    async def _openapi(self, _scope: ASGIScope, _receive: Receive) -> Reply:
        return Reply(200, await asyncio.to_thread(document))

    async def _rpc(self, scope: ASGIScope, receive: Receive) -> Reply:
        body = await read_json_body(scope, receive)
        caller = caller_of(scope)
        session = self._session.as_client(caller) if caller else self._session
        async with cancelled_with(receive) as cancelled:
            return await json_rpc.answer(session, body, caller, cancelled)

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
