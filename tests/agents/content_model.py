"""A language model that says what it is told to: the part of the Gemini API that Gemini CLI uses, on loopback.

A script is a list of turns, a turn a list of texts and tool calls. Requests without tools (what to call a conversation,
and the like) take no turn. Every request is kept for the test to read.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

Json = dict[str, Any]


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


class ContentModel:
    """The server; a context manager."""

    def __init__(self, script: Sequence[Turn]) -> None:
        self._turns = iter(script)
        self._lock = threading.Lock()
        self.requests: list[Request] = []
        handler = type("BoundHandler", (_Handler,), {"model": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> ContentModel:
        self._thread.start()
        return self

    def __exit__(self, *_exc: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def answer(self, body: Json) -> Json:
        """Take a request and return the model's message."""
        turn: Turn = ["{}"]
        if body.get("tools"):
            with self._lock:
                self.requests.append(Request(body))
                turn = next(self._turns, ["There is nothing left to say."])
        parts = [
            {"text": one} if isinstance(one, str) else {"functionCall": {"name": one.tool, "args": one.input}}
            for one in turn
        ]
        usage = {"promptTokenCount": 1000, "candidatesTokenCount": 10, "totalTokenCount": 1010}
        candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
        return {"candidates": [candidate], "usageMetadata": usage}


class _Handler(BaseHTTPRequestHandler):
    model: ClassVar[ContentModel]

    def log_message(self, *_arguments: object) -> None:
        """Say nothing: pytest shows what matters."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
        if ":countTokens" in self.path:
            self._send("application/json", json.dumps({"totalTokens": 100}).encode())
            return
        message = json.dumps(self.model.answer(body))
        if ":stream" in self.path:
            self._send("text/event-stream", f"data: {message}\r\n\r\n".encode())
        else:
            self._send("application/json", message.encode())

    def _send(self, kind: str, data: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
