"""A proxy that adds the token to requests, for real clients without a setting for it. The rest passes unchanged.

It rewrites the host only where that is its own address, so that requests for foreign hosts stay foreign. For a client
with fixed names of tools and resources, it replaces these in requests by Muninn's names.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Mapping
from types import TracebackType


class Bearer:
    """Listens on a free port of loopback while it is entered, and passes requests on to another port."""

    def __init__(self, port: int, token: str, names: Mapping[str, str] | None = None) -> None:
        self.port = 0
        self._names = {name.encode(): ours.encode() for name, ours in (names or {}).items()}
        self._behind = port
        self._token = token
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Bearer:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass one request and its answer on; the connection ends with it, so that none has to be taken apart."""
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        opened = [writer]
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            there, back = await asyncio.open_connection("127.0.0.1", self._behind)
            opened.append(back)
            length = re.search(rb"\r\ncontent-length: *(\d+)", head, re.IGNORECASE)
            body = self._named(await reader.readexactly(int(length[1])) if length else b"")
            back.write(self._changed(self._named(head), len(body) if length else None) + body)
            sending = asyncio.ensure_future(_copy(reader, back))
            try:
                await self._answer(there, writer)
            finally:
                sending.cancel()
                await asyncio.wait([sending])
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass  # one of the two is gone, or the test has ended
        finally:
            self._tasks.discard(task)
            for each in opened:
                each.close()
                with contextlib.suppress(ConnectionError, asyncio.CancelledError):
                    await each.wait_closed()

    async def _answer(self, there: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await there.readuntil(b"\r\n\r\n")
        lines = [line for line in head.split(b"\r\n") if not line.lower().startswith(b"connection:")]
        writer.write(b"\r\n".join([lines[0], b"Connection: close", *lines[1:]]))
        await _copy(there, writer)

    def _named(self, said: bytes) -> bytes:
        for name, ours in self._names.items():
            said = said.replace(name, ours)
        return said

    def _changed(self, head: bytes, length: int | None) -> bytes:
        own, behind = (f"127.0.0.1:{port}".encode() for port in (self.port, self._behind))
        lines = [
            line.replace(own, behind) if line.lower().startswith((b"host:", b"origin:")) else line
            for line in head.replace(b"localhost:", b"127.0.0.1:").split(b"\r\n")
            if not line.lower().startswith((b"connection:", b"authorization:", b"content-length:"))
        ]
        added = [b"Connection: close", b"Authorization: Bearer " + self._token.encode()]
        added += [] if length is None else [b"Content-Length: %d" % length]
        return b"\r\n".join([lines[0], *added, *lines[1:]])


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()
