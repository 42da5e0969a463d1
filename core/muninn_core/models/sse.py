"""Server-sent events (WHATWG HTML, "Server-sent events") of model APIs: each event's data is one JSON object."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from muninn_core.errors import ModelError
from muninn_core.model.value import decode_json

DONE = "[DONE]"


def events(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Yield the objects of a stream. Raises ModelError for data that is not an object, or without any event."""
    data: list[str] = []
    seen = False
    for line in lines:  # an event without its empty line is incomplete, and is dropped as the standard says
        if line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif not line and data:
            text = "\n".join(data)
            data = []
            seen = True
            if text != DONE:
                yield decode_object(text, "an event of the stream")
    if not seen:
        raise ModelError(
            "the answer has no events",
            hint="The server must stream: the address may be that of another kind of server.",
        )


def decode_object(text: str, what: str) -> dict[str, Any]:
    """Return a JSON object. Raises ModelError that names `what` is malformed."""
    try:
        found = decode_json(text)
    except (ValueError, RecursionError):
        raise ModelError(f"{what} is not JSON") from None
    if not isinstance(found, dict):
        raise ModelError(f"{what} is not an object")
    return found
