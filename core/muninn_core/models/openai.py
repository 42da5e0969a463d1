"""The OpenAI dialect, `POST /v1/chat/completions`, which vLLM, Ollama, llama.cpp and LM Studio also serve.

Fields: https://platform.openai.com/docs/api-reference/chat
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from muninn_core.config.model_settings import Route
from muninn_core.errors import ModelError
from muninn_core.model.value import encode_json
from muninn_core.models.prompt import Answer, AnswerParts, Message, Prompt, ToolCall
from muninn_core.models.sse import decode_object, events

PATH = "/v1/chat/completions"


def headers(key: str) -> dict[str, str]:
    """Return the headers that carry the key, none for an empty one."""
    return {"authorization": f"Bearer {key}"} if key else {}


def encode(prompt: Prompt, route: Route) -> bytes:
    """Return the body of a streamed request."""
    body: dict[str, Any] = {
        "model": route.model,
        "messages": [{"role": "system", "content": prompt.system}, *map(_message, prompt.messages)],
        "max_tokens": route.max_output,
        "temperature": 0,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if prompt.tools:
        body["tools"] = [
            {"type": "function", "function": {"name": t.name, "description": t.description, "parameters": t.parameters}}
            for t in prompt.tools
        ]
    return encode_json(body)


def read(lines: Iterable[str], on_text: Callable[[str], None]) -> Answer:
    """Return the answer of a stream; `on_text` gets each part of its text. Raises ModelError."""
    parts = AnswerParts()
    facts = parts.facts
    for event in events(lines):
        if "error" in event:
            raise ModelError(f"the model reports an error: {_shown(event['error'])}")
        facts["model"] = event.get("model") or facts.get("model", "")
        _usage(event.get("usage"), facts)
        for choice in event.get("choices") or ():
            delta = choice.get("delta") or choice.get("message") or {}
            if isinstance(text := delta.get("content"), str) and text:
                parts.texts.append(text)
                on_text(text)
            for call in delta.get("tool_calls") or ():
                _add_call(parts, call)
            facts["stop"] = choice.get("finish_reason") or facts.get("stop", "")
    if not facts.get("stop"):
        raise ModelError("the answer broke off before its end")
    return Answer(text="".join(parts.texts), calls=calls_of(parts), **facts)


def calls_of(parts: AnswerParts) -> tuple[ToolCall, ...]:
    """Return the calls that were collected. Raises ModelError for arguments that are not a JSON object."""
    return tuple(
        ToolCall(
            id=call["id"],
            name=call["name"],
            arguments=decode_object(call["arguments"] or "{}", f"the arguments of the tool '{call['name']}'"),
        )
        for _, call in sorted(parts.calls.items())
    )


def _add_call(parts: AnswerParts, call: dict[str, Any]) -> None:
    known = parts.call(call.get("index", len(parts.calls)))
    function = call.get("function") or {}
    known["id"] = call.get("id") or known["id"]
    known["name"] = function.get("name") or known["name"]
    known["arguments"] += function.get("arguments") or ""


def _usage(usage: Any, facts: dict[str, Any]) -> None:
    if isinstance(usage, dict):
        facts["tokens_in"], facts["tokens_out"] = usage.get("prompt_tokens"), usage.get("completion_tokens")
        facts["cached"] = (usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0


def _message(message: Message) -> dict[str, Any]:
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.answers, "content": message.text}
    plain: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.calls:
        plain["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": encode_json(call.arguments).decode()},
            }
            for call in message.calls
        ]
    return plain


def _shown(error: Any) -> str:
    return str(error.get("message", error) if isinstance(error, dict) else error)[:500]
