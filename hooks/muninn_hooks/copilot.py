"""Waits for the file of a session of Copilot CLI, which is written about ten times a second: hooks run before."""

from __future__ import annotations

import json
import os
import time

PAUSE = 0.02
"""Seconds between two looks at the file."""

_TAIL = 65_536
"""The bytes at the end of the file that are read."""


def wait_for_turn(transcript: str, ended: str, seconds: float) -> None:
    """Return when the file has the end of a turn that Copilot reported at the time `ended`, or after some seconds."""
    until = time.monotonic() + seconds
    while not _has_end(transcript, ended) and time.monotonic() < until:
        time.sleep(PAUSE)


def _has_end(transcript: str, ended: str) -> bool:
    """Whether a line at the end of the file is about the hook of a turn's end, and not older than `ended`.

    Both times are RFC 3339 in UTC with milliseconds, so that they are compared as texts. A session that has just begun
    has no file yet.
    """
    try:
        with open(transcript, "rb") as lines:
            lines.seek(max(0, lines.seek(0, os.SEEK_END) - _TAIL))
            tail = lines.read().split(b"\n")
    except FileNotFoundError:
        return False
    except OSError:
        return True  # the daemon reports a file that can't be read
    for line in reversed(tail):
        if b'"agentStop"' in line and b'"hook.start"' in line:
            try:
                return str(json.loads(line).get("timestamp")) >= ended
            except (ValueError, AttributeError):
                continue
    return False
