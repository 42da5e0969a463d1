"""`muninn mcp`: passes messages between an agent and the daemon, and stays when the daemon does not.

An agent starts its MCP servers once, and does not start one again that has ended. So when the daemon is gone (killed,
stopped, or replaced after an upgrade), the next message starts another daemon. The proxy repeats there what makes the
connection: the handshake of revisions up to 2025-11-25, and subscriptions. It sends requests again that were under way
and change nothing, such as calls of tools that the daemon declares to be read-only, and answers the others itself.
"""

from __future__ import annotations

import json
import os
from threading import Condition, Lock, Thread

from muninn_core.errors import MuninnError
from muninn_core.protocol import wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator
    from typing import Any, BinaryIO

    Connect = Callable[[bool], tuple[socket.socket, BinaryIO]]
    """Connects to the daemon and starts it when needed. The argument says that it is not the first time."""

CHUNK = 65536
"""The most bytes that are read at once."""

MAX_TRIES = 2
"""How often a request is sent that may be repeated. One that ends each daemon must not do so for ever."""

REPEATED = "muninn-repeated"
"""The beginning of the ids of requests that the proxy repeats, whose answers the agent does not get."""

LOST = (
    "the connection to Muninn's daemon broke during this call\n"
    "Call again: a new daemon answers. What stores or changes may be done already: look with `memories` first."
)


class _Request:
    """A request of the agent that is not answered. `connection` is the number of the connection that it was sent on.

    `line` is empty if the request must not be sent again.
    """

    __slots__ = ("connection", "line", "method", "number", "tries")

    def __init__(self, number: Any, method: str, line: bytes) -> None:
        self.number = number
        self.method = method
        self.line = line
        self.connection = 0
        self.tries = 0


