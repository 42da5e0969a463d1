"""State of sessions that survives a restart, such as the last commit of a session. Kept in `.muninn/local`."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

from muninn_core.model.value import decode_json, encode_json
from muninn_core.store.files.disk import write_private

MAX_SESSIONS = 200
"""How many sessions are kept. The oldest go first."""


class SessionState:
    """A small JSON file, read once and replaced whole. Losing it repeats some work. Safe to use from threads."""

    def __init__(self, path: Path, *, writable: bool) -> None:
        self._path = path
        self._writable = writable
        self._sessions: dict[str, dict[str, Any]] = {}
        self._writing = threading.Lock()
        try:
            data = decode_json(path.read_bytes())
        except (OSError, ValueError):
            data = None  # not there yet, or not ours: begin anew
        if isinstance(data, dict) and isinstance(data.get("sessions"), dict):
            self._sessions = {key: value for key, value in data["sessions"].items() if isinstance(value, dict)}

    def get(self, session: str, name: str) -> Any:
        """Return a note, or None."""
        return self._sessions.get(session, {}).get(name)

    def number(self, session: str, name: str) -> int:
        """Return a note that is a number that is not negative; 0 without one."""
        value = self.get(session, name)
        return value if isinstance(value, int) and value > 0 else 0

    def all(self, name: str) -> list[tuple[str, Any]]:
        """Return (session, note) for each session with a note of this name, the last written one at the end."""
        return [(session, entry[name]) for session, entry in list(self._sessions.items()) if name in entry]

    def put(self, session: str, name: str, value: Any) -> None:
        """Set a note, or delete it with None, and write the file. Raises StorageError or ReadOnlyError."""
        with self._writing:
            self._put(session, name, value)

    def _put(self, session: str, name: str, value: Any) -> None:
        known = self._sessions.get(session, {})
        entry = known if known.get(name) == value else _with(known, name, value)
        others = {key: each for key, each in self._sessions.items() if key != session}
        kept = [*others.items(), (session, entry)][-MAX_SESSIONS:]
        self._sessions = dict(kept)  # replaced, not changed: readers take no lock
        if entry is not known and self._writable:
            write_private(self._path, encode_json({"sessions": self._sessions}))


def _with(entry: dict[str, Any], name: str, value: Any) -> dict[str, Any]:
    """Return an entry with a note, or without it for None."""
    rest = {key: each for key, each in entry.items() if key != name}
    return rest if value is None else {**rest, name: value}
