"""A scripted language model on loopback: the part of the Messages API that Claude Code uses.

A script is a list of turns. A turn is a list of texts and tool calls, or a function that makes one from the request.
Only requests of the conversation itself take turns; requests for a summary and asides (titles and the like) have fixed
answers. Every request is stored for the caller to read.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from bench.agent_models.loopback import Handler, Json, Loopback

Kind = Literal["turn", "summary", "aside"]

SUMMARY = "<summary>The user and the assistant worked on the demo.</summary>"
"""The model's summary of any conversation. It contains no decision of the conversation."""


@dataclass(frozen=True)
class Call:
    """A tool call of the model."""

    tool: str
    input: Json


Turn = Sequence[str | Call]


@dataclass(frozen=True)
class Request:
    """One request and its purpose."""

    kind: Kind
    body: Json

    @property
    def text(self) -> str:
        """All that the model reads: the system prompt and every message, tool results included."""
        parts = [self.body.get("system") or ""]
        parts += [message.get("content") or "" for message in self.body["messages"]]
        return "\n".join(text_of(part) for part in parts)

    @property
    def tools(self) -> list[str]:
        """The names of the tools that are offered."""
        return [tool["name"] for tool in self.body.get("tools", [])]


def text_of(content: Any) -> str:
    """Return all text of a message's content."""
    if isinstance(content, str):
        return content
    return "\n".join(
        block["text"] if block["type"] == "text" else text_of(block.get("content") or "")
        for block in content
        if block["type"] in ("text", "tool_result")
    )


class ScriptedModel(Loopback):
    """The server; a context manager. `input_tokens` says how full the context shall seem, given the request."""

    def __init__(
        self,
        script: Sequence[Turn | Callable[[Request], Turn]],
        input_tokens: Callable[[Request], int] | None = None,
    ) -> None:
        self._turns = iter(script)
        self._tokens = input_tokens or (lambda request: len(json.dumps(request.body)) // 4)
        self._numbers = itertools.count(1)
        self.requests: list[Request] = []
        super().__init__(_Handler)

    def of(self, kind: Kind) -> list[Request]:
        """Return the requests of one kind, in order."""
        return [request for request in self.requests if request.kind == kind]

    def answer(self, body: Json) -> Json:
        """Take a request and return the model's message."""
        request = Request(_kind(body), body)
        with self.lock:
            self.requests.append(request)
            turn = self._turn(request)
            blocks = [self._block(part) for part in turn]
            number = next(self._numbers)
        calls = any(block["type"] == "tool_use" for block in blocks)
        return {
            "id": f"msg_{number:08}",
            "type": "message",
            "role": "assistant",
            "model": body.get("model", ""),
            "content": blocks,
            "stop_reason": "tool_use" if calls else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": self._tokens(request), "output_tokens": 10},
        }

    def _turn(self, request: Request) -> Turn:
        if request.kind == "turn":
            turn = next(self._turns, ["There is nothing left to say."])
            return turn(request) if callable(turn) else turn
        return [SUMMARY] if request.kind == "summary" else ["Fine."]

    def _block(self, part: str | Call) -> Json:
        if isinstance(part, str):
            return {"type": "text", "text": part}
        return {"type": "tool_use", "id": f"toolu_{next(self._numbers):08}", "name": part.tool, "input": part.input}


def _kind(body: Json) -> Kind:
    asked = next(one for one in reversed(body["messages"]) if one["role"] == "user")  # hooks' notes may stand behind it
    if "detailed summary" in text_of(asked.get("content") or ""):
        return "summary"
    return "turn" if body.get("tools") else "aside"


def _events(message: Json) -> Iterator[Json]:
    """Return a finished message as the events of a stream."""
    yield {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            empty, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            given = json.dumps(block["input"])
            empty, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": given}
        yield {"type": "content_block_start", "index": index, "content_block": empty}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    end = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": end, "usage": message["usage"]}
    yield {"type": "message_stop"}


class _Handler(Handler):
    model: ClassVar[ScriptedModel]

    def post(self, body: bytes) -> None:
        path = self.path.partition("?")[0]
        if path == "/v1/messages/count_tokens":
            self.send("application/json", {"input_tokens": len(body) // 4})
        elif path == "/v1/messages":
            asked = json.loads(body)
            message = self.model.answer(asked)
            if asked.get("stream"):
                stream = "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in _events(message))
                self.send("text/event-stream", stream)
            else:
                self.send("application/json", message)
        else:
            self.send("application/json", {}, 404)
