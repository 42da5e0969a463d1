"""The daemon's clients: admits each of them and serves its connection.

The first message of a connection names its protocol. Some protocols have libraries of their own, loaded on first use.
"""

from __future__ import annotations

import asyncio
import importlib
import logging
import os
import secrets
import time
from typing import TYPE_CHECKING

from muninn_core import __version__
from muninn_core.config import TOOL_SETS
from muninn_core.errors import BadParams, BusyError, DaemonError, MuninnError, ParseError
from muninn_core.launch.repository_location import RepositoryLocation, locate
from muninn_core.protocol import wire
from muninn_core.protocol.catalogue_digest import CATALOGUE
from muninn_server.file_descriptors import has_spare_descriptors
from muninn_server.rpc import Hello, RpcConnection, decode_hello, error_frame, read_message
from muninn_server.session import Pools, Session

if TYPE_CHECKING:
    from collections.abc import Callable

    from muninn_core.engine.engine import Engine

log = logging.getLogger("muninn.daemon")

HELLO_SECONDS = 10.0
"""A connection without a first message is closed after this time."""

SHORTAGE_LOG_SECONDS = 60.0
"""How often a lack of file descriptors is logged."""

LACK_HINT = "Close some clients, or stop the daemon and raise its limit (ulimit -n)."

PROTOCOLS = {
    "lsp": "muninn_server.lsp.connection",
    "mcp": "muninn_server.mcp.socket_transport",
    "mcp-http": "muninn_server.mcp.http_transport",
    "http": "muninn_server.http.transport",
    "gateway": "muninn_server.gateway.transport",
    "page": "muninn_server.http.transport",
}
"""The protocols with libraries of their own. Each module has `async serve(reader, writer, session, hello)`."""

_AGENTS = ("mcp", "mcp-http", "http", "gateway")
"""Protocols whose clients are agents or other programs that cannot act as users."""

CLOSE_SECONDS = 2
"""How long connections may take to end when the daemon stops."""


class ClientConnections:
    """The connections of all clients. Over TCP clients must send `token`; a socket file needs none ("")."""

    def __init__(
        self,
        engine: Engine,
        pools: Pools,
        location: RepositoryLocation,
        *,
        token: str,
        stop: Callable[[], None],
        stopping: asyncio.Event,
    ) -> None:
        self._engine = engine
        self._pools = pools
        self._location = location
        self._token = token
        self._stop = stop
        self._stopping = stopping
        self._tasks: set[asyncio.Task[None]] = set()
        self._last_client = time.monotonic()
        self._shortage_noted = -SHORTAGE_LOG_SECONDS

    def __len__(self) -> int:
        return len(self._tasks)

    @property
    def seconds_without_client(self) -> float:
        """How long no client has been connected."""
        return 0.0 if self._tasks else time.monotonic() - self._last_client

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve a connection until its client disconnects."""
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self._last_client = time.monotonic()
        try:
            await self._serve_client(reader, writer)
        except (EOFError, ConnectionError, asyncio.CancelledError):
            pass  # the client disconnected, or the daemon is stopping
        except Exception:  # the other connections must go on
            log.exception("a connection failed")
        finally:
            self._tasks.discard(task)
            self._last_client = time.monotonic()
            writer.close()

    async def _serve_client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        number: object = None
        if self._stopping.is_set():
            return  # the client reconnects to the next daemon
        if not has_spare_descriptors():
            self.note_shortage()
            busy = BusyError("the daemon has too many open files for another client", hint=LACK_HINT)
            writer.write(error_frame(None, busy))
            await writer.drain()
            return
        try:
            async with asyncio.timeout(HELLO_SECONDS):
                message = await read_message(reader)
            number, hello = decode_hello(message)
            location = self._admit(hello)
        except TimeoutError:
            return
        except (ValueError, MuninnError) as error:
            refusal = error if isinstance(error, MuninnError) else ParseError(f"not a message: {error}")
            writer.write(error_frame(number, refusal))
            await writer.drain()
            return
        about = {"version": __version__, "catalogue": CATALOGUE, "pid": os.getpid()}
        greeting = {**about, "root": location.root, "identity": location.identity}
        writer.write(wire.frame({"jsonrpc": "2.0", "id": number, "result": greeting}))
        await writer.drain()
        session = Session(
            self._engine,
            self._pools,
            location,
            client=hello.client or "unknown",
            stop=self._stop,
            actor="assistant" if hello.face in _AGENTS else None,
        )
        try:
            await _serve_protocol(hello, reader, writer, session)
        finally:
            if session.connection.agent and not self._stopping.is_set():
                await asyncio.to_thread(self._engine.disconnected, session.connection)

    def _admit(self, hello: Hello) -> RepositoryLocation:
        if hello.face not in (*PROTOCOLS, "rpc"):
            raise BadParams(
                f"there is no protocol '{hello.face}'", hint=f"The protocols are rpc, {', '.join(PROTOCOLS)}."
            )
        unknown = [name for name in hello.tools if name not in TOOL_SETS]
        if unknown:
            raise BadParams(f"there is no tool set '{unknown[0]}'", hint=f"The tool sets are {', '.join(TOOL_SETS)}.")
        if self._token and not secrets.compare_digest(hello.token.encode(), self._token.encode()):
            raise DaemonError("the token is wrong", hint="Only the user who started the daemon can connect.")
        location = locate(hello.root)
        if location.identity != self._location.identity:
            raise DaemonError(
                f"this daemon serves {self._location.identity}, not {location.identity}",
                hint="Connect to the daemon of your own repository.",
            )
        return location

    def note_shortage(self) -> None:
        """Log that there are too few file descriptors, once in a while."""
        if time.monotonic() - self._shortage_noted > SHORTAGE_LOG_SECONDS:
            log.warning("too many files are open: new clients are refused until some are closed")
            self._shortage_noted = time.monotonic()

    async def close(self) -> None:
        """End all connections."""
        for task in list(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=CLOSE_SECONDS)


async def _serve_protocol(
    hello: Hello, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, session: Session
) -> None:
    """Serve the bytes after the first message. Loading a protocol's libraries takes a second, so a thread does it."""
    if hello.face in PROTOCOLS:
        module = await asyncio.to_thread(importlib.import_module, PROTOCOLS[hello.face])
        await module.serve(reader, writer, session, hello)
    else:
        await RpcConnection(reader, writer, session).serve()
