"""The engine's annotations of open files, requested once for all features that show them."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING

from muninn_core.errors import BadParams

if TYPE_CHECKING:
    from muninn_core.protocol.families.editor import AnnotateResult
    from muninn_server.lsp.client import EditorClient

CAPACITY = 50
"""Files whose annotations are cached."""

TRIES = 10
"""The most requests until all citations of a file are checked. Each has a time limit and continues the one before."""

LIVE_SECONDS = 2.0
"""How long annotations are reused. Where files cannot be watched, no event invalidates them."""

_Key = tuple[str, int, int]


class Annotations:
    """A cache of annotations by path, document version and epoch. Used on the event loop only.

    `on_pending` is called when annotations are incomplete, so that the features request them again.
    """

    def __init__(self, client: EditorClient, on_pending: Callable[[], None]) -> None:
        self._client = client
        self._on_pending = on_pending
        self._cached: OrderedDict[_Key, tuple[float, AnnotateResult]] = OrderedDict()
        self._requested: dict[_Key, asyncio.Task[AnnotateResult | None]] = {}
        self._complete: OrderedDict[str, AnnotateResult] = OrderedDict()

    async def of(self, uri: str) -> AnnotateResult | None:
        """Return the annotations of a file; None for a file outside the work tree or without a `.muninn`."""
        path = self._client.source_path(uri)
        if path is None:
            return None
        key = (path, self._client.version_of(uri), self._client.epoch)
        now = asyncio.get_running_loop().time()
        cached = self._cached.get(key)
        if cached is not None and now - cached[0] < LIVE_SECONDS:
            return cached[1]
        # An editor requests lenses, hints, links and diagnostics at once: they share one request.
        task = self._requested.get(key)
        if task is None:
            task = self._requested[key] = asyncio.get_running_loop().create_task(self._request(path))
            task.add_done_callback(lambda _done: self._requested.pop(key, None))
        found = await asyncio.shield(task)
        if found is not None and not found.pending:
            self._cached[key] = (now, found)
            self._complete[path] = found
            for cache in (self._cached, self._complete):
                while len(cache) > CAPACITY:
                    cache.popitem(last=False)
        return found

    async def shown(self, uri: str) -> AnnotateResult | None:
        """Return the annotations to show beside the code: the last complete ones while new ones are incomplete.

        Incomplete ones would place notes at outdated lines, and move them with the next response.
        """
        found = await self.of(uri)
        return self._complete.get(found.path, found) if found is not None and found.pending else found

    async def complete(self, uri: str) -> AnnotateResult | None:
        """Return complete annotations, or those of the last of `TRIES` requests.

        For features that no editor requests again, such as actions.
        """
        found = await self.of(uri)
        for _ in range(TRIES - 1):
            if found is None or not found.pending:
                break
            found = await self.of(uri)
        return found

    async def _request(self, path: str) -> AnnotateResult | None:
        try:
            found: AnnotateResult | None = await self._client.ask("annotate", {"file": path}, lambda result: result)
        except BadParams:
            return None  # not a valid path of a file in the work tree
        if found is not None and found.pending:
            self._on_pending()
        return found

    def close(self) -> None:
        """Cancel the pending requests."""
        for task in list(self._requested.values()):
            task.cancel()
