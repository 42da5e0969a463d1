"""The HTTP API for tests: how to run it, requests with and without the token, and a reader of its event stream."""

from __future__ import annotations

import contextlib
import http.client
import json
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from interrupts import interruptible
from repositories import MUNINN, PATIENCE


class Answer(NamedTuple):
    """A response."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Message(NamedTuple):
    """A message of the event stream."""

    kind: str
    identity: str
    data: Any


class Stream:
    """Reads Server-Sent Events by the HTML standard's rules, from a socket."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        response = http.client.HTTPResponse(sock)
        response.begin()
        self.response = response
        self.identity = ""

    def next(self, kind: str = "") -> Message:
        """Return the next message, of this kind if one is given. Raises EOFError at the end."""
        while True:
            message = self._one()
            if message.data is not None and kind in ("", message.kind):
                return message

    def line(self) -> str:
        line = self.response.readline()
        if not line:
            raise EOFError
        return line.decode().rstrip("\n")

    def _one(self) -> Message:
        kind, data = "message", None
        while line := self.line():
            name, _, value = line.partition(": ")
            if name == "event":
                kind = value
            if name == "data":
                data = json.loads(value)
            if name == "id":
                self.identity = value
        return Message(kind, self.identity, data)

    def close(self) -> None:
        self.response.close()
        self.sock.close()


class Api(NamedTuple):
    """A repository whose API is served: where, and the token."""

    repo: Path
    environ: dict[str, str]
    port: int
    token: str

    def request(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """Send a request with the token and JSON, unless headers say otherwise; an empty header is left out."""
        given = {"Authorization": f"Bearer {self.token}", "Host": f"127.0.0.1:{self.port}"}
        if body is not None:
            given["Content-Type"] = "application/json"
        given = {**given, **{name.replace("_", "-"): value for name, value in headers.items()}}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        connection.request(method, path, data, {name: value for name, value in given.items() if value})
        response = connection.getresponse()
        found = Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
        connection.close()
        return found

    def rpc(self, verb: str, params: Any = None, number: Any = 1, **headers: str) -> Any:
        """Call a verb and return the JSON-RPC response."""
        body = {"jsonrpc": "2.0", "id": number, "method": f"muninn/{verb}", "params": params or {}}
        return self.request("POST", "/rpc", body, **headers).json

    def emit(self, event_type: str, **payload: Any) -> Any:
        """Append an event, and return it."""
        answer = self.request("POST", "/events/emit", {"event_type": event_type, "payload": payload})
        assert answer.status == 202, answer.body
        return answer.json["event"]

    @contextlib.contextmanager
    def events(self, query: str = "", last: str = "", buffer: int = 0) -> Iterator[Stream]:
        """Open the event stream. `buffer` is the size of the client's receive buffer in bytes, 0 for the default."""
        with streaming(self.port, f"/events{query}", f"Authorization: Bearer {self.token}", last, buffer) as stream:
            yield stream


@contextlib.contextmanager
def streaming(port: int, path: str, access: str, last: str = "", buffer: int = 0) -> Iterator[Stream]:
    """Open a stream of a port with a header that gives access."""
    sock = socket.socket()
    if buffer:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    sock.settimeout(PATIENCE)
    sock.connect(("127.0.0.1", port))
    head = [f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", access]
    head += [f"Last-Event-ID: {last}"] if last else []
    sock.sendall("\r\n".join([*head, "", ""]).encode())
    stream = Stream(sock)
    try:
        yield stream
    finally:
        stream.close()


@contextlib.contextmanager
def serving(repo: Path, environ: dict[str, str], *options: str) -> Iterator[tuple[subprocess.Popen[str], Api]]:
    """Run `muninn http`; return the process and its API."""
    command = [MUNINN, "http", "--repo", str(repo), *options]
    with interruptible():
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environ)
    with process:
        assert process.stdout is not None
        said = process.stdout.readline()
        assert "http://127.0.0.1:" in said, said
        port = int(said.strip().rpartition(":")[2])
        try:
            yield process, Api(repo, environ, port, token_of(repo, environ))
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(PATIENCE)


def token_of(repo: Path, environ: dict[str, str]) -> str:
    """Return the token that `--print-header` prints."""
    command = [MUNINN, "http", "--print-header", "--repo", str(repo)]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=True, timeout=PATIENCE)
    return done.stdout.strip().removeprefix("Authorization: Bearer ")
