"""MCP over HTTP on loopback: the SDK's Streamable HTTP transport behind the access check of the listener.

The port is open as long as the client that requested it (`muninn mcp --http`) is connected to the daemon.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from muninn_core.errors import MuninnError
from muninn_server.http_listener import (
    HOST,
    MAX_BODY,
    AccessCheck,
    App,
    ASGIScope,
    Receive,
    Send,
    listen,
    log,
    send_line,
    serving,
)
from muninn_server.mcp.client_state import ClientState, client_state
from muninn_server.mcp.server import new_server
from muninn_server.mcp.tools import instructions
from muninn_server.rpc import Hello
from muninn_server.session import Session

PATH = "/mcp"
COMMAND = "muninn mcp --http"


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, session: Session, hello: Hello) -> None:
    """Serve HTTP until the client that requested it disconnects. One line tells it the address, or an error."""
    try:
        sock = listen(hello, COMMAND)
    except MuninnError as error:
        await send_line(writer, {"error": error.to_plain()})
        return
    port = sock.getsockname()[1]
    text, state = await asyncio.to_thread(_prepare, session, hello)

    @contextlib.asynccontextmanager
    async def lifespan(_server: Server[ClientState]) -> AsyncIterator[ClientState]:
        yield state

    manager = StreamableHTTPSessionManager(new_server(text, lifespan), max_request_body_size=MAX_BODY)
    checked = AccessCheck(_only_here(manager.asgi_app), port, hello.secret, f"{COMMAND} --print-config")
    async with manager.run(), serving(checked, sock):
        log.info("serving MCP on http://%s:%d%s", HOST, port, PATH)
        await send_line(writer, {"url": f"http://{HOST}:{port}{PATH}", "port": port})
        await reader.read()  # the client sends nothing more; this waits for its end


def _only_here(app: App) -> App:
    """Return an application that answers requests for other paths with the status 404."""

    async def checked(scope: ASGIScope, receive: Receive, send: Send) -> None:
        if scope["path"] == PATH:
            await app(scope, receive, send)
            return
        headers = [(b"content-type", b"text/plain; charset=utf-8")]
        await send({"type": "http.response.start", "status": 404, "headers": headers})
        await send({"type": "http.response.body", "body": f"MCP is at {PATH}.\n".encode()})

    return checked


def _prepare(session: Session, hello: Hello) -> tuple[str, ClientState]:
    state = client_state(session, hello.tools)
    return instructions(Path(session.place.root), state.tools), state
