"""The gateway on loopback. The port is open as long as `muninn gateway` is connected to the daemon."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

from muninn_core.models.http import Upstream
from muninn_server.gateway.application import Gateway
from muninn_server.http_listener import Service, serve_port
from muninn_server.rpc import Hello
from muninn_server.session import Session

COMMAND = "muninn gateway"

KEY_HEADER = b"x-api-key"
"""Where clients of the Anthropic dialect put the token."""


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, session: Session, hello: Hello) -> None:
    """Serve until the client that requested it disconnects. One line tells it the address, or an error."""

    @contextlib.asynccontextmanager
    async def service(_port: int) -> AsyncIterator[Service]:
        upstream = Upstream()
        try:
            yield Service(Gateway(session, upstream), COMMAND, key_header=KEY_HEADER)
        finally:
            await upstream.close()

    await serve_port(reader, writer, hello, COMMAND, service)