class McpProxy:
    """Passes lines both ways until the agent leaves. One thread reads the agent, another one the daemon."""

    def __init__(self, connect: Connect, source: int, target: int) -> None:
        self._connect = connect
        self._source = source
        self._target = target
        self._writing = Lock()
        self._state = Condition()  # of all that follows
        self._socket: socket.socket | None = None  # None: the next line opens another connection
        self._reading: tuple[int, socket.socket, BinaryIO] | None = None
        self._connection = 0
        self._ended = False
        self._requests: dict[str, _Request] = {}
        self._handshake: list[bytes] = []
        self._read_only: set[str] = set()  # names of tools
        self._subscriptions: dict[str, bytes] = {}

    def run(self) -> None:
        """Serve until the agent leaves. Raises MuninnError when the first connection fails."""
        with self._state:
            self._open()
        Thread(target=self._send_all, daemon=True).start()
        try:
            while (reading := self._wait_for_connection()) is not None:
                connection, sock, stream = reading
                self._receive_all(stream)
                sock.close()
                self._handle_lost_connection(connection)
        except OSError:
            pass  # the agent has left

    # --- from the agent to the daemon ---

    def _send_all(self) -> None:
        try:
            for line in self._lines():
                self._send(line, self._note(line))
        except OSError:
            pass  # the agent has left
        finally:
            with self._state:
                self._ended = True
                if self._socket is not None:
                    _shut(self._socket)  # the sending side alone, so responses still arrive
                self._state.notify_all()

    def _lines(self) -> Iterator[bytes]:
        """Yield the agent's lines with their ends. The daemon refuses a longer one, and no more are read then."""
        pieces: list[bytes] = []
        size = 0
        while size <= wire.MAX_REQUEST and (data := os.read(self._source, CHUNK)):
            *whole, rest = data.split(b"\n")
            for line in whole:
                yield b"".join((*pieces, line, b"\n"))
                pieces, size = [], 0
            pieces.append(rest)
            size += len(rest)
        if size:
            yield b"".join(pieces)

    def _note(self, line: bytes) -> _Request | None:
        """Keep what is needed if the daemon is gone before it answers. Returns the request of the line."""
        message = _message(line)
        method, number = message.get("method"), message.get("id")
        if not isinstance(method, str):
            return None
        params = message.get("params")
        params = params if isinstance(params, dict) else {}
        with self._state:
            if method == "notifications/cancelled":
                self._requests.pop(_key(params.get("requestId")), None)
            if method in ("initialize", "notifications/initialized"):
                self._handshake = [line] if method == "initialize" else [*self._handshake[:1], line]
            if method == "resources/subscribe":
                self._subscriptions[str(params.get("uri"))] = line
            if method == "resources/unsubscribe":
                self._subscriptions.pop(str(params.get("uri")), None)
            if number is None:
                return None
            repeatable = method != "tools/call" or params.get("name") in self._read_only
            request = self._requests[_key(number)] = _Request(number, method, line if repeatable else b"")
            return request

    def _send(self, line: bytes, request: _Request | None) -> None:
        """Send a line; on a new connection if there is none or it breaks."""
        while True:
            with self._state:
                try:
                    sock = self._socket or self._open()
                except MuninnError as error:
                    if request is not None:
                        self._refuse(request, f"{error.message}\n{error.hint}".rstrip())
                    return
                if request is not None:
                    if _key(request.number) not in self._requests:
                        return  # answered when the connection was lost
                    request.connection = self._connection
                connection = self._connection
            try:
                sock.sendall(line)
                return
            except OSError:  # the line has not arrived as a whole
                with self._state:
                    if self._socket is sock:
                        self._socket = None
                    if request is not None and request.connection != connection:
                        return  # it is answered or sent again already

    # --- from the daemon to the agent ---

    def _wait_for_connection(self) -> tuple[int, socket.socket, BinaryIO] | None:
        """Return the connection to read, and wait for one. None when the agent has left."""
        with self._state:
            while self._reading is None and not self._ended:
                self._state.wait()
            return self._reading

    def _receive_all(self, stream: BinaryIO) -> None:
        """Passes lines on until the connection ends."""
        while True:
            try:
                line = stream.readline()
            except (OSError, ValueError):
                return
            if not line.endswith(b"\n"):
                return  # nothing, or the beginning of a message
            message = _message(line)
            if "id" in message and "method" not in message:
                with self._state:
                    request = self._requests.pop(_key(message["id"]), None)
                    if request is not None and request.line and _is_refused(message):
                        self._requests[_key(message["id"])] = request  # the next daemon gets it
                        continue
                    if request is not None and request.method == "tools/list":
                        self._read_only.update(_read_only(message))
                if str(message["id"]).startswith(REPEATED):
                    continue
            self._write(line)

    def _handle_lost_connection(self, connection: int) -> None:
        """Answer the calls that were under way, and send again what may be repeated."""
        with self._state:
            if self._connection == connection:
                self._socket = self._reading = None
            if self._ended:
                return
            again = False
            for request in list(self._requests.values()):
                if request.connection != connection:
                    continue
                request.tries += 1
                if not request.line or request.tries >= MAX_TRIES:
                    self._refuse(request, LOST)
                    continue
                request.connection = 0
                again = again or request.method != "subscriptions/listen"  # waits for no answer
            if again and self._socket is None:
                try:
                    self._open()
                except MuninnError as error:
                    for request in [each for each in self._requests.values() if not each.connection]:
                        self._refuse(request, f"{error.message}\n{error.hint}".rstrip())

    # --- connections; the caller holds the lock ---

    def _open(self) -> socket.socket:
        """Connect, and repeat what makes the connection and what was not answered. Raises MuninnError."""
        repeated = self._connection > 0
        sock, stream = self._connect(repeated)
        self._connection += 1
        self._socket, self._reading = sock, (self._connection, sock, stream)
        try:
            if repeated:
                self._repeat(sock, stream)
        except (OSError, ValueError):
            pass  # the reading thread sees the end of the stream
        self._state.notify_all()
        return sock

    def _repeat(self, sock: socket.socket, stream: BinaryIO) -> None:
        waiting = {request.method for request in self._requests.values()}
        if self._handshake and "initialize" not in waiting:
            opening, *initialized = self._handshake
            sock.sendall(_renamed(opening, f"{REPEATED}-0"))
            while (line := stream.readline()) and "id" not in _message(line):
                pass
            sock.sendall(b"".join(initialized))
        for number, line in enumerate(self._subscriptions.values(), 1):
            sock.sendall(_renamed(line, f"{REPEATED}-{number}"))
        for request in self._requests.values():
            if request.tries and not request.connection:
                request.connection = self._connection
                sock.sendall(request.line)

    def _refuse(self, request: _Request, text: str) -> None:
        """Answer a request in the daemon's place. A model reads the error of a tool, and none of the protocol."""
        self._requests.pop(_key(request.number), None)
        answer: dict[str, Any] = {"jsonrpc": "2.0", "id": request.number}
        if request.method == "tools/call":
            answer["result"] = {"content": [{"type": "text", "text": text}], "isError": True}
            if not self._handshake:
                answer["result"]["resultType"] = "complete"
        else:
            answer["error"] = {"code": -32603, "message": text.replace("\n", ". ")}
        self._write(json.dumps(answer).encode() + b"\n")

    def _write(self, data: bytes) -> None:
        with self._writing:
            view = memoryview(data)
            while view:
                view = view[os.write(self._target, view) :]


def _message(line: bytes) -> dict[str, Any]:
    """Return the message of a line, {} if it is none."""
    try:
        wire.check_values(line)
        message = wire.loads(line)
    except ValueError:
        return {}
    return message if isinstance(message, dict) else {}


def _read_only(message: dict[str, Any]) -> Iterator[str]:
    """Yield the names of the tools in an answer to `tools/list` that change nothing."""
    result = message.get("result")
    for tool in result.get("tools", ()) if isinstance(result, dict) else ():
        if tool.get("annotations", {}).get("readOnlyHint") is True:
            yield tool["name"]


def _is_refused(message: dict[str, Any]) -> bool:
    """Whether an answer says that the daemon stops and did not run a tool."""
    result = message.get("result")
    meta = result.get("_meta") if isinstance(result, dict) else None
    return isinstance(meta, dict) and meta.get(wire.STOPPING) is True


def _key(number: Any) -> str:
    """Return the key of an id: 1 and "1" are two."""
    return json.dumps(number)


def _renamed(line: bytes, number: str) -> bytes:
    return json.dumps({**_message(line), "id": number}).encode() + b"\n"


def _shut(sock: socket.socket) -> None:
    try:
        sock.shutdown(1)
    except OSError:
        pass  # the daemon is gone
