"""Subscriptions to changed resources, in both eras of the protocol.

Before 2026-07-28 a client subscribes to resources one by one (`resources/subscribe`) and always gets changes of the
list. Since then one request names all subscriptions, and its response is a stream (`subscriptions/listen`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import anyio
import mcp_types as types
from mcp.server.subscriptions import ListenHandler, ResourcesListChanged, ResourceUpdated, ServerEvent

from muninn_server.mcp import resources
from muninn_server.mcp.client_state import Context, mcp_errors
from muninn_server.mcp.resource_changes import ResourceChanges


class Notifier:
    """Sends changes to a connection with a handshake. `uris` are the resources that it subscribed to.

    A task sends them, so that a slow client blocks nothing. Changes that arrive meanwhile are sent once.
    """

    def __init__(self, context: Context) -> None:
        self.uris: set[str] = set()
        self._session = context.session
        self._due: set[str] = set()
        self._listed = False
        self._task: asyncio.Task[None] | None = None

    def on_change(self, changes: ResourceChanges) -> None:
        """Queue changes. Called on the event loop."""
        self._due |= {uri for uri in self.uris if uri in changes.uris or (changes.contexts and _is_context(uri))}
        self._listed = self._listed or changes.listed
        if (self._due or self._listed) and (self._task is None or self._task.done()):
            self._task = asyncio.get_running_loop().create_task(self._send())

    async def _send(self) -> None:
        try:
            while self._due or self._listed:
                if self._listed:
                    self._listed = False
                    await self._session.send_resource_list_changed()
                due, self._due = self._due, set()
                for uri in sorted(due):
                    await self._session.send_resource_updated(uri)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            return  # the client disconnected

    def stop(self) -> None:
        """Stop sending."""
        if self._task is not None:
            self._task.cancel()


async def _notifier(context: Context) -> Notifier:
    """Return the notifier of a connection, which is created by the first call and ends with the connection."""
    connection = context.session._connection  # the SDK has no public access to a connection's own state
    found: Notifier | None = connection.state.get("muninn.notifier")
    if found is None:
        found = connection.state["muninn.notifier"] = Notifier(context)
        end = await context.lifespan_context.changes.subscribe(found.on_change)
        connection.exit_stack.callback(found.stop)
        connection.exit_stack.callback(end)
    return found


async def initialized(context: Context, _params: types.NotificationParams) -> None:
    """Begin to send changes to a client after its handshake."""
    await _notifier(context)


async def subscribe(context: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
    """Subscribe to a resource."""
    notifier = await _notifier(context)
    if params.uri == resources.EVENTS:
        with mcp_errors(context, "resources/subscribe"):
            await context.lifespan_context.changes.follow_journal()
    notifier.uris.add(params.uri)
    return types.EmptyResult()


async def unsubscribe(context: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
    """Unsubscribe from a resource."""
    (await _notifier(context)).uris.discard(params.uri)
    return types.EmptyResult()


class _EventBus:
    """Passes the changes of a work tree to one stream of `subscriptions/listen`."""

    def __init__(self, wanted: frozenset[str]) -> None:
        self._contexts = frozenset(filter(_is_context, wanted))
        self._listeners: list[Callable[[ServerEvent], None]] = []

    def on_change(self, changes: ResourceChanges) -> None:
        events: list[ServerEvent] = [ResourcesListChanged()] if changes.listed else []
        events += [
            ResourceUpdated(uri=uri)
            for uri in sorted(changes.uris | (self._contexts if changes.contexts else frozenset()))
        ]
        for listener in list(self._listeners):
            for event in events:
                listener(event)

    async def publish(self, event: ServerEvent) -> None:
        for listener in list(self._listeners):
            listener(event)

    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None


async def listen(context: Context, params: types.SubscriptionsListenRequestParams) -> types.SubscriptionsListenResult:
    """Stream changes until the client disconnects or the daemon stops."""
    wanted = frozenset(params.notifications.resource_subscriptions or ())
    bus = _EventBus(wanted)
    changes = context.lifespan_context.changes
    end = await changes.subscribe(bus.on_change)
    try:
        if resources.EVENTS in wanted:
            with mcp_errors(context, "subscriptions/listen"):
                await changes.follow_journal()
        return await ListenHandler(bus)(context, params)
    finally:
        end()


def _is_context(uri: str) -> bool:
    return uri.startswith((f"{resources.SCHEME}context/", f"{resources.SCHEME}contexts/"))
