"""One agent's connection. The only module that knows the MCP SDK (and anyio, which it is made of).

The SDK speaks both eras of the protocol, the handshake of 2025-11-25 and the self-contained requests of 2026-07-28,
and takes streams of messages; here are the streams, the list of tools and the call. One server object serves all
connections that are told the same of the project: what belongs to one travels with its requests. A tool that fails
answers with a result that says so, since a model never sees a protocol error.
"""

from __future__ import annotations

import asyncio
import functools
import json
import logging
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.runner import serve_dual_era_loop
from mcp.shared.message import SessionMessage

from muninn_core import __version__
from muninn_core.context.text import render
from muninn_core.errors import MuninnError
from muninn_core.protocol.methods import METHODS
from muninn_server.mcp.tools import TOOLS, Tool, check_call, instructions
from muninn_server.session import Session, error_of

if TYPE_CHECKING:
    from muninn_core.engine.scope import Progress

MAX_LINE = 64 * 1024 * 1024
"""A client that sends a longer line is hung up on: it is not one of ours."""

log = logging.getLogger("muninn.mcp")

Context = ServerRequestContext[Session]


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, session: Session) -> None:
    """Serve one agent until it hangs up; what runs then is cancelled. The daemon goes on."""
    incoming, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
    async with anyio.create_task_group() as group:
        group.start_soon(_receive, reader, incoming, writer)
        group.start_soon(_transmit, outgoing, writer)
        server = server_of(await asyncio.to_thread(instructions, Path(session.place.root)))
        options = server.create_initialization_options()
        await serve_dual_era_loop(server, read, write, lifespan_state=session, init_options=options)
        group.cancel_scope.cancel()


async def _receive(
    reader: asyncio.StreamReader,
    incoming: MemoryObjectSendStream[SessionMessage | Exception],
    writer: asyncio.StreamWriter,
) -> None:
    async with incoming:
        async for line in _lines(reader):
            try:
                message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
            except ValueError:  # the SDK would drop it, and its sender wait for ever
                await _write(writer, _complaint(line))
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
    """Write a line; one for a client that is gone is dropped."""
    if writer.is_closing():
        return
    try:
        writer.write(line)
        await writer.drain()
    except ConnectionError:
        pass


async def _lines(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    """Yield lines of any length up to MAX_LINE without their end; blank ones are left out."""
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


def _complaint(line: bytes) -> bytes:
    """Return the answer to a line that is no message (JSON-RPC 2.0, section 5.1)."""
    try:
        given = json.loads(line)
        code, what = -32600, "the line is no JSON-RPC message"
    except ValueError:
        given, code, what = None, -32700, "the line is not JSON"
    number = given.get("id") if isinstance(given, dict) else None
    log.warning("%s (%d bytes)", what, len(line))
    answer = {"jsonrpc": "2.0", "id": number if isinstance(number, str | int) else None}
    return json.dumps({**answer, "error": {"code": code, "message": what}}).encode() + b"\n"


async def _list_tools(_context: Context, _params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    return types.ListToolsResult(tools=_TOOLS)


async def _call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    cancelled = threading.Event()
    progress = Reporter(context)
    try:
        arguments = dict(params.arguments or {})
        check_call(params.name, arguments)
        if "agent" in METHODS[params.name].params.__struct_fields__:
            arguments["agent"] = _agent(context) or None
        text = await context.lifespan_context.call(
            params.name,
            arguments,
            functools.partial(render, params.name),
            progress=progress.report,
            cancelled=cancelled,
        )
    except Exception as error:  # every failure is a result; error_of logs what is not ours
        return _result(_explain(error_of(error, params.name)), failed=True)
    finally:
        cancelled.set()
    await progress.finish()
    return _result(text)


class Reporter:
    """Sends a verb's progress on, in order; MCP wants a number that only grows."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._sent = 0
        self._last: asyncio.Task[None] | None = None

    def report(self, value: Progress) -> None:
        """Take a step from the event loop's thread. Without a token from the client it goes nowhere."""
        if value.kind == "report" and value.percentage > self._sent:
            self._sent = value.percentage
            self._last = asyncio.get_running_loop().create_task(self._send(value, self._last))

    async def finish(self) -> None:
        """Wait until all is sent, so that nothing follows the result."""
        if self._last is not None:
            await self._last

    async def _send(self, value: Progress, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await before
        await self._context.session.report_progress(value.percentage, 100, value.message)


def _agent(context: Context) -> str:
    """Return the name and version that the client gives itself; "" from one that says nothing."""
    client = context.session.client_params
    return f"{client.client_info.name} {client.client_info.version}".strip() if client else ""


def _explain(error: MuninnError) -> str:
    return "\n".join(part for part in (error.message, str(error.data.get("excerpt", "")), error.hint) if part)


def _result(text: str, *, failed: bool = False) -> types.CallToolResult:
    # No structured content: clients show its JSON to the model in place of the text.
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=failed)


def _declared(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.schema,
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.read_only,
            destructive_hint=tool.destructive,
            idempotent_hint=tool.idempotent,
            open_world_hint=False,
        ),
        _meta={"anthropic/alwaysLoad": True} if tool.always_loaded else None,
    )


_TOOLS = [_declared(tool) for tool in TOOLS.values()]


@functools.lru_cache(maxsize=8)
def server_of(said: str) -> Server[Session]:
    """Return the server with these instructions, one for all connections that are told the same."""
    return Server(
        "muninn",
        version=__version__,
        title="Muninn",
        description="The memory of a repository, kept in the repository.",
        instructions=said,
        on_list_tools=_list_tools,
        on_call_tool=_call_tool,
    )
