"""JSON-RPC 2.0 in LSP frames: the protocol of the command line, hooks and other programs."""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import threading
from typing import TYPE_CHECKING, Annotated, Any

from muninn_core.errors import BadParams, MuninnError, ParseError, RequestError, UnknownVerb
from muninn_core.model.value import Meta, Value, decode_json, encode_json
from muninn_core.near_match import did_you_mean, shorten
from muninn_core.protocol import wire
from muninn_core.protocol.catalogue import METHODS
from muninn_server.session import Session, error_of

if TYPE_CHECKING:
    from muninn_core.worktree.call_context import Progress
    from muninn_server.events.subscriptions import Subscriptions


SUBSCRIBING = ("muninn/subscribe", "muninn/unsubscribe")
"""Methods that are no verbs: their events follow as notifications."""

MAX_ID_CHARS = 1_000
"""The longest id of a request. Every response repeats it."""


class Unreadable(ValueError):
    """A body that is not JSON in a complete frame. The next frame can be read."""


async def read_message(reader: asyncio.StreamReader) -> Any:
    """Read one message. Raises EOFError at the end of the stream, ValueError for an invalid frame."""
    try:
        header = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        raise EOFError from None
    except asyncio.LimitOverrunError:
        raise ValueError("a header of more than 64 KiB") from None
    length = wire.content_length(header)
    try:
        if length > wire.MAX_REQUEST:
            await _skip(reader, length)
            raise Unreadable(f"a request of {length:,} bytes; the limit is {wire.MAX_REQUEST:,}")
        body = await reader.readexactly(length)
    except (asyncio.IncompleteReadError, ConnectionError):
        raise EOFError from None
    return decode_body(body)


def decode_body(body: bytes) -> Any:
    """Decode the JSON of a message. Raises Unreadable."""
    try:
        wire.check_values(body)
        try:
            return decode_json(body)  # five times as fast
        except (ValueError, RecursionError):
            return wire.loads(body)  # accepts lone surrogates, and describes what is wrong
    except ValueError as error:
        raise Unreadable(str(error)) from None


async def _skip(reader: asyncio.StreamReader, length: int) -> None:
    """Read and drop `length` bytes, so that the client finishes sending and reads the error."""
    while length > 0:
        piece = await reader.read(min(length, 1 << 20))
        if not piece:
            raise EOFError
        length -= len(piece)


def is_id(number: object) -> bool:
    """Whether a value may identify a request: a string or a finite number (JSON-RPC 2.0, section 4)."""
    if isinstance(number, str):
        return len(number) <= MAX_ID_CHARS
    return isinstance(number, int | float) and not isinstance(number, bool) and math.isfinite(number)


def error_frame(number: object, error: MuninnError) -> bytes:
    """Encode an error response."""
    return wire.frame({"jsonrpc": "2.0", "id": number, "error": error.to_plain()})


def result_frame(number: object, result: bytes) -> bytes:
    """Encode a response around a result that is already JSON."""
    body = b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (json.dumps(number).encode(), result)
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


