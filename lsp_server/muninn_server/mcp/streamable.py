"""MCP over HTTP, on loopback: the SDK's Streamable HTTP transport behind a gate of our own. Both eras of the protocol.

It is served as long as the client that asked for it stays connected to the daemon (`muninn mcp --http`), so that
nothing listens unless somebody wants it, and nothing outlives the daemon. The only importer of uvicorn.

Loopback is no wall: every program of the machine reaches it, and a page in a browser can be made to. So each request
must name a host that is this machine, come from no page of another origin (Streamable HTTP, "Security Warning"), and
carry the token that only its user can read. There is no CORS and no cookie.
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

import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from muninn_core.errors import BadParams, MuninnError
from muninn_server.mcp.peer import Peer, peer_of
from muninn_server.mcp.server import new_server
from muninn_server.mcp.tools import instructions
from muninn_server.rpc import Hello
from muninn_server.session import Session

HOST = "127.0.0.1"
PATH = "/mcp"

LEAVE_SECONDS = 1
"""How long open streams may take to end when the daemon or whoever asked for the face leaves."""

MAX_BODY = 64 * 1024 * 1024
"""The longest message, as on stdio."""

SHORTEST_TOKEN = 32
"""Characters: a token that could be guessed is none."""

log = logging.getLogger("muninn.mcp")

ASGIScope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[ASGIScope, Receive, Send], Awaitable[None]]


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, session: Session, hello: Hello) -> None:
    """Serve HTTP until the client that asked for it hangs up. It is told the address, or what is wrong, in a line."""
    try:
        sock = _listening(hello)
    except MuninnError as error:
        await _say(writer, {"error": error.to_plain()})
        return
    port = sock.getsockname()[1]
    said, peer = await asyncio.to_thread(_prepared, session, hello)

    @contextlib.asynccontextmanager
    async def handed(_server: Server[Peer]) -> AsyncIterator[Peer]:
        yield peer

    manager = StreamableHTTPSessionManager(new_server(said, handed), max_request_body_size=MAX_BODY)
    config = uvicorn.Config(
        Gate(manager.asgi_app, port, hello.secret),
        http="h11",
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
                await _say(writer, {"url": f"http://{HOST}:{port}{PATH}", "port": port})
                await reader.read()  # it says nothing more; its end is what is waited for
            finally:
                server.should_exit = True
                await asyncio.wait([task])
    finally:
        sock.close()


class Gate:
    """Lets through what names this machine as its host, comes from no foreign page and carries the token."""

    def __init__(self, app: App, port: int, token: str) -> None:
        names = (HOST, "localhost", "[::1]")
        self._app = app
        self._hosts = frozenset(f"{name}:{port}" for name in names)
        self._origins = frozenset(f"http://{name}:{port}" for name in names)
        self._token = token.encode()

    async def __call__(self, scope: ASGIScope, receive: Receive, send: Send) -> None:
        """Answer one request of ASGI (version 3)."""
        refusal = self._refusal(scope)
        if refusal is None:
            await self._app(scope, receive, send)
            return
        status, said = refusal
        headers = [(b"content-type", b"text/plain; charset=utf-8")]
        if status == 401:
            headers.append((b"www-authenticate", b'Bearer realm="muninn"'))
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": f"{said}\n".encode()})

    def _refusal(self, scope: ASGIScope) -> tuple[int, str] | None:
        """Return why a request is refused: the status and a sentence."""
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


class _Server(uvicorn.Server):
    """uvicorn within the daemon: signals are the daemon's affair."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals alone."""
        yield


def _listening(hello: Hello) -> socket.socket:
    """Return a socket that listens on loopback. Raises BadParams for a port that can't be had, or a weak token."""
    if len(hello.secret) < SHORTEST_TOKEN:
        raise BadParams("HTTP needs a token", hint="`muninn mcp --http` makes one.")
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a port that was just served can be served again
        sock.bind((HOST, hello.port))
        sock.listen(128)
    except (OSError, OverflowError) as error:
        sock.close()
        raise BadParams(
            f"port {hello.port} of {HOST} can't be had: {error}",
            hint="Another `muninn mcp --http` or program has it; `--port N` names another one.",
        ) from None
    return sock


def _prepared(session: Session, hello: Hello) -> tuple[str, Peer]:
    peer = peer_of(session, hello.tools)
    return instructions(Path(session.place.root), peer.tools), peer


async def _say(writer: asyncio.StreamWriter, told: dict[str, Any]) -> None:
    writer.write(json.dumps(told).encode() + b"\n")
    await writer.drain()
