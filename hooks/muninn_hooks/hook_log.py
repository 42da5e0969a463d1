"""The hooks' log, `hooks.log` among the private files of a work tree: one line of JSON per handled event.

Hooks report no errors to the agent. `muninn doctor` reads this log to find failures, and to notice that hooks have
stopped. Fields: `ts` (RFC 3339, UTC), `event`, `ms` (how long the agent waited), and `error` after a failure.
"""

from __future__ import annotations

import json
import os
import time

from muninn_core.errors import NotARepository
from muninn_core.launch.repository_location import locate
from muninn_hooks.local_folder import make_folder, write_private

MAX_BYTES = 256 * 1024
"""A longer log loses its older half."""


def log_path(root: str) -> str:
    """Return the log of a work tree. Raises NotARepository."""
    return os.path.join(locate(root).local, "hooks.log")


def append(root: str, event: str, error: str, seconds: float = 0.0) -> None:
    """Add a line; `error` is "" after a success.

    Never raises: an unwritable log must not disturb the agent.
    """
    entry = {"ts": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "event": event, "ms": round(seconds * 1000)}
    line = json.dumps({**entry, "error": error[:2000]} if error else entry, ensure_ascii=False)
    try:
        path = log_path(root)
        make_folder(os.path.dirname(path))
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0), 0o600)
        try:
            os.write(fd, line.encode("utf-8", "replace") + b"\n")
            size = os.fstat(fd).st_size
        finally:
            os.close(fd)
        if size > MAX_BYTES:
            _halve(path)
    except (NotARepository, OSError):
        pass


def _halve(path: str) -> None:
    """Keep the newer half, beginning with a whole line."""
    with open(path, "rb") as file:
        file.seek(-MAX_BYTES // 2, os.SEEK_END)
        kept = file.read().partition(b"\n")[2]
    write_private(path, kept)
