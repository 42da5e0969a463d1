"""The memories that each session has already received, so that none is delivered twice.

They are kept in memory and written from time to time to `.muninn/local`. Losing them repeats a delivery.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable
from pathlib import Path

from muninn_core.errors import MuninnError
from muninn_core.model.value import decode_json, encode_json
from muninn_core.store.files.disk import write_atomic

log = logging.getLogger("muninn.given")

MAX_SESSIONS = 200
"""How many sessions are kept. The least recently active go first."""

MAX_IDS_PER_SESSION = 1_000
"""How many ids are kept per session, the newest."""


class Deliveries:
    """Safe to use from several threads. An unreadable file starts empty."""

    def __init__(self, path: Path, *, writable: bool) -> None:
        self._path = path
        self._writable = writable
        self._lock = threading.Lock()
        self._sessions: dict[str, dict[str, None]] = {}
        self._missed: dict[str, dict[str, None]] = {}
        self._changed = False
        try:
            data = decode_json(path.read_bytes())
            self._sessions = {str(name): dict.fromkeys(map(str, ids)) for name, ids in data["sessions"].items()}
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            pass  # not there yet, or not ours

    def delivered_to(self, session: str | None) -> frozenset[str]:
        """Return the ids that a session received; empty for a session without a name."""
        with self._lock:
            return frozenset(self._sessions.get(session or "", ()))

    def add(self, session: str | None, ids: Iterable[str]) -> None:
        """Record that a session receives some ids. Does not write to disk."""
        if not session:
            return
        with self._lock:
            entry = self._sessions.pop(session, {})
            entry |= dict.fromkeys(ids)
            for stale in list(entry)[:-MAX_IDS_PER_SESSION]:
                del entry[stale]
            self._sessions[session] = entry
            for quiet in list(self._sessions)[:-MAX_SESSIONS]:
                del self._sessions[quiet]
            self._changed = True

    def miss(self, session: str | None, ids: Iterable[str]) -> None:
        """Note ids whose answer came too late. They are kept for a named session while the daemon runs."""
        if session:
            with self._lock:
                missed = self._missed.pop(session, {}) | dict.fromkeys(ids)
                if missed:
                    self._missed[session] = missed
                for quiet in list(self._missed)[:-MAX_SESSIONS]:
                    del self._missed[quiet]

    def take_missed(self, session: str | None) -> tuple[str, ...]:
        """Return the ids that a session missed and did not receive since, once."""
        with self._lock:
            received = self._sessions.get(session or "", {})
            return tuple(identity for identity in self._missed.pop(session or "", ()) if identity not in received)

    def forget(self, session: str | None) -> None:
        """Drop a session's record after its context was cleared."""
        with self._lock:
            if session and self._sessions.pop(session, None):
                self._changed = True

    def flush(self) -> None:
        """Write the record if it changed. A failed write repeats deliveries and raises nothing."""
        with self._lock:
            if not (self._changed and self._writable):
                return
            content, self._changed = encode_json({"sessions": {k: list(v) for k, v in self._sessions.items()}}), False
        try:
            write_atomic(self._path, content)
        except MuninnError as error:
            log.warning("what sessions were given could not be written: %s", error.message)
