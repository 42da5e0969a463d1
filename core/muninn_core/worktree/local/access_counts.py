"""How often memories were part of an answer on this machine. People see the counts; ranking does not use them.

The counts are kept in memory and written from time to time to `.muninn/local`. Losing them is harmless.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable
from pathlib import Path

from muninn_core.errors import MuninnError
from muninn_core.model.value import decode_json, encode_json
from muninn_core.protocol.families.inspection import Access
from muninn_core.store.files.disk import write_atomic

log = logging.getLogger("muninn.accesses")

MAX_MEMORIES = 20_000
"""How many memories are counted. The least recently used go first."""


class AccessCounts:
    """Safe to use from several threads. An unreadable file starts new counts."""

    def __init__(self, path: Path, *, writable: bool) -> None:
        self._path = path
        self._writable = writable
        self._lock = threading.Lock()
        self._counts: dict[str, tuple[int, str]] = {}
        self._changed = False
        try:
            data = decode_json(path.read_bytes())
            self._counts = {each: (int(count), str(last)) for each, (count, last) in data["accesses"].items()}
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            pass  # not there yet, or not ours

    def count(self, ids: Iterable[str], now: str) -> None:
        """Count one access to each memory. Does not write to disk."""
        with self._lock:
            for each in ids:
                count, _ = self._counts.pop(each, (0, ""))  # put last again: the order is that of use
                self._counts[each] = (count + 1, now)
                self._changed = True
            while len(self._counts) > MAX_MEMORIES:
                del self._counts[next(iter(self._counts))]

    def get(self, identity: str) -> Access:
        """Return how often a memory was part of an answer, and when last."""
        with self._lock:
            count, last = self._counts.get(identity, (0, ""))
        return Access(count=count, last=last)

    def flush(self) -> None:
        """Write the counts if they changed. A failed write loses counts and raises nothing."""
        with self._lock:
            if not (self._changed and self._writable):
                return
            content, self._changed = encode_json({"accesses": self._counts}), False
        try:
            write_atomic(self._path, content)
        except MuninnError as error:
            log.warning("how often memories are used could not be written: %s", error.message)
