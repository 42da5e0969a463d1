"""Processes that may be daemons of ours: whether they live, what they are, and how to end one for certain.

A process number that was read from a file may belong to anybody by now, so it is looked at before it is signalled.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

PROGRAM = "muninn_server"
"""What the command line of every daemon contains."""

_POLL_SECONDS = 0.02


def is_daemon(pid: int) -> bool:
    """Whether a live process of this number runs the daemon's program."""
    return PROGRAM in _command(pid)


def wait_until_gone(pid: int, seconds: float) -> bool:
    """Wait until a daemon is gone, for at most `seconds`; whether it is."""
    deadline = time.monotonic() + seconds
    while is_daemon(pid):
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_SECONDS)
    return True


def end(pid: int, grace: float) -> str:
    """End a daemon that does not answer: ask with SIGTERM, after `grace` seconds kill it. Returns what it took.

    Raises OSError when the process belongs to somebody else.
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
    """Return a process's command line, "" for one that is gone or only waits to be reaped."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    except FileNotFoundError:
        if Path("/proc/self/cmdline").exists():
            return ""
    except OSError:
        return ""
    asked = ["tasklist", "/v", "/fi", f"PID eq {pid}"] if os.name == "nt" else ["ps", "-o", "command=", "-p", str(pid)]
    try:
        return subprocess.run(asked, capture_output=True, text=True, check=False).stdout
    except OSError:
        return ""
