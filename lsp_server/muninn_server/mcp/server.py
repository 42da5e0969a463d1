"""The MCP SDK's server with everything that Muninn offers: tools, resources, prompts, completions, changes.

The SDK speaks both eras of the protocol, the handshake of 2025-11-25 and the self-contained requests of 2026-07-28. One
server object serves all connections that are told the same of the project: what belongs to one travels with its
requests, as a `Peer`. This package alone knows the SDK, and anyio, which it is made of.
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
from muninn_server.mcp import calling, hearing, reading
from muninn_server.mcp.peer import Peer

LISTS_LAST_MS = 300_000
"""How long a client may keep the lists of tools, prompts and templates: they are those of the version that serves."""


class MuninnServer(Server[Peer]):
    """The SDK's server, which says to clients with a handshake, too, that the list of resources changes."""

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """Return what `initialize` is answered with."""
        told = notification_options or NotificationOptions(resources_changed=True)
        return super().create_initialization_options(told, experimental_capabilities, extensions)


@functools.lru_cache(maxsize=8)
def server_of(said: str) -> MuninnServer:
    """Return the server with these instructions, one for all connections that are told the same."""
    return new_server(said)


@asynccontextmanager
async def _handed_over(_server: Server[Peer]) -> AsyncIterator[Peer]:
    raise AssertionError("a connection brings its own peer")
    yield


def new_server(
    said: str, lifespan: Callable[[Server[Peer]], AbstractAsyncContextManager[Peer]] = _handed_over
) -> MuninnServer:
    """Return a server with these instructions; `lifespan` gives the peer where the transport asks the server for it."""
    server = MuninnServer(
        "muninn",
        version=__version__,
        title="Muninn",
        description="The memory of a repository, kept in the repository.",
        instructions=said,
        cache_hints={
            "tools/list": CacheHint(ttl_ms=LISTS_LAST_MS),
            "prompts/list": CacheHint(ttl_ms=LISTS_LAST_MS),
            "resources/templates/list": CacheHint(ttl_ms=LISTS_LAST_MS),
        },
        lifespan=lifespan,
        # No parameter of ours travels in a header; without this the SDK lists all tools at each call to see that.
        get_tool_input_schema=lambda _name: None,
        on_list_tools=calling.list_tools,
        on_call_tool=calling.call_tool,
        on_list_resources=reading.list_resources,
        on_list_resource_templates=reading.list_templates,
        on_read_resource=reading.read_resource,
        on_subscribe_resource=hearing.subscribe,
        on_unsubscribe_resource=hearing.unsubscribe,
        on_subscriptions_listen=hearing.listen,
        on_list_prompts=reading.list_prompts,
        on_get_prompt=reading.get_prompt,
        on_completion=reading.complete,
    )
    server.add_notification_handler("notifications/initialized", types.NotificationParams, hearing.initialized)
    return server
