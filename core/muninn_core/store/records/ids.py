"""Ids that sort by time: ULIDs in lower case.

Source: github.com/ulid/spec. 48 bits of milliseconds, 80 random bits, 26 characters of Crockford's base 32. Ids of one
process only grow: within a millisecond, or when the clock goes back, the last id is incremented.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from datetime import datetime

from muninn_core.store.records.timestamps import milliseconds, timestamp

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
ID_CHARS = 26
"""The length of an id."""

_RANDOM_BITS = 80
_RANDOM_BYTES = _RANDOM_BITS // 8


class UlidGenerator:
    """Each call returns the next id. Safe for several threads."""

    def __init__(self, clock: Callable[[], datetime], random_bytes: Callable[[int], bytes]) -> None:
        """`clock` returns an aware time; `random_bytes(n)` returns n random bytes, as `os.urandom` does."""
        self._clock = clock
        self._random_bytes = random_bytes
        self._lock = threading.Lock()
        self._last = 0

    def __call__(self) -> str:
        """Return a new id, greater than all before."""
        now = milliseconds(timestamp(self._clock())) << _RANDOM_BITS
        with self._lock:
            drawn = now | int.from_bytes(self._random_bytes(_RANDOM_BYTES), "big")
            same_or_earlier = now >> _RANDOM_BITS <= self._last >> _RANDOM_BITS
            self._last = self._last + 1 if same_or_earlier and self._last else drawn
            return _encode(self._last)


def derived_id(ts: str, content: bytes) -> str:
    """Return the id derived from a canonical time and the sha256 of `content`; the same on every machine."""
    random_bytes = hashlib.sha256(content).digest()[:_RANDOM_BYTES]
    return _encode(milliseconds(ts) << _RANDOM_BITS | int.from_bytes(random_bytes, "big"))


def _encode(number: int) -> str:
    return "".join(_ALPHABET[number >> shift & 31] for shift in range(125, -1, -5))
