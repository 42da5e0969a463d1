"""The MCP SDK's server with Muninn's tools, resources, prompts, completions and subscriptions.

The SDK supports both eras of the protocol: the handshake of 2025-11-25 and the self-contained requests of 2026-07-28.
Connections with the same instructions share one server; the state of each travels with its requests as a `ClientState`.
This package alone imports the SDK and anyio, on which it is built.
"""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server
from mcp.server.lowlevel.server import NotificationOptions
from mcp.server.models import InitializationOptions

from muninn_core import __version__
from muninn_server.mcp import prompt_handlers, resource_handlers, subscriptions, tool_handlers
from muninn_server.mcp.client_state import ClientState

LISTS_LAST_MS = 300_000
"""How long a client may cache the lists of tools, prompts and templates, which change only with the version."""


class MuninnServer(Server[ClientState]):
    """The SDK's server, which declares `resources.listChanged` to clients with a handshake as well."""

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """Return the options of the response to `initialize`."""
        notifications = notification_options or NotificationOptions(resources_changed=True)
        return super().create_initialization_options(notifications, experimental_capabilities, extensions)


@functools.lru_cache(maxsize=8)
def shared_server(instructions: str) -> MuninnServer:
    """Return the server with these instructions, shared by all connections that have the same."""
    return new_server(instructions)


@asynccontextmanager
async def _no_lifespan(_server: Server[ClientState]) -> AsyncIterator[ClientState]:
    raise AssertionError("the connection provides its own state")
    yield


def new_server(
    instructions: str,
    lifespan: Callable[[Server[ClientState]], AbstractAsyncContextManager[ClientState]] = _no_lifespan,
) -> MuninnServer:
    """Return a server with these instructions. `lifespan` yields the client state if the transport does not set it."""
    server = MuninnServer(
        "muninn",
        version=__version__,
        title="Muninn",
        description="The memory of a repository, kept in the repository.",
        instructions=instructions,
        cache_hints={
            "tools/list": CacheHint(ttl_ms=LISTS_LAST_MS),
            "prompts/list": CacheHint(ttl_ms=LISTS_LAST_MS),
            "resources/templates/list": CacheHint(ttl_ms=LISTS_LAST_MS),
        },
        lifespan=lifespan,
        # No parameter travels in a header. Without this the SDK lists all tools at each call to check.
        get_tool_input_schema=lambda _name: None,
        on_list_tools=tool_handlers.list_tools,
        on_call_tool=tool_handlers.call_tool,
        on_list_resources=resource_handlers.list_resources,
        on_list_resource_templates=resource_handlers.list_templates,
        on_read_resource=resource_handlers.read_resource,
        on_subscribe_resource=subscriptions.subscribe,
        on_unsubscribe_resource=subscriptions.unsubscribe,
        on_subscriptions_listen=subscriptions.listen,
        on_list_prompts=prompt_handlers.list_prompts,
        on_get_prompt=prompt_handlers.get_prompt,
        on_completion=prompt_handlers.complete,
    )
    server.add_notification_handler("notifications/initialized", types.NotificationParams, subscriptions.initialized)
    return server
