"""Payloads of events: the one JSON text of a value, and the values that are refused.

The canonical text has sorted keys, no white space, and UTF-8 without escapes that JSON does not require. Equal values
have equal texts, so that a hash stands for the payload.
"""

from __future__ import annotations

import hashlib
import json
import math
from typing import Any

from muninn_core.errors import BadParams

MAX_BYTES = 16 * 1024 * 1024
"""The most bytes of a payload."""

INLINE_BYTES = 64 * 1024
"""The most bytes of a payload that is stored in the database. A longer one gets a file of its own."""

MAX_DEPTH = 64
"""The most arrays and objects within each other."""

_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")).encode


def canonical(payload: Any) -> bytes:
    """Return the canonical JSON of a payload.

    Raises BadParams, which names the place, for NaN and infinity, keys that are no texts, lone surrogates, values that
    JSON does not have, nesting beyond `MAX_DEPTH` and texts beyond `MAX_BYTES`.
    """
    problem = _first_problem(payload)
    if problem:
        raise BadParams(f"the payload can't be recorded: {problem}", hint="Correct the payload; nothing was recorded.")
    text = _encode(payload).encode("utf-8")
    if len(text) > MAX_BYTES:
        raise BadParams(
            f"the payload has {len(text):,} bytes, more than the limit of {MAX_BYTES:,} bytes",
            hint="Store the content in a file and record its path and hash; nothing was recorded.",
            data={"limit": MAX_BYTES, "bytes": len(text)},
        )
    return text


def digest(text: bytes) -> str:
    """Return the sha256 of a canonical payload in hex."""
    return hashlib.sha256(text).hexdigest()


def _first_problem(payload: Any) -> str:
    """Return what is wrong in a payload and where, "" when nothing is."""
    waiting: list[tuple[Any, str, int]] = [(payload, "payload", 1)]
    while waiting:
        value, place, depth = waiting.pop()
        if isinstance(value, str):
            if not value.isascii() and _has_surrogate(value):
                return f"{place} has a lone surrogate, which UTF-8 can't encode"
        elif isinstance(value, dict | list | tuple):
            if depth > MAX_DEPTH:
                return f"it is nested deeper than the limit of {MAX_DEPTH}"
            if isinstance(value, dict):
                for name, item in value.items():
                    if not isinstance(name, str):
                        return f"{place} has the key {name!r}, which is no text"
                    if not name.isascii() and _has_surrogate(name):
                        return f"a key of {place} has a lone surrogate, which UTF-8 can't encode"
                    waiting.append((item, f"{place}.{name}", depth + 1))
            else:
                waiting += [(item, f"{place}[{number}]", depth + 1) for number, item in enumerate(value)]
        elif isinstance(value, float):
            if not math.isfinite(value):
                return f"{place} is {value}, which JSON does not have"
        elif value is not None and not isinstance(value, int):
            return f"{place} is a {type(value).__name__}, which JSON does not have"
    return ""


def _has_surrogate(text: str) -> bool:
    return any("\ud800" <= char <= "\udfff" for char in text)
