"""Records the nodes of a PocketFlow flow as steps of a turn. The only importer of pocketflow.

Each run of a node is a step with observations `input` (what `prep` returned), `output` (what `exec` returned, once per
item of a batch), `error` (each attempt that failed) and `action` (what `post` returned). A flow is a step around its
nodes. Works with PocketFlow 0.0.3, synchronous and asynchronous; nodes stay as they are.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from muninn_core.errors import UsageError
from muninn_core.extras import install_command
from muninn_core.recording.turn import Step, Turn, error_details

try:
    import pocketflow
except ImportError as error:
    raise UsageError(
        "pocketflow is not installed", hint=f"Install it with `{install_command('pocketflow')}`."
    ) from error

_current: ContextVar[Turn | Step] = ContextVar("muninn_step")


@contextmanager
def recorded(flow: Any, turn: Turn) -> Iterator[Any]:
    """Record every node that runs in `flow` while the block lasts, as steps of a turn.

    `flow` is a node or a flow. Its nodes get a recording subclass for the time of the block, so one flow can be
    recorded by one block at a time. Raises UsageError for any other object.
    """
    if not isinstance(flow, pocketflow.BaseNode):
        raise UsageError(f"{type(flow).__name__} is not a node of PocketFlow", hint="Give a node or a flow.")
    nodes = _nodes(flow)
    if any(isinstance(node, _Recorded) for node in nodes):
        raise UsageError("the flow is being recorded already", hint="Use one block per flow at a time.")
    before = [(node, node.__class__) for node in nodes]
    token = _current.set(turn)
    try:
        for node, kind in before:
            node.__class__ = _subclass(kind)
        yield flow
    finally:
        for node, kind in before:
            node.__class__ = kind
        _current.reset(token)


def _nodes(flow: Any) -> list[Any]:
    """Return the nodes that a flow can reach, itself first, each once."""
    found: dict[int, Any] = {}
    waiting = [flow]
    while waiting:
        node = waiting.pop()
        if node is not None and id(node) not in found:
            found[id(node)] = node
            waiting += [*node.successors.values(), getattr(node, "start_node", None)]
    return list(found.values())


class _Recorded:
    """Marks the subclasses that record."""


def _observe(kind: str, value: Any) -> None:
    step = _current.get()
    assert isinstance(step, Step)
    step.observe(kind, value)


def _open(node: Any) -> Step:
    kind = "flow" if isinstance(node, pocketflow.Flow) else "node"
    name = next(one.__name__ for one in type(node).__mro__ if not issubclass(one, _Recorded))
    return _current.get().step(kind, name)


def _within(run: Callable[..., Any]) -> Callable[..., Any]:
    """Run a node inside a step of its own."""

    def wrapped(self: Any, shared: Any) -> Any:
        with _open(self) as step:
            token = _current.set(step)
            try:
                return run(self, shared)
            finally:
                _current.reset(token)

    return wrapped


def _within_async(run: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    async def wrapped(self: Any, shared: Any) -> Any:
        with _open(self) as step:
            token = _current.set(step)
            try:
                return await run(self, shared)
            finally:
                _current.reset(token)

    return wrapped


def _observing(kind: str, call: Callable[..., Any]) -> Callable[..., Any]:
    """Observe what a method returns, or the exception of a failed attempt."""

    def wrapped(self: Any, *given: Any) -> Any:
        try:
            value = call(self, *given)
        except Exception as error:  # PocketFlow retries after any exception; it is raised again
            _observe("error", error_details(error))
            raise
        _observe(kind, value)
        return value

    return wrapped


def _observing_async(kind: str, call: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    async def wrapped(self: Any, *given: Any) -> Any:
        try:
            value = await call(self, *given)
        except Exception as error:  # as above
            _observe("error", error_details(error))
            raise
        _observe(kind, value)
        return value

    return wrapped


_OBSERVED = {"prep": "input", "exec": "output", "exec_fallback": "fallback", "post": "action"}
"""Methods of a node, and the kind of observation of what each returns."""


def _subclass(kind: type[Any]) -> type[Any]:
    """Return a subclass that records. It has the name of the class, so that the node's own messages stay the same."""
    members: dict[str, Any] = {}
    asynchronous = issubclass(kind, pocketflow.AsyncNode)
    flow = issubclass(kind, pocketflow.Flow)
    for method, observed in _OBSERVED.items():
        name = f"{method}_async" if asynchronous else method
        if hasattr(kind, name) and not (flow and method == "post"):  # its action is that of its last node
            observing = _observing_async if asynchronous else _observing
            members[name] = observing(observed, getattr(kind, name))
    run = "_run_async" if asynchronous else "_run"
    members[run] = (_within_async if asynchronous else _within)(getattr(kind, run))
    return type(kind.__name__, (_Recorded, kind), members)
