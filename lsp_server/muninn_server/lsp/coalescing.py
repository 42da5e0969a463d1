"""Runs one computation at a time per document: requests that arrive meanwhile share the next run.

Typing is faster than rendering a long pack or checking a long file. Without this each key would start another run, and
texts that are out of date would occupy the threads that answer all requests.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class _Run(Generic[T]):
    """A task and the number of requests that wait for it."""

    def __init__(self, task: asyncio.Task[T]) -> None:
        self.task = task
        self.waiting = 0


class Coalescer(Generic[T]):
    """The running and the next computation of each document. Used on the event loop only."""

    def __init__(self) -> None:
        self._running: dict[str, _Run[T]] = {}
        self._next: dict[str, _Run[T]] = {}

    async def run(self, document: str, work: Callable[[], Awaitable[T]]) -> T:
        """Return the result of `work`. It is called when its run begins, so it sees the text of that moment.

        A run is cancelled when all its requests are.
        """
        run = self._next.get(document)
        if run is None:
            run = self._begin(document, work)
        run.waiting += 1
        try:
            return await asyncio.shield(run.task)
        finally:
            run.waiting -= 1
            if not run.waiting and not run.task.done():
                self._forget(document, run)
                run.task.cancel()

    def _begin(self, document: str, work: Callable[[], Awaitable[T]]) -> _Run[T]:
        before = self._running.get(document)
        run: _Run[T] = _Run(asyncio.get_running_loop().create_task(self._work(document, before, work)))
        (self._running if before is None else self._next)[document] = run
        run.task.add_done_callback(lambda _done: self._forget(document, run))
        return run

    async def _work(self, document: str, before: _Run[T] | None, work: Callable[[], Awaitable[T]]) -> T:
        if before is not None:
            await asyncio.wait([before.task])
            self._running[document] = self._next.pop(document)
        return await work()

    def _forget(self, document: str, run: _Run[Any]) -> None:
        for runs in (self._running, self._next):
            if runs.get(document) is run:
                del runs[document]
