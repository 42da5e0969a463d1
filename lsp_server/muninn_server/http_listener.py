"""The HTTP listener on loopback: uvicorn behind an access check. MCP over HTTP and the HTTP API share it.

The only importer of uvicorn and h11. A port is open as long as the client that requested it is connected to the daemon.

Every program of the machine can reach loopback, and so can a page in a browser.
Each request must name a host that is this machine, must not come from a page of another origin (Streamable HTTP,
"Security Warning"), and must carry the bearer token that only the user can read. The page has a cookie instead
(`muninn_server.http.page`). There is no CORS.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import secrets
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, MutableMapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from email.utils import formatdate
from typing import Any, ClassVar
from weakref import WeakValueDictionary

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from muninn_core.errors import BadParams, MuninnError
from muninn_core.protocol import wire
from muninn_server.rpc import Hello

HOST = "127.0.0.1"

LEAVE_SECONDS = 1
"""How long open responses may take to end when the daemon stops or the client that opened the port disconnects."""

MAX_BODY = wire.MAX_REQUEST
"""The longest body of a request in bytes, as on the socket."""

MAX_HEADER = 16 * 1024
"""The most bytes of a request's line and headers."""

MAX_CONNECTIONS = 100
"""Above it, requests get the status 503."""

HEADER_SECONDS = 10.0
"""How long a connection may take to send a request's headers."""

BODY_SECONDS = 60.0
"""How long a request's body may take."""

LINGER_SECONDS = 30.0
"""How long the rest of a released response may stay unread."""

MIN_TOKEN_CHARS = 32
"""The minimum length of the token, in characters."""

log = logging.getLogger("muninn.http")

ASGIScope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[ASGIScope, Receive, Send], Awaitable[None]]


@dataclass(frozen=True)
class Service:
    """What one port serves.

    `command` opens the port, and prints its token with `--print-config`. `path` follows the address that the client
    gets, and `more` is added to that message. `public` and `key_header` are those of `AccessCheck`. `end_responses`
    ends responses that have no end of their own, before the server waits for all of them.
    """

    app: App
    command: str
    path: str = ""
    more: dict[str, str] = field(default_factory=dict)
    public: Collection[str] = ()
    key_header: bytes = b""
    end_responses: Callable[[], None] = lambda: None


class AccessCheck:
    """Passes on requests that name this machine as host, come from no foreign page and carry the token.

    `command` prints the token; a refusal names it. Requests for the `public` paths, and for all paths below those that
    end in a slash, need no token. A request without `Authorization` may carry the token in the header `key_header`.
    """

    def __init__(
        self, app: App, port: int, token: str, command: str, public: Collection[str] = (), key_header: bytes = b""
    ) -> None:
        names = (HOST, "localhost", "[::1]")
        self._app = app
        self._hosts = frozenset(f"{name}:{port}" for name in names)
        self._origins = frozenset(f"http://{name}:{port}" for name in names)
        self._token = token.encode()
        self._command = command
        self._public = frozenset(public)
        self._key_header = key_header

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
        path = scope["path"]
        if path in self._public or any(each.endswith("/") and path.startswith(each) for each in self._public):
            return None
        if not secrets.compare_digest(self._token_of(given), self._token):
            return 401, f"The bearer token is missing or wrong; `{self._command}` shows it."
        if self._token in scope["query_string"]:
            return 400, "A token in an address ends in logs and histories: send it in the header Authorization only."
        return None

    def _token_of(self, given: dict[bytes, list[bytes]]) -> bytes:
        """Return the token of a request's headers, empty without one."""
        if b"authorization" not in given:
            return given.get(self._key_header, [b""])[0].strip()
        scheme, _, token = given[b"authorization"][0].partition(b" ")
        return token.strip() if scheme.lower() == b"bearer" else b""


class RequestTimer(H11Protocol):
    """uvicorn's protocol, which closes a connection that sends its request too slowly.

    uvicorn itself waits without a limit, and a client that never finishes its headers needs no token.
    """

    _phase = ""
    _timer: asyncio.TimerHandle | None = None
    _open: ClassVar[WeakValueDictionary[object, RequestTimer]] = WeakValueDictionary()

    @classmethod
    def release(cls, scope: ASGIScope) -> None:
        """Let the rest of a response be written although its client does not read; it is closed unread in the end.

        The rest must be short, since it is held in memory.
        """
        found = cls._open.get(tuple(scope["client"] or ()))
        if found is not None:
            found.flow.resume_writing()
            found.loop.call_later(LINGER_SECONDS, found.transport.abort)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the time for the first request's headers."""
        super().connection_made(transport)
        self._open[tuple(self.client or ())] = self
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


class _State(ServerState):
    """What the connections of a port share. The header Date is made for each response."""

    @property
    def default_headers(self) -> list[tuple[bytes, bytes]]:
        """The headers of every response."""
        return [(b"date", formatdate(usegmt=True).encode())]

    @default_headers.setter
    def default_headers(self, _headers: object) -> None:
        pass


class _Server(uvicorn.Server):
    """uvicorn inside the daemon, which handles signals itself. It does nothing while no request comes."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.server_state = _State()
        self._leaving = asyncio.Event()

    def leave(self) -> None:
        """End after the responses."""
        self.should_exit = True
        self._leaving.set()

    async def main_loop(self) -> None:
        """Wait for the end, where uvicorn wakes ten times a second."""
        await self._leaving.wait()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Install no signal handlers."""
        yield


def listen(hello: Hello, command: str) -> socket.socket:
    """Return a socket that listens on loopback. Raises BadParams for a port in use or a weak token.

    `command` is the command that opens the port and makes a token.
    """
    if len(hello.secret) < MIN_TOKEN_CHARS:
        raise BadParams("HTTP needs a token", hint=f"`{command}` creates one.")
    # asyncio sets TCP_NODELAY for this protocol number only; without it each answer waits 40 ms for an acknowledgement.
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
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


async def serve_port(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    hello: Hello,
    command: str,
    open_service: Callable[[int], AbstractAsyncContextManager[Service]],
) -> None:
    """Serve until the client that requested the port disconnects.

    `open_service` takes the port and holds the service open. One line tells the client the address, or an error. A
    daemon that stops sends the line `{"leaving": true}`; one that is killed sends nothing.
    """
    try:
        sock = listen(hello, command)
    except MuninnError as error:
        await send_line(writer, {"error": error.to_plain()})
        return
    port = sock.getsockname()[1]
    async with open_service(port) as service:
        shown = f"{service.command} --print-config"
        check = AccessCheck(service.app, port, hello.secret, shown, service.public, service.key_header)
        url = f"http://{HOST}:{port}{service.path}"
        async with serving(check, sock):
            try:
                log.info("%s serves %s", service.command, url)
                await send_line(writer, {"url": url, "port": port, **service.more})
                await reader.read()  # the client sends nothing more; this waits for its end
            except asyncio.CancelledError:
                await send_line(writer, {"leaving": True})
                raise
            finally:
                service.end_responses()


@contextlib.asynccontextmanager
async def serving(app: App, sock: socket.socket) -> AsyncIterator[None]:
    """Serve an application on a listening socket until the context ends; the socket is closed then."""
    config = uvicorn.Config(
        app,
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
    task = asyncio.get_running_loop().create_task(server.serve(sockets=[sock]))
    try:
        yield
    finally:
        server.leave()
        await asyncio.wait([task])
        sock.close()


async def send_line(writer: asyncio.StreamWriter, message: dict[str, Any]) -> None:
    """Send one line of JSON to the client that opened the port: the address, or an error."""
    writer.write(json.dumps(message).encode() + b"\n")
    await writer.drain()
