"""A client's session: call a verb on its thread, cancel it, report its progress. All protocols use it."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from muninn_core.errors import BusyError, Cancelled, InternalError, MuninnError, RefusedError, Stopping
from muninn_core.model.role import ROLES
from muninn_core.protocol.catalogue import decode_params, lookup
from muninn_core.protocol.families.events import EventAppendParams
from muninn_core.resource_exhaustion import raise_if_exhausted
from muninn_core.worktree.call_context import CallContext, Connection, Progress
from muninn_server.event_appends import Appends

if TYPE_CHECKING:
    from muninn_core.engine.engine import Engine
    from muninn_core.launch.repository_location import RepositoryLocation
    from muninn_core.model.value import Value
    from muninn_core.protocol.method import Method
    from muninn_core.worktree.citations.overlays import Overlays

T = TypeVar("T")
log = logging.getLogger("muninn.session")

MAX_WAITING = 64
"""The most calls that wait for other clients at one time."""

SLOW_SECONDS = 1.0
"""A request that takes longer is logged."""


CallTrace = Callable[[], None]
"""Called when the traced call begins on its thread."""


@contextmanager
def untraced(_verb: str, _client: str) -> Iterator[CallTrace]:
    """Trace nothing."""
    yield lambda: None


class Pools:
    """Thread pools for verbs: one thread writes, four read, eight run verbs that wait.

    `events` is the thread for `event.append`. Other verbs that append to the journal wait together for one flush, so
    they have a thread each. So have verbs that wait for other clients; when all their threads wait, a further call is
    refused.
    """

    def __init__(self) -> None:
        self.read = ThreadPoolExecutor(4, "read")
        self.write = ThreadPoolExecutor(1, "write")
        self.append = ThreadPoolExecutor(64, "append")
        self.events = Appends(self.append)
        self.control = ThreadPoolExecutor(8, "control")
        self.wait = ThreadPoolExecutor(MAX_WAITING, "wait")
        self.waiting: set[threading.Event] = set()
        self.closing = False
        self.traced: Callable[[str, str], AbstractContextManager[CallTrace]] = untraced
        """Traces a call by its verb and client."""

    def of(self, method: Method) -> ThreadPoolExecutor:
        """Return the pool of a method."""
        if method.waits:
            return self.wait
        return {"read": self.read, "write": self.write, "append": self.append}.get(method.effect, self.control)

    def check_room(self) -> None:
        """Raise BusyError when all threads for verbs that wait are in use."""
        if len(self.waiting) >= MAX_WAITING:
            raise BusyError(f"{MAX_WAITING} calls wait already", hint="Try again later, or with a wait of 0 seconds.")

    def close(self) -> None:
        """Finish running verbs. Verbs that are queued or wait for the index are refused."""
        self.closing = True
        for cancelled in list(self.waiting):
            cancelled.set()
        self.events.close()
        for pool in (self.write, self.append, self.read, self.wait, self.control):
            pool.shutdown(wait=True, cancel_futures=True)


class Session:
    """One client. `actor` is set for clients that cannot act as a user, such as MCP clients.

    `buffers` holds the unsaved texts of an editor; None for other clients.
    """

    def __init__(
        self,
        engine: Engine,
        pools: Pools,
        location: RepositoryLocation,
        *,
        client: str,
        stop: Callable[[], None],
        actor: str | None = None,
    ) -> None:
        self.engine = engine
        self.location = location
        self.client = client
        self._pools = pools
        self._stop = stop
        self._actor = actor
        self.connection = Connection()
        self.buffers: Overlays | None = None

    def as_client(self, name: str) -> Session:
        """Return a session with the same rights for a client with another name."""
        return Session(self.engine, self._pools, self.location, client=name, stop=self._stop, actor=self._actor)

    def as_agent(self) -> Session:
        """Return a session for a program that cannot act as a user."""
        return Session(self.engine, self._pools, self.location, client=self.client, stop=self._stop, actor="assistant")

    async def call(
        self,
        verb: str,
        raw: Any,
        finish: Callable[[Value], T],
        *,
        progress: Callable[[Progress], None] | None = None,
        cancelled: threading.Event | None = None,
        client: str = "",
    ) -> T:
        """Check the parameters, run the verb on a thread of its pool, and return `finish(result)`, computed there too.

        `progress` is called on the event loop. Setting `cancelled`, or cancelling the task, ends the verb at its next
        safe point. `client` names the program behind this client, such as the agent behind a proxy. Raises MuninnError.
        """
        method = lookup(verb)
        with self._pools.traced(method.verb, self.client) as begun:
            return await self._call(method, raw, finish, begun, progress, cancelled, client)

    async def _call(
        self,
        method: Method,
        raw: Any,
        finish: Callable[[Value], T],
        begun: CallTrace,
        progress: Callable[[Progress], None] | None,
        cancelled: threading.Event | None,
        client: str,
    ) -> T:
        if self._pools.closing:
            raise _stopping()
        if self._actor is not None:
            _check_rights(method, raw, self.connection.role)
        params = decode_params(method, raw)
        loop = asyncio.get_running_loop()
        cancelled = cancelled or threading.Event()
        call = CallContext(
            location=self.location,
            client=client or self.client,
            actor=self._actor,
            cancelled=cancelled,
            report=_on_loop(loop, progress),
            buffers=self.buffers,
            connection=self.connection,
        )

        def work() -> T:
            begun()
            call.raise_if_cancelled()
            return finish(self.engine.call(method.verb, params, call))

        if method.verb == "shutdown":  # not queued behind verbs that wait for the index
            self._stop()
            return work()
        since = loop.time()
        if method.waits:
            self._pools.check_room()
        if method.effect == "control" or method.waits:
            self._pools.waiting.add(cancelled)
        try:
            if isinstance(params, EventAppendParams):
                appended: T = await self._pools.events.run(self.engine, params, call, begun, finish)
                return appended
            return await loop.run_in_executor(self._pools.of(method), work)
        except Cancelled:
            if self._pools.closing:  # the daemon cancelled it: the client may retry with the next daemon
                raise _stopping() from None
            raise
        except asyncio.CancelledError:
            cancelled.set()  # the client has gone, or wants no answer
            task = asyncio.current_task()
            if self._pools.closing and task is not None and not task.cancelling():
                raise _stopping() from None  # its pool was closed before it began
            raise
        except RuntimeError:
            cancelled.set()  # a pool that can't start a thread keeps the call, and would run it later
            raise
        finally:
            self._pools.waiting.discard(cancelled)
            if loop.time() - since > SLOW_SECONDS and not method.waits:
                log.info("%s took %.1f s for %s", method.verb, loop.time() - since, self.client)


def _stopping() -> Stopping:
    return Stopping("the daemon is leaving", hint="The next call starts it again.")


def _check_rights(method: Method, raw: Any, role: str) -> None:
    """Raise RefusedError for what a client that cannot act as a user may not do.

    What a role may be granted passes: the engine checks whether a person granted it.
    """
    if method.for_people and not (role and method.verb in ROLES[role].granted):
        raise RefusedError(
            f"'{method.verb}' is for people, and this client has the rights of an agent",
            hint=f"A person runs `muninn {method.words}` in a terminal. Nothing was changed.",
        )
    named = [name for name in method.absolute_paths if isinstance(raw, dict) and raw.get(name)]
    if named and method.effect != "read":
        raise RefusedError(
            f"'{method.verb}' with '{named[0]}' writes a file, and this client has the rights of an agent",
            hint=f"Leave '{named[0]}' out, or run `muninn {method.words}` in a terminal. Nothing was written.",
        )


class Process(NamedTuple):
    """The program that answers, as errors name it for people, and where its log is."""

    name: str
    log_place: str


DAEMON = Process("daemon", "`muninn daemon logs`")


def error_of(error: BaseException, verb: str, process: Process = DAEMON) -> MuninnError:
    """Return the error to respond with. Any error but a MuninnError is a bug and is logged with its trace."""
    if isinstance(error, MuninnError):
        return error
    if isinstance(error, asyncio.CancelledError):
        return _stopping()
    try:
        raise_if_exhausted(error, process.name)
    except MuninnError as lack:
        return lack
    log.error("%s failed", verb, exc_info=error)
    return InternalError(
        f"internal error in '{verb}': {type(error).__name__}: {error}",
        hint=f"This is a bug in Muninn; {process.log_place} has the trace.",
    )


def _on_loop(
    loop: asyncio.AbstractEventLoop, progress: Callable[[Progress], None] | None
) -> Callable[[Progress], None] | None:
    if progress is None:
        return None

    def report(value: Progress) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(progress, value)

    return report
