"""The HTTP API on loopback, behind the access check of the listener.

The port is open as long as the client that requested it (`muninn http`) is connected to the daemon.
"""

from __future__ import annotations

import asyncio

from muninn_core.errors import MuninnError
from muninn_server.http.application import HEALTH, Application
from muninn_server.http.feed import Feed
from muninn_server.http_listener import HOST, AccessCheck, listen, log, send_line, serving
from muninn_server.rpc import Hello
from muninn_server.session import Session

COMMAND = "muninn http"


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, session: Session, hello: Hello) -> None:
    """Serve HTTP until the client that requested it disconnects. One line tells it the address, or an error."""
    try:
        sock = listen(hello, COMMAND)
    except MuninnError as error:
        await send_line(writer, {"error": error.to_plain()})
        return
    port = sock.getsockname()[1]
    feed = Feed(session)
    application = AccessCheck(Application(session, feed), port, hello.secret, f"{COMMAND} --print-config", {HEALTH})
    async with serving(application, sock):
        try:
            log.info("serving the HTTP API on http://%s:%d", HOST, port)
            await send_line(writer, {"url": f"http://{HOST}:{port}", "port": port})
            await reader.read()  # the client sends nothing more; this waits for its end
        finally:
            feed.close()
