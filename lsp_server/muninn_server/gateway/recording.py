"""Reads an exchange of the gateway as events of a turn, of the kinds that agents' hooks record.

A conversation is a session of the journal. Its turn begins with a person's message and ends with an answer that calls
no tool. Requests repeat what was said before: prompt and results of tools have keys by which they are recorded once.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from muninn_core.capture.turns.turn_events import AgentTurn, Turns, texts
from muninn_core.errors import ModelError
from muninn_core.models import anthropic, openai
from muninn_core.models.prompt import Answer
from muninn_server.gateway.injection import conversation, places
from muninn_server.gateway.json_spans import items, members
from muninn_server.gateway.routing import ANTHROPIC

RECORDED = frozenset({"/v1/chat/completions", "/v1/messages", "/v1/responses"})
"""The endpoints whose exchanges are recorded."""

MAX_BYTES = 4_000_000
"""A longer answer is not read."""

UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_SESSION = re.compile(rf"session[\W_]*(?:id[\W_]*)?({UUID})")


class Exchange(NamedTuple):
    """A request to `path` as its client sent it, and what was passed back. `client` is the name of the program."""

    path: str
    dialect: str
    client: str
    asked: str
    answer: bytes
    streamed: bool


class Reading(NamedTuple):
    """A turn so far. `ends`: its last answer is there. `agent` is the client's own id of the session, or ""."""

    session: str
    agent: str
    turn: AgentTurn
    ends: bool


class Tape:
    """Keeps an answer while it passes."""

    def __init__(self) -> None:
        self._chunks: list[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> None:
        """Keep a part of the answer, unless the answer is too long."""
        self._size += len(chunk)
        if self._size <= MAX_BYTES:
            self._chunks.append(chunk)

    @property
    def answer(self) -> bytes:
        """The whole answer, b"" for one that is too long."""
        return b"".join(self._chunks) if self._size <= MAX_BYTES else b""


def read_exchange(exchange: Exchange) -> Reading | None:
    """Return the turn of an exchange, None when no person's message or no whole answer is in it."""
    try:
        answer = _answer(exchange)
        body = members(exchange.asked)
        found, _ = places(exchange.asked, body)
        later = [
            span.value for span in items(exchange.asked, body["messages"].start) if span.start > found[-1].content.end
        ]
        turns = Turns()
        turn = f"t-{found[-1].key[:24]}"
        turns.begin(turn)
        turns.prompt(turn, "prompt", "", found[-1].asked)
        for use, name, given, result, failed in _tool_calls(later):
            turns.call(use, "", name, given)
            turns.result(use, result, failed=failed)
    except (ModelError, ValueError, LookupError, AttributeError, TypeError, RecursionError):
        return None  # not a conversation, or one that broke off
    key = hashlib.sha256(exchange.answer).hexdigest()
    turns.reply(key, "", answer.text)
    used = {"model": answer.model, "input_tokens": (answer.tokens_in or 0) - answer.cached}
    turns.used(key, "", {**used, "output_tokens": answer.tokens_out, "cache_read_tokens": answer.cached})
    agent = agent_session({name: span.value for name, span in body.items()})
    read = next((each for each in turns.close() if each.id == turn), None)
    if read is None:
        return None
    return Reading(conversation(found), agent, read, not answer.calls)


def agent_session(body: Mapping[str, Any]) -> str:
    """Return the session's id that Claude Code puts into a request (observed in version 2.1.330), "" without one."""
    metadata = body.get("metadata")
    found = _SESSION.search(str(metadata.get("user_id"))) if isinstance(metadata, dict) else None
    return found[1] if found else ""


def _answer(exchange: Exchange) -> Answer:
    """Return the model's answer. Raises ModelError or another error for one that has no end or another form."""
    text = exchange.answer.decode("utf-8", "replace")
    lines = text.replace("\r\n", "\n").split("\n")
    if exchange.dialect == ANTHROPIC:
        return anthropic.read(lines, _nothing) if exchange.streamed else anthropic.of_message(json.loads(text))
    return openai.read(lines if exchange.streamed else [f"data: {json.dumps(json.loads(text))}", ""], _nothing)


def _nothing(_text: str) -> None:
    """Take a part of an answer that is read as a whole."""


def _tool_calls(messages: list[Any]) -> Iterator[tuple[str, str, Any, str, bool]]:
    """Yield (id, name, input, result, failed) of the calls that have a result, in both dialects."""
    calls: dict[str, tuple[str, Any]] = {}
    for message in messages:
        for call in message.get("tool_calls") or ():
            calls[call["id"]] = (call["function"]["name"], _object(call["function"].get("arguments")))
        if message.get("role") == "tool":
            yield from _result(calls, message.get("tool_call_id"), message.get("content"), failed=False)
        content = message.get("content")
        for block in content if isinstance(content, list) else ():
            if block.get("type") == "tool_use":
                calls[block["id"]] = (block["name"], block.get("input"))
            elif block.get("type") == "tool_result":
                failed = block.get("is_error") is True
                yield from _result(calls, block.get("tool_use_id"), block.get("content"), failed=failed)


def _result(
    calls: Mapping[str, tuple[str, Any]], use: Any, content: Any, *, failed: bool
) -> Iterator[tuple[str, str, Any, str, bool]]:
    if use in calls:
        yield (use, *calls[use], texts(content), failed)


def _object(arguments: Any) -> Any:
    try:
        return json.loads(arguments)
    except (TypeError, ValueError):
        return {}
