"""A scripted language model on loopback, in the OpenAI dialect, and a repository whose user has a route to it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import yaml

from bench.harness.served import Served

Json = dict[str, Any]


class Model:
    """The server, during its `with` block. `answer(body)` returns the text of an answer, which is sent as a stream.

    Each answer begins with a comment that has the clock at the request's arrival and at the first byte.
    """

    def __init__(self, answer: Callable[[Json], str]) -> None:
        self.answer = answer
        self.bodies: list[Json] = []
        bound = type("Bound", (_Handler,), {"model": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), bound)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def port(self) -> int:
        """Where it listens."""
        return self._server.server_port

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _at: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    model: Model
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_arguments: object) -> None:
        """Log nothing."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        arrived = time.monotonic_ns()
        self.model.bodies.append(body)
        text = self.model.answer(body)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self._chunk(f": {arrived} {time.monotonic_ns()}\n\n")
        for event in (_event(text, None), _event("", "stop")):
            self._chunk(f"data: {json.dumps(event)}\n\n")
        self._chunk("data: [DONE]\n\n")
        self.wfile.write(b"0\r\n\r\n")

    def _chunk(self, text: str) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(text.encode()), text.encode()))


def _event(text: str, stop: str | None) -> Json:
    choice = {"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": stop}
    usage = {"usage": {"prompt_tokens": 10, "completion_tokens": 5}} if stop else {}
    return {"id": "c1", "object": "chat.completion.chunk", "model": "scripted", "choices": [choice], **usage}


def configure(served: Served, model: Model, **use: Any) -> None:
    """Write the user's settings: the route `m` to the model, and what the repository uses it for."""
    home = Path(served.runtime) / "home"
    served.environ["HOME"] = str(home)
    file = home / ".config/muninn/config.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    route = {"dialect": "openai", "url": f"http://127.0.0.1:{model.port}", "model": "scripted", "max_output": 64}
    models = {"routes": {"m": route}, "budget": {"tokens_day": 10**9, "usd_day": 1}}
    file.write_text(yaml.safe_dump({"models": models, "repositories": {str(served.root): {"models": use}}}))