class RpcConnection:
    """Serves one connection. Requests run concurrently and are answered as they finish."""

    tolerates_bad_json = False
    """Whether the connection survives a body that is not JSON. Otherwise closing it ends the wait of its client."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, session: Session) -> None:
        self._reader = reader
        self._writer = writer
        self._session = session
        self._running: dict[object, threading.Event] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._subscriptions: Subscriptions | None = None

    async def serve(self) -> None:
        """Serve until the client disconnects or sends an invalid frame, then cancel the running requests."""
        try:
            while True:
                try:
                    message = await read_message(self._reader)
                except ValueError as error:
                    self._send(error_frame(None, ParseError(f"not a message: {error}")))
                    if self.tolerates_bad_json and isinstance(error, Unreadable):
                        continue
                    return
                self._take(message)
                await self._writer.drain()
        except (EOFError, ConnectionError):
            return
        finally:
            for cancelled in self._running.values():
                cancelled.set()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            if self._subscriptions is not None:
                await self._subscriptions.close()

    def _take(self, message: Any) -> None:
        if not isinstance(message, dict) or not isinstance(message.get("method"), str):
            bad = RequestError("a request is an object with 'method' and, to get a response, 'id'")
            given = message.get("id") if isinstance(message, dict) else None
            self._send(error_frame(given if is_id(given) else None, bad))
            return
        method, params, number = message["method"], message.get("params"), message.get("id")
        if method == "$/cancelRequest":
            wanted = params.get("id") if isinstance(params, dict) else None
            event = self._running.get(wanted) if is_id(wanted) else None
            if event is not None:
                event.set()
            return
        if "id" not in message:
            return  # an unknown notification: JSON-RPC has no response to it
        if not is_id(number):
            what = f"a request's 'id' is a number or a string of at most {MAX_ID_CHARS:,} characters"
            self._send(error_frame(None, RequestError(what)))
            return
        if number in self._running:  # else neither could be cancelled alone
            hint = "Give each request an 'id' of its own."
            self._send(error_frame(number, RequestError("a request with this 'id' is not answered yet", hint=hint)))
            return
        cancelled = self._running[number] = (
            threading.Event()
        )  # set before the task starts: the next message may cancel it
        task = asyncio.get_running_loop().create_task(self._answer(number, method, params, cancelled))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _answer(self, number: object, method: str, params: Any, cancelled: threading.Event) -> None:
        try:
            if method in SUBSCRIBING:
                await self._subscribed().answer(method, params, lambda result: self._send(result_frame(number, result)))
                return
            verb = verb_of(method)
            token = params.pop("workDoneToken", None) if isinstance(params, dict) else None
            progress = None if token is None else lambda value: self._progress(token, value)
            result = await self._session.call(verb, params, encode_json, progress=progress, cancelled=cancelled)
            self._send(result_frame(number, result))
        except Exception as error:  # every failure is a response; error_of logs what is unexpected
            self._send(error_frame(number, error_of(error, method)))
        finally:
            self._running.pop(number, None)
            with contextlib.suppress(ConnectionError):
                await self._writer.drain()

    def _progress(self, token: object, value: Progress) -> None:
        params = {"token": token, "value": value.to_lsp()}
        self._send(wire.frame({"jsonrpc": "2.0", "method": "$/progress", "params": params}))

    def _subscribed(self) -> Subscriptions:
        if self._subscriptions is None:
            from muninn_server.events.subscriptions import Subscriptions

            self._subscriptions = Subscriptions(self._session, self._write)
        return self._subscriptions

    async def _write(self, data: bytes) -> None:
        self._send(data)
        await self._writer.drain()

    def _send(self, data: bytes) -> None:
        if not self._writer.is_closing():
            self._writer.write(data)


def verb_of(method: str) -> str:
    """Return the verb of a JSON-RPC method name. Raises UnknownVerb with the nearest name."""
    if method.startswith(wire.PREFIX):
        return method[len(wire.PREFIX) :]
    raise UnknownVerb(
        f"there is no method '{shorten(method)}'",
        hint=did_you_mean(method, [known.name for known in METHODS.values()], "Methods are named muninn/<verb>."),
    )


class Hello(Value):
    """The first request of a connection. `face` is the protocol that follows.

    `tools` are the tool sets that an MCP client requests. For HTTP, `port` is the port to listen on (0 for any), and
    `secret` the bearer token that requests must carry. For the page, `page` is the secret that its link and its cookie
    come from; the link works unless `linked` says that an earlier daemon sent it already.
    """

    version: str
    root: str
    identity: str
    face: str = "rpc"
    client: str = ""
    pid: int = 0
    token: str = ""
    tools: tuple[str, ...] = ()
    port: Annotated[int, Meta(ge=0, le=65535)] = 0
    secret: str = ""
    page: str = ""
    linked: bool = False


def decode_hello(message: Any) -> tuple[object, Hello]:
    """Return the id and the value of a connection's first message. Raises BadParams for any other message."""
    from muninn_core.model.value import ValidationError, from_plain

    number = message.get("id") if isinstance(message, dict) else None
    if not isinstance(message, dict) or message.get("method") != wire.HELLO or number is None:
        raise BadParams(f"the first request of a connection is {wire.HELLO}")
    try:
        return number, from_plain(message.get("params"), Hello)
    except ValidationError as error:
        raise BadParams(f"{wire.HELLO}: {error}") from None
