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

from muninn_server.http_listener import MAX_BODY, App, ASGIScope, Receive, Send, Service, serve_port
from muninn_server.mcp.client_state import ClientState, client_state
from muninn_server.mcp.server import new_server
from muninn_server.mcp.tools import instructions
from muninn_server.rpc import Hello
from muninn_server.session import Session

PATH = "/mcp"
COMMAND = "muninn mcp --http"


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, session: Session, hello: Hello) -> None:
    """Serve HTTP until the client that requested it disconnects. One line tells it the address, or an error."""

    @contextlib.asynccontextmanager
    async def service(_port: int) -> AsyncIterator[Service]:
        text, state = await asyncio.to_thread(_prepare, session, hello)

        @contextlib.asynccontextmanager
        async def lifespan(_server: Server[ClientState]) -> AsyncIterator[ClientState]:
            yield state

        manager = StreamableHTTPSessionManager(new_server(text, lifespan), max_request_body_size=MAX_BODY)
        async with manager.run():
            yield Service(_only_here(manager.asgi_app), COMMAND, path=PATH)

    await serve_port(reader, writer, hello, COMMAND, service)


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
    return instructions(Path(session.location.root), state.tools), state
