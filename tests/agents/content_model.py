"""A scripted language model on loopback: the part of the Gemini API that Gemini CLI uses.

A script is a list of turns, a turn a list of texts and tool calls. Requests without tools (titles of conversations,
and the like) use no turn. Every request is kept for the test to read.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from bench.agent_models.loopback import Handler, Json, Loopback


@dataclass(frozen=True)
class Call:
    """A tool call of the model."""

    tool: str
    input: Json


Turn = Sequence[str | Call]


@dataclass(frozen=True)
class Request:
    """One request of the conversation."""

    body: Json

    @property
    def text(self) -> str:
        """All that the model reads: every message and every result of a tool."""
        parts = [part for content in self.body["contents"] for part in content["parts"]]
        results = [json.dumps(part["functionResponse"]) for part in parts if "functionResponse" in part]
        return "\n".join([part["text"] for part in parts if "text" in part] + results)

    @property
    def tools(self) -> list[str]:
        """The names of the tools that are offered."""
        return [one["name"] for tool in self.body["tools"] for one in tool.get("functionDeclarations", ())]


class ContentModel(Loopback):
    """The server; a context manager."""

    def __init__(self, script: Sequence[Turn]) -> None:
        self._turns = iter(script)
        self.requests: list[Request] = []
        super().__init__(_Handler)

    def answer(self, body: Json) -> Json:
        """Take a request and return the model's message."""
        turn: Turn = ["{}"]
        if body.get("tools"):
            with self.lock:
                self.requests.append(Request(body))
                turn = next(self._turns, ["There is nothing left to say."])
        parts = [
            {"text": one} if isinstance(one, str) else {"functionCall": {"name": one.tool, "args": one.input}}
            for one in turn
        ]
        usage = {"promptTokenCount": 1000, "candidatesTokenCount": 10, "totalTokenCount": 1010}
        candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
        return {"candidates": [candidate], "usageMetadata": usage}


class _Handler(Handler):
    model: ClassVar[ContentModel]

    def post(self, body: bytes) -> None:
        if ":countTokens" in self.path:
            self.send("application/json", {"totalTokens": 100})
            return
        message = self.model.answer(json.loads(body))
        if ":stream" in self.path:
            self.send("text/event-stream", f"data: {json.dumps(message)}\r\n\r\n")
        else:
            self.send("application/json", message)
