"""One answer at a time for each document: what is asked while one is made waits, and shares the next.

A person types faster than a long pack is rendered or a long file is checked. Without this each key would begin another
answer, and the threads that all answers come from would be busy with texts that nobody has any more.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class _Turn(Generic[T]):
    """A task, and how many wait for it."""

    def __init__(self, task: asyncio.Task[T]) -> None:
        self.task = task
        self.waiting = 0


class Turns(Generic[T]):
    """The turns of one kind of answer. Used on the event loop only."""

    def __init__(self) -> None:
        self._running: dict[str, _Turn[T]] = {}
        self._next: dict[str, _Turn[T]] = {}

    async def take(self, document: str, work: Callable[[], Awaitable[T]]) -> T:
        """Return what `work` answers. It is called when it is its turn, so that it sees the text of that moment.

        One that nobody waits for any more is cancelled.
        """
        turn = self._next.get(document)
        if turn is None:
            turn = self._begin(document, work)
        turn.waiting += 1
        try:
            return await asyncio.shield(turn.task)
        finally:
            turn.waiting -= 1
            if not turn.waiting and not turn.task.done():
                self._forget(document, turn)
                turn.task.cancel()

    def _begin(self, document: str, work: Callable[[], Awaitable[T]]) -> _Turn[T]:
        before = self._running.get(document)
        turn: _Turn[T] = _Turn(asyncio.get_running_loop().create_task(self._work(document, before, work)))
        (self._running if before is None else self._next)[document] = turn
        turn.task.add_done_callback(lambda _done: self._forget(document, turn))
        return turn

    async def _work(self, document: str, before: _Turn[T] | None, work: Callable[[], Awaitable[T]]) -> T:
        if before is not None:
            await asyncio.wait([before.task])
            self._running[document] = self._next.pop(document)
        return await work()

    def _forget(self, document: str, turn: _Turn[Any]) -> None:
        for turns in (self._running, self._next):
            if turns.get(document) is turn:
                del turns[document]
