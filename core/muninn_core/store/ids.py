"""Ids that sort by time: ULIDs in lower case, from a clock and a source of chance that are handed in.

The layout is that of the ULID specification (github.com/ulid/spec): 48 bits of milliseconds, 80 bits of chance,
26 characters of Crockford's base 32. Within one process ids only grow: in the same millisecond, or when the clock
steps back, the 80 bits count up.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from datetime import datetime

from muninn_core.store.stamp import milliseconds, timestamp

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_CHANCE_BITS = 80
_CHANCE_BYTES = _CHANCE_BITS // 8


class Ids:
    """Calling it gives the next id. Safe to call from several threads."""

    def __init__(self, clock: Callable[[], datetime], chance: Callable[[int], bytes]) -> None:
        """`clock` gives an aware time; `chance(n)` gives n random bytes, such as `os.urandom`."""
        self._clock = clock
        self._chance = chance
        self._lock = threading.Lock()
        self._last = 0

    def __call__(self) -> str:
        """Return a new id, greater than every one before."""
        now = milliseconds(timestamp(self._clock())) << _CHANCE_BITS
        with self._lock:
            fresh = now | int.from_bytes(self._chance(_CHANCE_BYTES), "big")
            same_or_earlier = now >> _CHANCE_BITS <= self._last >> _CHANCE_BITS
            self._last = self._last + 1 if same_or_earlier and self._last else fresh
            return _encode(self._last)


def derived_id(ts: str, content: bytes) -> str:
    """Return the id that follows from a canonical time and some bytes: the same on every machine."""
    chance = hashlib.sha256(content).digest()[:_CHANCE_BYTES]
    return _encode(milliseconds(ts) << _CHANCE_BITS | int.from_bytes(chance, "big"))


def _encode(number: int) -> str:
    return "".join(_ALPHABET[number >> shift & 31] for shift in range(125, -1, -5))
