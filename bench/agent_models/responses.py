"""A scripted language model on loopback: the part of the Responses API that Codex uses.

A script is a list of turns. A turn is a list of texts and tool calls, or a function that makes one from the request. A
request for a summary has a fixed answer and takes no turn. Every request is stored for the caller to read.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from bench.agent_models.loopback import Handler, Json, Loopback
from bench.agent_models.messages import SUMMARY


@dataclass(frozen=True)
class Call:
    """A tool call of the model; tools of an MCP server have its name as `space`."""

    tool: str
    input: Json
    space: str = ""


Turn = Sequence[str | Call]


@dataclass(frozen=True)
class Request:
    """One request of Codex."""

    body: Json

    @property
    def text(self) -> str:
        """All that the model reads: the instructions, every message and every result of a tool."""
        parts = [self.body.get("instructions") or ""]
        for item in self.body["input"]:
            parts += _texts(item.get("content")) + _texts(item.get("output"))
        return "\n".join(parts)

    @property
    def is_summary(self) -> bool:
        """Whether a summary of the conversation is wanted."""
        last = self.body["input"][-1]
        return last.get("role") == "user" and "CONTEXT CHECKPOINT COMPACTION" in "\n".join(_texts(last["content"]))

    def said_by(self, role: str) -> str:
        """Return all messages of one role."""
        return "\n".join(
            text for item in self.body["input"] if item.get("role") == role for text in _texts(item.get("content"))
        )


def _texts(content: Any) -> list[str]:
    if isinstance(content, str):
        return [content]
    return [block["text"] for block in content or () if "text" in block]


class ResponsesModel(Loopback):
    """The server; a context manager. `input_tokens` says how full the context shall seem, given the request."""

    def __init__(
        self,
        script: Sequence[Turn | Callable[[Request], Turn]],
        input_tokens: Callable[[Request], int] = lambda _request: 1000,
    ) -> None:
        self._turns = iter(script)
        self._tokens = input_tokens
        self._numbers = itertools.count(1)
        self.requests: list[Request] = []
        super().__init__(_Handler)

    def events(self, body: Json) -> Iterator[Json]:
        """Take a request and return the answer as the events of a stream."""
        request = Request(body)
        with self.lock:
            self.requests.append(request)
            items = [self._item(part) for part in self._turn(request)]
            number = f"resp_{next(self._numbers):08}"
        yield {"type": "response.created", "response": {"id": number}}
        for index, item in enumerate(items):
            yield {"type": "response.output_item.done", "output_index": index, "item": item}
        given = self._tokens(request)
        tokens = {"input_tokens": given, "output_tokens": 10, "total_tokens": given + 10}
        details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
        yield {"type": "response.completed", "response": {"id": number, "usage": {**tokens, **details}}}

    def _turn(self, request: Request) -> Turn:
        if request.is_summary:
            return [SUMMARY]
        turn = next(self._turns, ["There is nothing left to say."])
        return turn(request) if callable(turn) else turn

    def _item(self, part: str | Call) -> Json:
        number = next(self._numbers)
        if isinstance(part, str):
            content = [{"type": "output_text", "text": part}]
            return {"type": "message", "role": "assistant", "id": f"msg_{number:08}", "content": content}
        space = {"namespace": part.space} if part.space else {}
        return {
            "type": "function_call",
            "id": f"fc_{number:08}",
            "call_id": f"call_{number:08}",
            "name": part.tool,
            "arguments": json.dumps(part.input),
            **space,
        }


class _Handler(Handler):
    model: ClassVar[ResponsesModel]

    def get(self) -> None:
        self.send("application/json", {"object": "list", "data": [], "models": []})

    def post(self, body: bytes) -> None:
        events = self.model.events(json.loads(body))
        self.send("text/event-stream", "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events))
