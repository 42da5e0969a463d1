"""MCP over HTTP on loopback: the SDK's Streamable HTTP transport behind an access check.

The port is open as long as the client that requested it (`muninn mcp --http`) is connected to the daemon. The only
importer of uvicorn.

Every program of the machine can reach loopback, and so can a page in a browser. Each request must name a host that is
this machine, must not come from a page of another origin (Streamable HTTP, "Security Warning"), and must carry the
bearer token that only the user can read. There is no CORS and no cookie.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import secrets
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, MutableMapping
from pathlib import Path
from typing import Any

import h11
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from uvicorn.protocols.http.h11_impl import H11Protocol

from muninn_core.errors import BadParams, MuninnError
from muninn_core.protocol import wire
from muninn_server.mcp.client_state import ClientState, client_state
from muninn_server.mcp.server import new_server
from muninn_server.mcp.tools import instructions
from muninn_server.rpc import Hello
from muninn_server.session import Session

HOST = "127.0.0.1"
PATH = "/mcp"

LEAVE_SECONDS = 1
"""How long open streams may take to end when the daemon stops or the client disconnects."""

MAX_BODY = wire.MAX_REQUEST
"""The longest message, as on stdio."""

MAX_HEADER = 16 * 1024
"""The most bytes of a request's line and headers."""

MAX_CONNECTIONS = 100
"""Above it, requests get the status 503."""

HEADER_SECONDS = 10.0
"""How long a connection may take to send a request's headers."""

BODY_SECONDS = 60.0
"""How long a request's body may take."""

MIN_TOKEN_CHARS = 32
"""The minimum length of the token, in characters."""

log = logging.getLogger("muninn.mcp")

ASGIScope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[ASGIScope, Receive, Send], Awaitable[None]]


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, session: Session, hello: Hello) -> None:
    """Serve HTTP until the client that requested it disconnects. One line tells it the address, or an error."""
    try:
        sock = _listen(hello)
    except MuninnError as error:
        await _send_line(writer, {"error": error.to_plain()})
        return
    port = sock.getsockname()[1]
    text, state = await asyncio.to_thread(_prepare, session, hello)

    @contextlib.asynccontextmanager
    async def lifespan(_server: Server[ClientState]) -> AsyncIterator[ClientState]:
        yield state

    manager = StreamableHTTPSessionManager(new_server(text, lifespan), max_request_body_size=MAX_BODY)
    config = uvicorn.Config(
        AccessCheck(manager.asgi_app, port, hello.secret),
        http=RequestTimer,
        limit_concurrency=MAX_CONNECTIONS,
        h11_max_incomplete_event_size=MAX_HEADER,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=LEAVE_SECONDS,
    )
    server = _Server(config)
    try:
        async with manager.run():
            task = asyncio.get_running_loop().create_task(server.serve(sockets=[sock]))
            try:
                log.info("serving MCP on http://%s:%d%s", HOST, port, PATH)
                await _send_line(writer, {"url": f"http://{HOST}:{port}{PATH}", "port": port})
                await reader.read()  # the client sends nothing more; this waits for its end
            finally:
                server.should_exit = True
                await asyncio.wait([task])
    finally:
        sock.close()


class AccessCheck:
    """Passes on requests that name this machine as host, come from no foreign page and carry the token."""

    def __init__(self, app: App, port: int, token: str) -> None:
        names = (HOST, "localhost", "[::1]")
        self._app = app
        self._hosts = frozenset(f"{name}:{port}" for name in names)
        self._origins = frozenset(f"http://{name}:{port}" for name in names)
        self._token = token.encode()

    async def __call__(self, scope: ASGIScope, receive: Receive, send: Send) -> None:
        """Handle one ASGI request (version 3)."""
        refusal = self._refusal(scope)
        if refusal is None:
            await self._app(scope, receive, send)
            return
        status, message = refusal
        headers = [(b"content-type", b"text/plain; charset=utf-8")]
        if status == 401:
            headers.append((b"www-authenticate", b'Bearer realm="muninn"'))
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": f"{message}\n".encode()})

    def _refusal(self, scope: ASGIScope) -> tuple[int, str] | None:
        """Return the status and message of a refused request, None for an accepted one."""
        given: dict[bytes, list[bytes]] = {}
        for name, value in scope["headers"]:
            given.setdefault(name.lower(), []).append(value)
        hosts, origins = given.get(b"host", []), given.get(b"origin", [])
        if len(hosts) != 1 or hosts[0].decode("latin-1").lower() not in self._hosts:
            return 421, "This is not the host that you asked for."
        if any(origin.decode("latin-1").lower() not in self._origins for origin in origins):
            return 403, "Pages of other origins are not answered."
        scheme, _, token = b"".join(given.get(b"authorization", [])[:1]).partition(b" ")
        if scheme.lower() != b"bearer" or not secrets.compare_digest(token.strip(), self._token):
            return 401, "The bearer token is missing or wrong; `muninn mcp --http --print-config` shows it."
        if scope["path"] != PATH:
            return 404, f"MCP is at {PATH}."
        return None


class RequestTimer(H11Protocol):
    """uvicorn's protocol, which closes a connection that sends its request too slowly.

    uvicorn itself waits without a limit, and a client that never finishes its headers needs no token.
    """

    _phase = ""
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the time for the first request's headers."""
        super().connection_made(transport)
        self._enter("headers")

    def data_received(self, data: bytes) -> None:
        """Handle bytes, and start or stop the time of what is awaited now."""
        super().data_received(data)
        state = self.conn.their_state
        if state is h11.SEND_BODY:
            self._enter("body")
        elif state is h11.IDLE and self.conn.trailing_data[0]:
            self._enter("headers")
        else:  # the request is complete, or the next one has not begun: uvicorn limits that time
            self._enter("")

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the time."""
        self._enter("")
        super().connection_lost(exc)

    def _enter(self, phase: str) -> None:
        if phase == self._phase:
            return  # more bytes of the same part win no time
        self._phase = phase
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if phase:
            seconds = HEADER_SECONDS if phase == "headers" else BODY_SECONDS
            self._timer = self.loop.call_later(seconds, self._expire)

    def _expire(self) -> None:
        log.info("a client took too long to send the %s of its request", self._phase)
        self.transport.close()


class _Server(uvicorn.Server):
    """uvicorn inside the daemon, which handles signals itself."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Install no signal handlers."""
        yield


def _listen(hello: Hello) -> socket.socket:
    """Return a socket that listens on loopback. Raises BadParams for a port in use or a weak token."""
    if len(hello.secret) < MIN_TOKEN_CHARS:
        raise BadParams("HTTP needs a token", hint="`muninn mcp --http` makes one.")
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # lets a port be reused at once
        sock.bind((HOST, hello.port))
        sock.listen(128)
    except (OSError, OverflowError) as error:
        sock.close()
        raise BadParams(
            f"port {hello.port} of {HOST} is not available: {error}",
            hint="Another program uses it. Choose a port with `--port N`.",
        ) from None
    return sock


def _prepare(session: Session, hello: Hello) -> tuple[str, ClientState]:
    state = client_state(session, hello.tools)
    return instructions(Path(session.place.root), state.tools), state


async def _send_line(writer: asyncio.StreamWriter, message: dict[str, Any]) -> None:
    writer.write(json.dumps(message).encode() + b"\n")
    await writer.drain()
