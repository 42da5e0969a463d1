"""Frames and messages: JSON-RPC 2.0 with the LSP base protocol's header.

Source of the frame: Language Server Protocol 3.17, "Base Protocol". Every hook loads the module, so it imports
only `json`.
"""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

HELLO = "muninn/hello"
"""The first request of a connection: the client's version, its work tree, and the protocol of the bytes after it."""

PREFIX = "muninn/"
"""The prefix of a verb's JSON-RPC method: `muninn/<verb>`."""

STOPPING = "muninn/stopping"
"""The field of a tool's result, in `_meta`, which says that the daemon stops and did not run the tool."""

MAX_FRAME = 256 * 1024 * 1024
"""The most bytes of a body. Only responses may be so long."""

MAX_REQUEST = 16 * 1024 * 1024
"""The most bytes of a request. The daemon's event loop decodes it, and no other client is served meanwhile."""

MAX_VALUES = 1_000_000
"""The most values of a message. Each costs far more time and memory than a byte."""


def frame(message: dict[str, Any]) -> bytes:
    """Encode one message with its header."""
    body = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def request(number: int | str, method: str, params: dict[str, Any]) -> bytes:
    """Encode a request."""
    return frame({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


def content_length(header: bytes) -> int:
    """Return the length of the body in bytes, from the header block. Raises ValueError for an invalid header."""
    for line in header.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            length = int(value)
            if 0 <= length <= MAX_FRAME:
                return length
            raise ValueError(f"a message of {length} bytes is out of bounds")
    raise ValueError("a message without Content-Length")


def check_values(body: bytes, most: int = MAX_VALUES) -> None:
    """Raise ValueError for a body that may have more than `most` values; commas within texts count, too."""
    if len(body) > most and body.count(b",") + body.count(b"[") + body.count(b"{") > most:
        raise ValueError(f"a message of more than {most:,} values")


def loads(body: bytes) -> Any:
    """Decode a body. Raises ValueError for invalid or too deeply nested JSON, which includes `NaN`."""
    try:
        return json.loads(body, parse_constant=_refuse_constant)
    except RecursionError:
        raise ValueError("a message that is nested too deeply") from None


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def read(readline: Callable[[], bytes], readexactly: Callable[[int], bytes]) -> dict[str, Any] | None:
    """Read one message from a blocking stream; None at its end. Raises ValueError for a malformed message."""
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
