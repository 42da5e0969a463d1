"""MCP over the daemon's socket: converts lines to the message streams that the SDK reads and writes."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from pathlib import Path

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.runner import serve_dual_era_loop
from mcp.shared.message import SessionMessage

from muninn_core.errors import ParseError, RequestError
from muninn_core.protocol import wire
from muninn_server.mcp.client_state import client_state
from muninn_server.mcp.server import shared_server
from muninn_server.mcp.tools import instructions
from muninn_server.rpc import Hello
from muninn_server.session import Session

MAX_LINE = wire.MAX_REQUEST
"""A client that sends a longer line is disconnected."""

log = logging.getLogger("muninn.mcp")


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, session: Session, hello: Hello) -> None:
    """Serve one agent until it disconnects, then cancel its running requests."""
    incoming, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
    async with anyio.create_task_group() as group:
        group.start_soon(_receive, reader, incoming, writer)
        group.start_soon(_transmit, outgoing, writer)
        state = await asyncio.to_thread(client_state, session, hello.tools)
        server = shared_server(await asyncio.to_thread(instructions, Path(session.location.root), state.tools))
        options = server.create_initialization_options()
        await serve_dual_era_loop(server, read, write, lifespan_state=state, init_options=options)
        group.cancel_scope.cancel()


async def _receive(
    reader: asyncio.StreamReader,
    incoming: MemoryObjectSendStream[SessionMessage | Exception],
    writer: asyncio.StreamWriter,
) -> None:
    async with incoming:
        async for line in _lines(reader):
            message = _message(line)
            if message is None:  # the SDK would drop it, and its sender would wait for a response
                await _write(writer, _parse_error(line))
                continue
            try:
                await incoming.send(SessionMessage(message))
            except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                return


async def _transmit(outgoing: MemoryObjectReceiveStream[SessionMessage], writer: asyncio.StreamWriter) -> None:
    async with outgoing:
        async for item in outgoing:
            await _write(writer, item.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")


async def _write(writer: asyncio.StreamWriter, line: bytes) -> None:
    """Write a line, unless the client has disconnected."""
    if writer.is_closing():
        return
    try:
        writer.write(line)
        await writer.drain()
    except ConnectionError:
        pass


async def _lines(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    """Yield lines of up to MAX_LINE bytes without their end. Blank lines are skipped."""
    pieces: list[bytes] = []
    size = 0
    while size <= MAX_LINE:
        try:
            piece = await reader.read(1 << 16)
        except ConnectionError:
            return
        if not piece:
            return
        *whole, rest = piece.split(b"\n")
        for line in whole:
            line = b"".join((*pieces, line))
            pieces, size = [], 0
            if line.strip():
                yield line
        pieces.append(rest)
        size += len(rest)
    log.warning("a client sent a line of more than %d bytes", MAX_LINE)


def _message(line: bytes) -> types.JSONRPCMessage | None:
    """Return the message of a line, None if it is not a message.

    Clients cut texts in the middle of a character and pass on bytes that are not UTF-8; these become question marks.
    """
    try:
        wire.check_values(line)
    except ValueError:
        return None
    try:
        return types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        pass
    try:
        given = wire.loads(line.decode("utf-8", "replace").encode())
        mended = json.dumps(given, ensure_ascii=False).encode("utf-8", "replace")
        return types.jsonrpc_message_adapter.validate_json(mended, by_name=False)
    except ValueError:
        return None


def _parse_error(line: bytes) -> bytes:
    """Return the error response to a line that is not a message (JSON-RPC 2.0, section 5.1)."""
    try:
        wire.check_values(line)
        given = wire.loads(line.decode("utf-8", "replace").encode())
        code, what = RequestError.code, "the line is not a JSON-RPC message"
    except ValueError as error:
        given, code, what = None, ParseError.code, f"the line is not JSON: {error}"
    number = given.get("id") if isinstance(given, dict) else None
    log.warning("%s (%d bytes)", what, len(line))
    answer = {"jsonrpc": "2.0", "id": number if isinstance(number, str | int) else None}
    return json.dumps({**answer, "error": {"code": code, "message": what}}).encode() + b"\n"
