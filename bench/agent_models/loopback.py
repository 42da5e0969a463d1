"""An HTTP server on loopback for scripted models. It runs during its `with` block."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

Json = dict[str, Any]


class Handler(BaseHTTPRequestHandler):
    """Handles one request. Subclasses write the answers. Nothing is logged to stderr."""

    disable_nagle_algorithm = True
    """A small write that follows another one does not wait for the client's delayed acknowledgement."""

    def log_message(self, *_arguments: object) -> None:
        """Suppress the log line of a request."""

    def do_GET(self) -> None:
        self.get()

    def do_HEAD(self) -> None:
        self.get()

    def do_POST(self) -> None:
        self.post(self.rfile.read(int(self.headers.get("Content-Length") or 0)))

    def get(self) -> None:
        """Answer a GET, and a HEAD, whose body is left out: with nothing, unless a model has something there."""
        self.send("application/json", {}, 404)

    def post(self, body: bytes) -> None:
        """Answer a POST."""
        raise NotImplementedError

    def send(self, kind: str, said: Json | str, status: int = 200) -> None:
        """Answer with an object or a text."""
        data = (said if isinstance(said, str) else json.dumps(said)).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)


class Loopback:
    """The server. `handler` is made a class of its own that knows this object as `model`."""

    def __init__(self, handler: type[Handler]) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("BoundHandler", (handler,), {"model": self}))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self.lock = threading.Lock()
        """For who answers: requests come on threads of their own."""

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
