"""Handlers of `tools/list` and `tools/call`.

A failed tool returns a result marked as an error, because models do not see protocol errors.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import mcp_types as types

from muninn_core.context.results.text import render
from muninn_core.errors import MuninnError, Stopping
from muninn_core.protocol import wire
from muninn_core.protocol.catalogue import METHODS
from muninn_server.mcp.arguments import arguments_of
from muninn_server.mcp.client_state import Context, check_single_page
from muninn_server.mcp.hints import for_tools, with_tools
from muninn_server.mcp.tools import Tool, check_call
from muninn_server.session import error_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from muninn_core.worktree.call_context import Progress


async def list_tools(context: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    """Return all tools, in one page."""
    check_single_page(params)
    return types.ListToolsResult(tools=[_declared(tool) for tool in context.lifespan_context.tools.values()])


async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    """Call a tool. A failure is a result."""
    progress = ProgressReporter(context)
    state = context.lifespan_context
    try:
        arguments = dict(params.arguments or {})
        tool = check_call(state.tools, params.name, arguments)
        arguments = arguments_of(tool.verb, tool.renamed, arguments) | tool.fixed
        agent = _agent(context)
        if "agent" in METHODS[tool.verb].params.__struct_fields__:
            arguments["agent"] = agent or None
        text = await state.session.call(
            tool.verb,
            arguments,
            lambda result: render(with_tools(result, state.tools)),
            progress=progress.report,
            client=agent,
        )
    except Exception as error:  # every failure is a result; error_of logs what is unexpected
        return failure(error_of(error, params.name), state.tools)
    await progress.finish()
    return _result(text)


class ProgressReporter:
    """Sends a verb's progress in order. MCP requires a value that only grows."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._sent = 0
        self._last: asyncio.Task[None] | None = None

    def report(self, value: Progress) -> None:
        """Send one step. Call it on the event loop's thread; without a progress token nothing is sent."""
        if value.kind == "report" and value.percentage > self._sent:
            self._sent = value.percentage
            self._last = asyncio.get_running_loop().create_task(self._send(value, self._last))

    async def finish(self) -> None:
        """Wait until all progress is sent, so that none follows the result."""
        if self._last is not None:
            await self._last

    async def _send(self, value: Progress, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await before
        await self._context.session.report_progress(value.percentage, 100, value.message)


def _agent(context: Context) -> str:
    """Return the client's name and version, "" if it sends none."""
    client = context.session.client_params
    return f"{client.client_info.name} {client.client_info.version}".strip() if client else ""


def failure(error: MuninnError, tools: Mapping[str, Tool]) -> types.CallToolResult:
    """Return the result of a tool that failed. The proxy sends a call again that a stopping daemon refused."""
    result = _result(_explain(error, tools), failed=True)
    if isinstance(error, Stopping):
        result.meta = {wire.STOPPING: True}
    return result


def _explain(error: MuninnError, tools: Mapping[str, Tool]) -> str:
    hint = for_tools(error.hint, tools)
    return "\n".join(part for part in (error.message, str(error.data.get("excerpt", "")), hint) if part)


def _result(text: str, *, failed: bool = False) -> types.CallToolResult:
    # No structured content: clients would show its JSON to the model instead of the text.
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
