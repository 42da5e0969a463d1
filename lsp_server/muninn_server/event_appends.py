"""Calls of `event.append`: those of all clients run on one thread, and events that come meanwhile share a transaction.

With a thread for each call, the changes between threads cost more time than recording the events.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

from muninn_core.errors import Stopping
from muninn_core.model.value import encode_json

if TYPE_CHECKING:
    from muninn_core.engine.engine import Engine
    from muninn_core.model.value import Value
    from muninn_core.protocol.families.events import EventAppendParams
    from muninn_core.worktree.call_context import CallContext

MAX_BATCH = 200
"""The most calls of a transaction. Those behind it wait for it."""

GATHER_SECONDS = 0.002
"""How long events are gathered after a transaction of several: a transaction costs as much time as many events."""

MAX_BYTES = 8 * 1024
"""The longest payload of a call that is run with others: masking and storing a longer one would hold them up."""

MAX_BATCH_BYTES = 256 * 1024
"""About the most bytes of the payloads of a transaction, for the same reason."""

log = logging.getLogger("muninn.session")


class Waiting(NamedTuple):
    """A call that waits since a monotonic time. `begun` is called when it begins, `finish` with its result; `done` gets
    what that returns.
    """

    engine: Engine
    params: EventAppendParams
    call: CallContext
    begun: Callable[[], None]
    finish: Callable[[Value], Any]
    done: asyncio.Future[Any]
    since: float


class Appends:
    """The thread that records events. `alone` runs calls with long payloads, each on a thread."""

    def __init__(self, alone: ThreadPoolExecutor) -> None:
        self._alone = alone
        self._thread = ThreadPoolExecutor(1, "events")
        self._waiting: deque[Waiting] = deque()
        self._lock = threading.Lock()
        self._runs = False
        self._closed = False

    async def run(
        self,
        engine: Engine,
        params: EventAppendParams,
        call: CallContext,
        begun: Callable[[], None],
        finish: Callable[[Value], Any],
    ) -> Any:
        """Record an event; it is on disk when this returns `finish(result)`. Raises MuninnError."""
        done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        one = Waiting(engine, params, call, begun, finish, done, time.monotonic())
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
                if self._closed:
                    raise _stopping() from None
                raise
        return await done

    def close(self) -> None:
        """Record the events that wait, and end the thread."""
        self._closed = True
        self._thread.shutdown(wait=True)

    def _work(self) -> None:
        taken: list[Waiting] = []
        while True:
            if len(taken) > 1:
                time.sleep(GATHER_SECONDS)
            with self._lock:
                taken = [self._waiting.popleft() for _ in range(min(len(self._waiting), MAX_BATCH))]
                if not taken:
                    self._runs = False
                    return
            for together in self._parted(taken):
                _record_all(together)

    def _parted(self, taken: Sequence[Waiting]) -> Iterator[list[Waiting]]:
        """Yield the calls of each transaction. Those with a long payload run alone, each on a thread."""
        together: list[Waiting] = []
        size = 0
        for one in taken:
            bytes_of_one = _size(one.params)
            if bytes_of_one > MAX_BYTES:
                self._submit_alone(one)
                continue
            if size + bytes_of_one > MAX_BATCH_BYTES:
                yield together
                together, size = [], 0
            together.append(one)
            size += bytes_of_one
        yield together

    def _submit_alone(self, one: Waiting) -> None:
        taken = threading.Lock()

        def work() -> None:
            if taken.acquire(blocking=False):
                _record_all([one])

        def ended(future: Future[None]) -> None:
            if future.cancelled():
                _deliver([(one, _stopping())])

        try:
            self._alone.submit(work).add_done_callback(ended)
        except Exception as error:  # as in `run`; a pool that can't start a thread keeps the call
            if taken.acquire(blocking=False):  # unless another thread of the pool has begun it
                _deliver([(one, _stopping() if self._closed else error)])


def _stopping() -> Stopping:
    return Stopping("the daemon is leaving", hint="The next call starts it again.")


def _record_all(waiting: Sequence[Waiting]) -> None:
    """Record events and hand each outcome to its call. An unexpected error is the outcome of those without one."""
    try:
        _record(waiting)
    except Exception as error:
        log.exception("events could not be recorded")
        _deliver([(one, error) for one in waiting])


def _record(waiting: Sequence[Waiting]) -> None:
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
        found = begun[0].engine.append([(one.params, one.call, one.since) for one in begun]) if begun else []
        results = list(zip(begun, found, strict=True))
    except Exception as error:
        results = [(one, error) for one in begun]
    for one, result in results:
        try:
            outcomes.append((one, result if isinstance(result, BaseException) else one.finish(result)))
        except Exception as error:
            outcomes.append((one, error))
    _deliver(outcomes)


def _deliver(outcomes: Sequence[tuple[Waiting, Any]]) -> None:
    """Hand outcomes to their calls, on the event loop. A call that has one keeps it."""

    def deliver() -> None:
        for one, outcome in outcomes:
            if one.done.done():
                continue  # it has its outcome, or its client has gone
            if isinstance(outcome, BaseException):
                one.done.set_exception(outcome)
            else:
                one.done.set_result(outcome)

    if outcomes:
        try:
            outcomes[0][0].done.get_loop().call_soon_threadsafe(deliver)
        except RuntimeError:  # the loop is closed
            log.info("events were recorded for clients that have gone")


def _size(params: EventAppendParams) -> int:
    """Return the bytes of a payload. One that is refused later, with the reason, counts as a long one."""
    try:
        return len(encode_json(params.payload))
    except Exception:
        return MAX_BYTES + 1
