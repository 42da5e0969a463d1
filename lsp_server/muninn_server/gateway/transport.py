"""The gateway on loopback. The port is open as long as `muninn gateway` is connected to the daemon."""

from __future__ import annotations

import asyncio

from muninn_core.errors import MuninnError
from muninn_core.models.http import Upstream
from muninn_server.gateway.application import Gateway
from muninn_server.http_listener import (
    HOST,
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
from muninn_server.rpc import Hello
from muninn_server.session import Session

COMMAND = "muninn gateway"


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, session: Session, hello: Hello) -> None:
    """Serve until the client that requested it disconnects. One line tells it the address, or an error."""
    try:
        sock = listen(hello, COMMAND)
    except MuninnError as error:
        await send_line(writer, {"error": error.to_plain()})
        return
    port = sock.getsockname()[1]
    upstream = Upstream()
    check = AccessCheck(Gateway(session, upstream), port, hello.secret, f"{COMMAND} --print-config")
    try:
        async with serving(_with_bearer(check), sock):
            log.info("serving the gateway on http://%s:%d", HOST, port)
            await send_line(writer, {"url": f"http://{HOST}:{port}", "port": port})
            await reader.read()  # the client sends nothing more; this waits for its end
    finally:
        await upstream.close()


def _with_bearer(app: App) -> App:
    """Take the token from `x-api-key`, where clients of the Anthropic dialect put it."""

    async def wrapped(scope: ASGIScope, receive: Receive, send: Send) -> None:
        names = {name.lower(): value for name, value in scope["headers"]}
        if b"x-api-key" in names and b"authorization" not in names:
            bearer = (b"authorization", b"Bearer " + names[b"x-api-key"])
            scope = {**scope, "headers": [*scope["headers"], bearer]}
        await app(scope, receive, send)

    return wrapped
