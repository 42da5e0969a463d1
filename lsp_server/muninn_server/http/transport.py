"""The HTTP API and the page on loopback, behind the access check of the listener.

The port is open as long as the client that requested it (`muninn http`, `muninn open`) is connected to the daemon.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

from muninn_server.events.feed import feed_of
from muninn_server.http.application import HEALTH, Application
from muninn_server.http.event_stream import Streams
from muninn_server.http.page import PREFIX, Page
from muninn_server.http_listener import App, ASGIScope, Receive, Send, Service, serve_port
from muninn_server.rpc import Hello
from muninn_server.session import Session

COMMAND = "muninn http"


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, session: Session, hello: Hello) -> None:
    """Serve HTTP until the client that requested it disconnects. One line tells it the address, or an error."""

    @contextlib.asynccontextmanager
    async def service(port: int) -> AsyncIterator[Service]:
        streams = Streams(feed_of(session.engine, session.location))
        api = Application(session.as_agent(), streams)
        if not hello.page:
            yield Service(api, COMMAND, public=[HEALTH], end_responses=streams.close)
            return
        page = Page(session, streams, port, hello.page, linked=hello.linked)
        more = {"link": page.link}
        yield Service(_either(page, api), COMMAND, more=more, public=[HEALTH, PREFIX], end_responses=streams.close)

    await serve_port(reader, writer, hello, "muninn open" if hello.page else COMMAND, service)


def _either(page: Page, api: App) -> App:
    """Return an application that gives the page what is below its folder, and the API everything else."""

    async def application(scope: ASGIScope, receive: Receive, send: Send) -> None:
        await (page if scope["path"].startswith(PREFIX) else api)(scope, receive, send)

    return application
