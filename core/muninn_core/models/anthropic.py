"""The Anthropic dialect, `POST /v1/messages`.

Fields and events: https://docs.anthropic.com/en/api/messages and /en/api/messages-streaming
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from muninn_core.config.model_settings import Route
from muninn_core.errors import ModelError
from muninn_core.model.value import encode_json
from muninn_core.models.openai import calls_of
from muninn_core.models.prompt import Answer, AnswerParts, Message, Prompt, ToolCall
from muninn_core.models.sse import events

PATH = "/v1/messages"
VERSION = "2023-06-01"


def headers(key: str) -> dict[str, str]:
    """Return the headers that carry the key and the version of the API."""
    return {"anthropic-version": VERSION, **({"x-api-key": key} if key else {})}


def encode(prompt: Prompt, route: Route) -> bytes:
    """Return the body of a streamed request."""
    body: dict[str, Any] = {
        "model": route.model,
        "max_tokens": route.max_output,
        "system": prompt.system,
        "messages": [_message(message) for message in prompt.messages],
        "stream": True,
    }
    if prompt.tools:
        body["tools"] = [
            {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}
            for tool in prompt.tools
        ]
    return encode_json(body)


def read(lines: Iterable[str], on_text: Callable[[str], None]) -> Answer:
    """Return the answer of a stream; `on_text` gets each part of its text. Raises ModelError."""
    parts = AnswerParts()
    ended = False
    for event in events(lines):
        match event.get("type"):
            case "error":
                raise ModelError(f"the model reports an error: {str(event.get('error'))[:500]}")
            case "message_start":
                message = event.get("message") or {}
                parts.facts["model"] = message.get("model", "")
                _usage(message.get("usage"), parts.facts)
            case "content_block_start":
                block = event.get("content_block") or {}
                if block.get("type") == "tool_use":
                    parts.call(event.get("index", 0)).update(id=block.get("id", ""), name=block.get("name", ""))
            case "content_block_delta":
                _delta(event, parts, on_text)
            case "message_delta":
                parts.facts["stop"] = (event.get("delta") or {}).get("stop_reason") or ""
                _usage(event.get("usage"), parts.facts)
            case "message_stop":
                ended = True
    if not ended:
        raise ModelError("the answer broke off before its end")
    return Answer(text="".join(parts.texts), calls=calls_of(parts), **parts.facts)


def of_message(message: dict[str, Any]) -> Answer:
    """Return the answer of a response that is not a stream. Raises KeyError or TypeError for another object."""
    blocks = message["content"]
    facts: dict[str, Any] = {"model": message.get("model", ""), "stop": message.get("stop_reason") or ""}
    _usage(message.get("usage"), facts)
    calls = [block for block in blocks if block["type"] == "tool_use"]
    return Answer(
        text="".join(block["text"] for block in blocks if block["type"] == "text"),
        calls=tuple(ToolCall(id=call["id"], name=call["name"], arguments=call["input"]) for call in calls),
        **facts,
    )


def _delta(event: dict[str, Any], parts: AnswerParts, on_text: Callable[[str], None]) -> None:
    delta = event.get("delta") or {}
    if isinstance(text := delta.get("text"), str) and delta.get("type") == "text_delta":
        parts.texts.append(text)
        on_text(text)
    elif delta.get("type") == "input_json_delta":
        parts.call(event.get("index", 0))["arguments"] += delta.get("partial_json") or ""


def _usage(usage: Any, facts: dict[str, Any]) -> None:
    """Note the tokens of an event. Those read from and written to a cache are not in `input_tokens`."""
    if not isinstance(usage, dict):
        return
    if usage.get("input_tokens") is not None:
        cached = usage.get("cache_read_input_tokens") or 0
        facts["tokens_in"] = usage["input_tokens"] + cached + (usage.get("cache_creation_input_tokens") or 0)
        facts["cached"] = cached
    if usage.get("output_tokens") is not None:
        facts["tokens_out"] = usage["output_tokens"]


def _message(message: Message) -> dict[str, Any]:
    if message.role == "tool":
        block = {"type": "tool_result", "tool_use_id": message.answers, "content": message.text}
        return {"role": "user", "content": [block]}
    blocks: list[dict[str, Any]] = [{"type": "text", "text": message.text}] if message.text else []
    blocks += [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments} for call in message.calls
    ]
    return {"role": message.role, "content": blocks}
