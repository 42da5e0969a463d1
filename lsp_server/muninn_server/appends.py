"""Calls of `event.append`: those of all clients run on one thread, and events that come meanwhile share a transaction.

With a thread for each call, the changes between threads cost more time than recording the events.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

from muninn_core.errors import Stopping
from muninn_core.model.value import encode_json

if TYPE_CHECKING:
    from muninn_core.engine.engine import Engine
    from muninn_core.model.value import Value
    from muninn_core.protocol.events import EventAppendParams
    from muninn_core.worktree.call import Call

MOST_TOGETHER = 200
"""The most calls of a transaction. Those behind it wait for it."""

GATHER_SECONDS = 0.002
"""How long events are gathered after a transaction of several: a transaction costs as much time as many events."""

MOST_BYTES = 64 * 1024
"""The longest payload of a call that is run with others: masking and storing a longer one would hold them up."""

log = logging.getLogger("muninn.session")


class Waiting(NamedTuple):
    """A call that waits. `begun` is called when it begins, `finish` with its result; `done` gets what that returns."""

    engine: Engine
    params: EventAppendParams
    call: Call
    begun: Callable[[], None]
    finish: Callable[[Value], Any]
    done: asyncio.Future[Any]


class Appends:
    """The thread that records events. `alone` runs calls with long payloads, each on a thread."""

    def __init__(self, alone: ThreadPoolExecutor) -> None:
        self._alone = alone
        self._thread = ThreadPoolExecutor(1, "events")
        self._waiting: deque[Waiting] = deque()
        self._lock = threading.Lock()
        self._runs = False

    async def run(
        self,
        engine: Engine,
        params: EventAppendParams,
        call: Call,
        begun: Callable[[], None],
        finish: Callable[[Value], Any],
    ) -> Any:
        """Record an event; it is on disk when this returns `finish(result)`. Raises MuninnError."""
        done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        one = Waiting(engine, params, call, begun, finish, done)
        with self._lock:
            self._waiting.append(one)
            starts, self._runs = not self._runs, True
        if starts:
            try:
                self._thread.submit(self._work)
            except RuntimeError:  # no thread can be started, or the daemon is leaving
                with self._lock:
                    self._runs = False
                    self._waiting.remove(one)
                raise
        return await done

    def close(self) -> None:
        """Record the events that wait, and end the thread."""
        self._thread.shutdown(wait=True)

    def _work(self) -> None:
        taken: list[Waiting] = []
        while True:
            if len(taken) > 1:
                time.sleep(GATHER_SECONDS)
            with self._lock:
                taken = [self._waiting.popleft() for _ in range(min(len(self._waiting), MOST_TOGETHER))]
                if not taken:
                    self._runs = False
                    return
            together = []
            for one in taken:
                if _is_long(one.params):
                    self._submit_alone(one)
                else:
                    together.append(one)
            _record(together)

    def _submit_alone(self, one: Waiting) -> None:
        try:
            self._alone.submit(_record, [one])
        except RuntimeError:  # as in `run`
            _deliver([(one, Stopping("the daemon is leaving", hint="The next call starts it again."))])


def _record(waiting: Sequence[Waiting]) -> None:
    """Record events and hand each outcome to its call, on the event loop."""
    outcomes: list[tuple[Waiting, Any]] = []
    begun: list[Waiting] = []
    for one in waiting:
        try:
            one.begun()
            one.call.raise_if_cancelled()
            begun.append(one)
        except Exception as error:
            outcomes.append((one, error))
    try:
        found = begun[0].engine.append([(one.params, one.call) for one in begun]) if begun else []
    except Exception as error:
        found = [error] * len(begun)
    for one, result in zip(begun, found, strict=True):
        try:
            outcomes.append((one, result if isinstance(result, BaseException) else one.finish(result)))
        except Exception as error:
            outcomes.append((one, error))
    _deliver(outcomes)


def _deliver(outcomes: Sequence[tuple[Waiting, Any]]) -> None:
    def deliver() -> None:
        for one, outcome in outcomes:
            if one.done.done():
                continue  # its client has gone
            if isinstance(outcome, BaseException):
                one.done.set_exception(outcome)
            else:
                one.done.set_result(outcome)

    if outcomes:
        loop = outcomes[0][0].done.get_loop()
        if loop.is_closed():
            log.info("events were recorded for clients that have gone")
        else:
            loop.call_soon_threadsafe(deliver)


def _is_long(params: EventAppendParams) -> bool:
    try:
        return len(encode_json(params.payload)) > MOST_BYTES
    except (ValueError, TypeError, RecursionError):  # refused later, with the reason
        return True
