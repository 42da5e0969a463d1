"""What is known of an open file, asked of the engine once for all features that show it. The editor's text counts."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import TYPE_CHECKING

from muninn_core.errors import BadParams

if TYPE_CHECKING:
    from muninn_core.protocol.editor import AnnotateResult
    from muninn_server.lsp.editor import Editor

KEPT = 50

LIVE_SECONDS = 2.0
"""How long an answer is used again; nobody may have told of a change where files can't be watched."""

_Key = tuple[str, int, int]


class Annotations:
    """The answers about files, until anything changes. Used on the event loop only."""

    def __init__(self, editor: Editor) -> None:
        self._editor = editor
        self._known: OrderedDict[_Key, tuple[float, AnnotateResult]] = OrderedDict()
        self._asked: dict[_Key, asyncio.Task[AnnotateResult | None]] = {}
        self._whole: OrderedDict[str, AnnotateResult] = OrderedDict()

    async def of(self, uri: str) -> AnnotateResult | None:
        """Return what is remembered about a file; None for one that is none of ours, or where there is no memory."""
        path = self._editor.source_path(uri)
        if path is None:
            return None
        key = (path, self._editor.version_of(uri), self._editor.epoch)
        now = asyncio.get_running_loop().time()
        known = self._known.get(key)
        if known is not None and now - known[0] < LIVE_SECONDS:
            return known[1]
        # Lenses, hints, links and doubts are asked for in one breath: the first asks for all of them.
        task = self._asked.get(key)
        if task is None:
            task = self._asked[key] = asyncio.get_running_loop().create_task(self._ask(path))
            task.add_done_callback(lambda _done: self._asked.pop(key, None))
        found = await asyncio.shield(task)
        if found is not None and not found.pending:
            self._known[key] = (now, found)
            self._whole[path] = found
            for kept in (self._known, self._whole):
                while len(kept) > KEPT:
                    kept.popitem(last=False)
        return found

    async def shown(self, uri: str) -> AnnotateResult | None:
        """Return what is to stand beside the code: as long as an answer lacks something, the last whole one.

        Else what had no time to be looked at would stand at the lines of long ago, and jump away with the next answer.
        """
        found = await self.of(uri)
        return self._whole.get(found.path, found) if found is not None and found.pending else found

    async def _ask(self, path: str) -> AnnotateResult | None:
        try:
            found: AnnotateResult | None = await self._editor.ask("annotate", {"file": path}, lambda result: result)
        except BadParams:
            return None  # a path that can be none of a file here
        if found is not None and found.pending:
            self._editor.look_again()
        return found

    def close(self) -> None:
        """Stop asking."""
        for task in list(self._asked.values()):
            task.cancel()
