"""A turn of any agent as a context manager: its events, and steps that nest.

`Repository.turn` makes one. The events have the types that the hooks of agents record (`capture.turn_events`), so that
queries, patterns and candidates treat all agents alike.
"""

from __future__ import annotations

import math
import uuid
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from muninn_core.capture.turns.turn_events import ANSWER, MESSAGE_CHARS, PROMPT, TOOL_CALL, USAGE, cut, tool_payload
from muninn_core.errors import MuninnError

if TYPE_CHECKING:
    from types import TracebackType

    from muninn_core.model.event import Event
    from muninn_core.verbs import Verbs

ERROR = "error"
"""The type of the event of an exception that ended a turn."""

TEXT_CHARS = 2_000
"""The most characters of one text in the details of an observation."""

MAX_ITEMS, MAX_DEPTH = 100, 8
"""The most items of a list or an object in details, and the deepest level that is kept."""


class Turn:
    """A turn of an agent, for a `with` block.

    It begins with the block and is closed with it. An exception is recorded as an event `error`, makes the turn
    incomplete, and is raised as before. Every method raises MuninnError when the journal can't record; then nothing was
    recorded.
    """

    def __init__(self, verbs: Verbs, prompt: str, *, project: str, session: str, turn: str, agent: str) -> None:
        self._verbs = verbs
        self._prompt = prompt
        self._agent = agent
        self._token = ""
        self.project = project
        self.session = session or f"s-{uuid.uuid4().hex}"
        self.id = turn or f"t-{uuid.uuid4().hex}"

    def __enter__(self) -> Turn:
        begun = self._verbs.turn_begin(self.project, self.session, self.id, client_id=self._agent)
        self._token = begun.ack_token
        if self._prompt:
            self.record(PROMPT, {"text": cut(encodable(self._prompt), MESSAGE_CHARS)}, actor="user")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        if error is None:
            self._end("closed")
            return
        with suppress(MuninnError):  # the program's own error counts more
            self.record(ERROR, error_details(error), actor="tool")
            self._end("incomplete")

    def _end(self, outcome: Any) -> None:
        self._verbs.turn_end(self.project, self.session, self.id, ack_token=self._token, outcome=outcome)

    def record(
        self,
        event_type: str,
        payload: dict[str, Any] | None = None,
        *,
        actor: str = "assistant",
        key: str | None = None,
    ) -> Event:
        """Record an event of any type in the turn. A second event with the same `key` is not recorded."""
        return self._verbs.event_append(
            event_type,
            payload=payload or {},
            project_id=self.project,
            session_id=self.session,
            turn_id=self.id,
            ack_token=self._token,
            actor=actor,
            source=self._agent,
            idempotency_key=key,
        ).event

    def answer(self, text: str) -> Event:
        """Record what the model answered."""
        return self.record(ANSWER, {"text": cut(encodable(text), MESSAGE_CHARS)})

    def tool_call(
        self,
        tool: str,
        given: dict[str, Any] | None = None,
        result: str = "",
        *,
        failed: bool = False,
        command: str = "",
        exit_status: int | None = None,
    ) -> Event:
        """Record a tool call with its input and its result, which is cut.

        A shell has a `command` with an `exit_status`; any other status than 0 is a failure.
        """
        failed = failed or exit_status not in (None, 0)
        payload = tool_payload(encodable(tool), plain(given or {}), encodable(result), failed=failed)
        if command:
            payload["command"] = cut(encodable(command), TEXT_CHARS)
        if exit_status is not None:
            payload["exit_status"] = exit_status
        return self.record(TOOL_CALL, payload, actor="tool")

    def usage(self, *, model: str = "", **tokens: int) -> Event:
        """Record the tokens of one response, such as `input_tokens` and `output_tokens`."""
        return self.record(USAGE, {**({"model": model} if model else {}), **tokens})

    def step(self, kind: str, intent: str = "") -> Step:
        """Return a step of the turn, for a `with` block: a capsule of the session. Steps nest."""
        return Step(self, self._verbs, kind, intent, parent="")


class Step:
    """A part of a turn, for a `with` block: a capsule that opens and closes with it.

    An exception is recorded as an observation `error` and raised as before.
    """

    def __init__(self, turn: Turn, verbs: Verbs, kind: str, intent: str, parent: str) -> None:
        self._turn = turn
        self._verbs = verbs
        self._kind = kind
        self._intent = intent
        self._parent = parent
        self.id = ""

    def __enter__(self) -> Step:
        scope = {"session": self._turn.session}
        capsule = self._verbs.capsule_open(
            self._kind, encodable(self._intent), scope=scope, parent=self._parent, project_id=self._turn.project
        ).capsule
        self.id = capsule.id
        self.observe("message", {"turn_id": self._turn.id})
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        if error is None:
            self._verbs.capsule_close(self.id, project_id=self._turn.project)
            return
        with suppress(MuninnError):  # the program's own error counts more
            self.observe("error", error_details(error))
            self._verbs.capsule_close(self.id, project_id=self._turn.project)

    def observe(self, kind: str, details: Any, text: str = "") -> Event:
        """Record an observation; `details` may be any value. What JSON does not have is recorded as its `repr`."""
        value = plain(details)
        shown = value if isinstance(value, dict) else {"value": value}
        done = self._verbs.capsule_observe(
            self.id, encodable(text), kind=kind, details=shown, project_id=self._turn.project
        )
        return done.event

    def step(self, kind: str, intent: str = "") -> Step:
        """Return a step inside this one."""
        return Step(self._turn, self._verbs, kind, intent, parent=self.id)


def error_details(error: BaseException) -> dict[str, str]:
    """Return the type and the message of an exception."""
    return {"type": type(error).__name__, "message": cut(plain(str(error)), TEXT_CHARS)}


def encodable(text: str) -> str:
    """Return a text with `?` for lone surrogates, which UTF-8 lacks. Models and file names bring them."""
    return text.encode("utf-8", "replace").decode()


def plain(value: Any, depth: int = 1) -> Any:
    """Return a value as JSON has it: long texts and collections are cut, other objects become their `repr`."""
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    if isinstance(value, str):
        return cut(encodable(value), TEXT_CHARS)
    if isinstance(value, dict | list | tuple | set | frozenset) and depth > MAX_DEPTH:
        return "[…]"
    if isinstance(value, dict):
        return {plain(str(name)): plain(item, depth + 1) for name, item in list(value.items())[:MAX_ITEMS]}
    if isinstance(value, list | tuple):
        return [plain(item, depth + 1) for item in value[:MAX_ITEMS]]
    if isinstance(value, set | frozenset):
        return [plain(item, depth + 1) for item in sorted(value, key=repr)[:MAX_ITEMS]]
    return plain(repr(value))
