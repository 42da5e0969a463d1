"""The HTTP API and the page on loopback, behind the access check of the listener.

The port is open as long as the client that requested it (`muninn http`, `muninn open`) is connected to the daemon.
"""

from __future__ import annotations

import asyncio
from typing import Any

from muninn_core.errors import MuninnError
from muninn_server.http.application import HEALTH, Application
from muninn_server.http.feed import Feed
from muninn_server.http.page import PREFIX, Page
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

COMMAND = "muninn http"


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, session: Session, hello: Hello) -> None:
    """Serve HTTP until the client that requested it disconnects. One line tells it the address, or an error.

    A daemon that stops says so by the line `{"leaving": true}`; one that is killed can't.
    """
    try:
        sock = listen(hello, "muninn open" if hello.page else COMMAND)
    except MuninnError as error:
        await send_line(writer, {"error": error.to_plain()})
        return
    port = sock.getsockname()[1]
    feed = Feed(session)
    address: dict[str, Any] = {"url": f"http://{HOST}:{port}", "port": port}
    application: App = Application(session.as_agent(), feed)
    public = [HEALTH]
    if hello.page:
        page = Page(session, feed, port, hello.page, linked=hello.linked)
        address["link"] = page.link
        application, public = _either(page, application), [*public, PREFIX]
    checked = AccessCheck(application, port, hello.secret, f"{COMMAND} --print-config", public)
    async with serving(checked, sock):
        try:
            log.info("serving HTTP on http://%s:%d", HOST, port)
            await send_line(writer, address)
            await reader.read()  # the client sends nothing more; this waits for its end
        except asyncio.CancelledError:
            await send_line(writer, {"leaving": True})
            raise
        finally:
            feed.close()


def _either(page: Page, api: App) -> App:
    """Return an application that gives the page what is below its folder, and the API everything else."""

    async def application(scope: ASGIScope, receive: Receive, send: Send) -> None:
        await (page if scope["path"].startswith(PREFIX) else api)(scope, receive, send)

    return application
