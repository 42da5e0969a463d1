"""Who is told of changes, and how: a connection with a handshake by notifications, a later one by a stream.

Before 2026-07-28 a client names resources one by one (`resources/subscribe`) and always hears of the list; from then on
it says all that it wants to hear in one request, whose answer goes on (`subscriptions/listen`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import anyio
import mcp_types as types
from mcp.server.subscriptions import ListenHandler, ResourcesListChanged, ResourceUpdated, ServerEvent

from muninn_server.mcp import resources
from muninn_server.mcp.changes import News
from muninn_server.mcp.peer import Context


class Hearing:
    """A connection with a handshake that hears of changes: which resources it wants, and what it is still to be told.

    It sends from a task of its own, so that nobody waits for a client that reads slowly; what comes meanwhile is told
    once.
    """

    def __init__(self, context: Context) -> None:
        self.uris: set[str] = set()
        self._session = context.session
        self._due: set[str] = set()
        self._listed = False
        self._task: asyncio.Task[None] | None = None

    def hear(self, news: News) -> None:
        """Take note of changes, on the event loop."""
        self._due |= {uri for uri in self.uris if uri in news.uris or _is_context(uri)}
        self._listed = self._listed or news.listed
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
            return  # the client is gone

    def stop(self) -> None:
        """Say no more."""
        if self._task is not None:
            self._task.cancel()


async def _hearing(context: Context) -> Hearing:
    """Return what tells a connection of changes; it begins with the first call and ends with the connection."""
    connection = context.session._connection  # the SDK has no other way to what belongs to a connection
    found: Hearing | None = connection.state.get("muninn.hearing")
    if found is None:
        found = connection.state["muninn.hearing"] = Hearing(context)
        end = await context.lifespan_context.changes.listen(found.hear)
        connection.exit_stack.callback(found.stop)
        connection.exit_stack.callback(end)
    return found


async def initialized(context: Context, _params: types.NotificationParams) -> None:
    """Take note of a client that may be told of changes from now on."""
    await _hearing(context)


async def subscribe(context: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
    """Answer `resources/subscribe`."""
    (await _hearing(context)).uris.add(params.uri)
    return types.EmptyResult()


async def unsubscribe(context: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
    """Answer `resources/unsubscribe`."""
    (await _hearing(context)).uris.discard(params.uri)
    return types.EmptyResult()


class _Bus:
    """Brings the changes of a work tree to one stream of `subscriptions/listen`."""

    def __init__(self, wanted: frozenset[str]) -> None:
        self._contexts = frozenset(filter(_is_context, wanted))
        self._listeners: list[Callable[[ServerEvent], None]] = []

    def hear(self, news: News) -> None:
        events: list[ServerEvent] = [ResourcesListChanged()] if news.listed else []
        events += [ResourceUpdated(uri=uri) for uri in sorted(news.uris | self._contexts)]
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
    """Answer `subscriptions/listen`: the stream goes on until the client or the daemon leaves."""
    bus = _Bus(frozenset(params.notifications.resource_subscriptions or ()))
    end = await context.lifespan_context.changes.listen(bus.hear)
    try:
        return await ListenHandler(bus)(context, params)
    finally:
        end()


def _is_context(uri: str) -> bool:
    return uri.startswith((f"{resources.SCHEME}context/", f"{resources.SCHEME}contexts/"))
