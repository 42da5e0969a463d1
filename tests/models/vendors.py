"""The vendors' own clients in front of the gateway."""

from __future__ import annotations

import http.client
import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from backends import Backend
    from gateways import Served

openai = pytest.importorskip("openai")
anthropic = pytest.importorskip("anthropic")


def route(backend: Backend, dialect: str, **more: Any) -> dict[str, Any]:
    return {"dialect": dialect, "url": backend.url, "model": "scripted", "timeout_seconds": 300, **more}


def of_openai(gateway: Served, **more: Any) -> Any:
    return openai.OpenAI(base_url=f"{gateway.url}/v1", api_key=gateway.token, max_retries=0, **more)


def of_anthropic(gateway: Served, **more: Any) -> Any:
    return anthropic.Anthropic(base_url=gateway.url, api_key=gateway.token, max_retries=0, **more)


def ask(gateway: Served, dialect: str, text: str = "Hello?", model: str = "m", **more: Any) -> tuple[str, list[Any]]:
    """Ask with the vendor's client, streamed; return the text and the arguments of tool calls."""
    messages = more.pop("messages", [{"role": "user", "content": text}])
    if dialect == "anthropic":
        with of_anthropic(gateway) as client:
            with client.messages.stream(model=model, max_tokens=99, messages=messages, **more) as stream:
                whole = stream.get_final_message()
        texts = "".join(block.text for block in whole.content if block.type == "text")
        return texts, [block.input for block in whole.content if block.type == "tool_use"]
    texts, arguments = "", {}
    with of_openai(gateway) as client:
        for chunk in client.chat.completions.create(model=model, messages=messages, stream=True, **more):
            for choice in chunk.choices:
                texts += choice.delta.content or ""
                for call in choice.delta.tool_calls or ():
                    arguments[call.index] = arguments.get(call.index, "") + (call.function.arguments or "")
    return texts, [json.loads(each) for each in arguments.values()]


def post(gateway: Served, path: str, body: bytes, **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Send bytes; return status, headers and the raw body."""
    connection = http.client.HTTPConnection(gateway.url.removeprefix("http://"), timeout=60)
    given = {"Authorization": f"Bearer {gateway.token}", "Content-Type": "application/json", **headers}
    connection.request("POST", path, body, {name.replace("_", "-"): value for name, value in given.items()})
    answer = connection.getresponse()
    told = answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
    connection.close()
    return told
