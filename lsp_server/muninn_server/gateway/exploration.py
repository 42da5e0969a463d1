"""The model `muninn/explore`: an exploration of the repository in the form of a model's answer.

The last message of the user is the question. The answer is the pack as text, with the model's words and its places
above. Usage counts what the exploration used.
"""

from __future__ import annotations

import json
import threading
from typing import Any

from muninn_core.context.results.text import render
from muninn_core.errors import ModelError
from muninn_core.model.value import ValidationError, Value, from_plain
from muninn_core.protocol.families.search import ContextResult, ExploreResult
from muninn_server.gateway.routing import ANTHROPIC
from muninn_server.http.asgi_messages import Reply, json_reply
from muninn_server.rpc import Unreadable, decode_body
from muninn_server.session import Session

EXPLORE_MODEL = "muninn/explore"
"""The name of the model."""

BUDGET = 6_000
"""Tokens of a pack, unless `max_tokens` or `max_completion_tokens` of the request says less."""

MIN_BUDGET = 200
MAX_QUESTION = 4_000

_EVENTS = "text/event-stream"


class _Message(Value):
    role: str
    content: str | tuple[dict[str, Any], ...] | None = None


class _Request(Value):
    """What is read of a request of either dialect."""

    messages: tuple[_Message, ...]
    stream: bool = False
    max_tokens: int | None = None
    max_completion_tokens: int | None = None


async def exploration_reply(session: Session, dialect: str, body: bytes, cancelled: threading.Event) -> Reply:
    """Explore, and return the answer in a dialect. Raises ModelError for a request without a question."""
    asked = _read(body)
    budget = min(filter(None, (asked.max_tokens, asked.max_completion_tokens, BUDGET)))
    params = {"query": _question(asked), "budget": max(MIN_BUDGET, budget)}
    result = await session.call("explore", params, lambda found: found, cancelled=cancelled)
    assert isinstance(result, ExploreResult)
    assert result.context is not None
    answer = _anthropic if dialect == ANTHROPIC else _openai
    return answer(render(result), result.context, stream=asked.stream)


def _read(body: bytes) -> _Request:
    try:
        given = decode_body(body)
        fields = {name: given[name] for name in _Request.__struct_fields__ if given.get(name) is not None}
        messages = [{name: each.get(name) for name in ("role", "content")} for each in fields["messages"]]
        found: _Request = from_plain({**fields, "messages": messages}, _Request)
    except (Unreadable, ValidationError, AttributeError, KeyError, TypeError) as error:
        raise ModelError(f"the request can't be read: {error}", hint="`messages` is a list of messages.") from None
    return found


def _question(asked: _Request) -> str:
    """Return the text of the user's last message; of a long one the beginning."""
    for message in reversed(asked.messages):
        if message.role == "user":
            parts = message.content or ()
            texts = [parts] if isinstance(parts, str) else [str(each.get("text") or "") for each in parts]
            question = "\n".join(filter(None, texts)).strip()
            if question:
                return question[:MAX_QUESTION]
    raise ModelError("no message of the user has a text", hint="The last one is the question to explore.")


def _used(context: ContextResult) -> tuple[int, int]:
    """Return the tokens that the exploration used, and those of the pack."""
    return (context.explored.tokens if context.explored is not None else 0), context.tokens


def _openai(text: str, context: ContextResult, *, stream: bool) -> Reply:
    asked, written = _used(context)
    usage = {"prompt_tokens": asked, "completion_tokens": written, "total_tokens": asked + written}
    head = {"id": context.bundle, "created": 0, "model": EXPLORE_MODEL}
    if not stream:
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        return json_reply({**head, "object": "chat.completion", "choices": [choice], "usage": usage})
    head["object"] = "chat.completion.chunk"
    first = {"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None}
    last = {"index": 0, "delta": {}, "finish_reason": "stop"}
    chunks = [{**head, "choices": [first]}, {**head, "choices": [last]}, {**head, "choices": [], "usage": usage}]
    return _stream([*(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks), "data: [DONE]\n\n"])


def _anthropic(text: str, context: ContextResult, *, stream: bool) -> Reply:
    asked, written = _used(context)
    message: dict[str, Any] = {"id": context.bundle, "type": "message", "role": "assistant", "model": EXPLORE_MODEL}
    end = {"stop_reason": "end_turn", "stop_sequence": None}
    if not stream:
        usage = {"input_tokens": asked, "output_tokens": written}
        return json_reply({**message, **end, "content": [{"type": "text", "text": text}], "usage": usage})
    begun = {**message, "content": [], "stop_reason": None, "stop_sequence": None}
    begun["usage"] = {"input_tokens": asked, "output_tokens": 0}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": begun},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": end, "usage": {"output_tokens": written}},
        {"type": "message_stop"},
    ]
    return _stream([f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events])


def _stream(events: list[str]) -> Reply:
    return Reply(200, "".join(events).encode(), _EVENTS)
