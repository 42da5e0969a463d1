"""Daemon processes: find out whether one runs, and end it.

A process number from a file may belong to another program by now, so its command line is checked before a signal.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

PROGRAM = "muninn_server"
"""A part of every daemon's command line."""

_POLL_SECONDS = 0.02


def is_daemon(pid: int) -> bool:
    """Whether the process with this number is a daemon."""
    return PROGRAM in _command(pid)


def wait_until_gone(pid: int, seconds: float) -> bool:
    """Wait up to `seconds` until a daemon has ended. Returns whether it has."""
    deadline = time.monotonic() + seconds
    while is_daemon(pid):
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_SECONDS)
    return True


def end(pid: int, grace: float) -> str:
    """End a daemon that does not respond: SIGTERM, and after `grace` seconds SIGKILL. Returns what ended it.

    Raises OSError if the process belongs to another user.
    """
    for name in ("SIGTERM", "SIGKILL"):
        if not is_daemon(pid):
            return "was gone already"
        try:
            os.kill(pid, getattr(signal, name, signal.SIGTERM))
        except ProcessLookupError:
            return "was gone already"
        if wait_until_gone(pid, grace):
            return f"was ended with {name}"
    return "does not end"


def _command(pid: int) -> str:
    """Return a process's command line, "" if it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    except FileNotFoundError:
        if Path("/proc/self/cmdline").exists():
            return ""
    except OSError:
        return ""
    command = (
        ["tasklist", "/v", "/fi", f"PID eq {pid}"] if os.name == "nt" else ["ps", "-o", "command=", "-p", str(pid)]
    )
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout
    except OSError:
        return ""
