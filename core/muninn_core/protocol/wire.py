"""Frames and messages: JSON-RPC 2.0 with the LSP base protocol's header.

Source of the frame: Language Server Protocol 3.17, "Base Protocol". The module is on the path of every hook, so it
imports only `json`.
"""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

HELLO = "muninn/hello"
"""The first request of every connection; it names the client's version, the face it wants and its work tree."""

PREFIX = "muninn/"
"""Verbs travel as `muninn/<verb>`."""

MAX_FRAME = 256 * 1024 * 1024
"""A longer body is refused: it is not ours."""


def frame(message: dict[str, Any]) -> bytes:
    """Encode one message with its header."""
    body = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def request(number: int | str, method: str, params: dict[str, Any]) -> bytes:
    """Encode a request."""
    return frame({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


def content_length(header: bytes) -> int:
    """Return the body's length that a header block announces. Raises ValueError for a header that is not ours."""
    for line in header.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            length = int(value)
            if 0 <= length <= MAX_FRAME:
                return length
            raise ValueError(f"a message of {length} bytes is out of bounds")
    raise ValueError("a message without Content-Length")


def loads(body: bytes) -> Any:
    """Decode a body. Raises ValueError for what is no JSON, and for JSON that is nested too deeply to be a message."""
    try:
        return json.loads(body)
    except RecursionError:
        raise ValueError("a message that is nested too deeply") from None


def read(readline: Callable[[], bytes], readexactly: Callable[[int], bytes]) -> dict[str, Any] | None:
    """Read one message from a blocking stream; None at its end. Raises ValueError on a malformed one."""
    header = b""
    while True:
        line = readline()
        if not line:
            if header:
                raise ValueError("the stream ended inside a header")
            return None
        if line in (b"\r\n", b"\n"):
            break
        header += line
        if len(header) > 8192:
            raise ValueError("a header of more than 8 KiB")
    length = content_length(header)
    body = readexactly(length)
    if len(body) < length:
        raise ValueError("the stream ended inside a message")
    message = loads(body)
    if not isinstance(message, dict):
        raise ValueError("a message that is not an object")
    return message
