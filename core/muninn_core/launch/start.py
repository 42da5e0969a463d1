"""Start the daemon when nobody answers, once, however many clients ask at the same instant."""

from __future__ import annotations

import os
import socket
import sys
import time

from muninn_core.errors import DaemonError
from muninn_core.launch.lock import FileLock
from muninn_core.launch.transport import connect

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess
    from collections.abc import Mapping
    from typing import Any

    from muninn_core.launch.place import Place
    from muninn_core.launch.runtime import Address

START_SECONDS = 60.0
"""How long a client waits for a daemon that starts; hundreds may share two cores."""


def connect_or_start(
    place: Place, address: Address, environ: Mapping[str, str], *, tcp: bool, timeout: float = START_SECONDS
) -> tuple[socket.socket, str]:
    """Connect to the repository's daemon and start it if it is not there.

    The client that gets the start lock spawns; the others only wait. Should the spawner die, the next one takes over.
    Raises DaemonError with the daemon's own words when it does not come up.
    """
    try:
        return connect(address, tcp=tcp, timeout=timeout)
    except OSError:
        pass
    deadline = time.monotonic() + timeout
    lock = FileLock(address.start_lock)
    child: subprocess.Popen[bytes] | None = None
    ours, pause = False, 0.005
    try:
        while True:
            ours = ours or lock.acquire()
            if ours and (child is None or child.poll() == 0):
                # 0: it found the lock of a daemon that is about to leave; its place is free in a moment.
                try:
                    return connect(address, tcp=tcp, timeout=timeout)  # it came up while we took the lock
                except OSError:
                    child = spawn(place, address, environ)
            time.sleep(pause)
            pause = min(pause * 1.5, 0.1)
            try:
                return connect(address, tcp=tcp, timeout=timeout)
            except OSError as error:
                _give_up_when_hopeless(child, address, deadline, error)
    finally:
        lock.release()


def spawn(place: Place, address: Address, environ: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Start a daemon that outlives this process; its output goes to the log."""
    import subprocess

    with open(address.log, "ab") as log:
        os.chmod(address.log, 0o600)
        detached: dict[str, Any] = {"creationflags": 0x00000208} if os.name == "nt" else {"start_new_session": True}
        child = subprocess.Popen(
            [sys.executable, "-I", "-m", "muninn_server", "--root", place.root],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=daemon_environment(environ),
            cwd=os.path.abspath(os.sep),  # a folder in use could not be unmounted or removed
            **detached,
        )
    _reap(child)
    return child


def daemon_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return what a daemon needs of its first client's environment.

    It outlives that client, which may be an agent with keys of its own: they are none of the daemon's business, and
    what it is must not depend on who came first.
    """
    return {name: value for name, value in environ.items() if name in _NEEDED or name.startswith(_NEEDED_PREFIXES)}


_NEEDED = frozenset(
    (
        *("PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TMP", "TEMP", "HF_HOME"),
        *("SYSTEMROOT", "WINDIR", "COMSPEC", "PATHEXT", "APPDATA", "LOCALAPPDATA", "USERPROFILE"),
        *("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"),
    )
)
_NEEDED_PREFIXES = ("LC_", "XDG_", "MUNINN_")


def _reap(child: subprocess.Popen[bytes]) -> None:
    """Wait for the daemon's end in the background: a client that outlives it must not keep a zombie."""
    import threading

    threading.Thread(target=child.wait, name="reap", daemon=True).start()


def private_daemon(place: Place, environ: Mapping[str, str]) -> socket.socket:
    """Start a daemon for this client alone, over a socket pair; it leaves with its client.

    For places where no shared one can be: no runtime directory, no sockets in the file system.
    """
    import subprocess

    ours, theirs = socket.socketpair()
    with theirs:
        child = subprocess.Popen(
            [sys.executable, "-I", "-m", "muninn_server", "--root", place.root, "--fd", str(theirs.fileno())],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=(theirs.fileno(),),
            env=daemon_environment(environ),
        )
    _reap(child)
    return ours


def _give_up_when_hopeless(
    child: subprocess.Popen[bytes] | None, address: Address, deadline: float, error: OSError
) -> None:
    if child is not None and child.poll() not in (None, 0):
        raise DaemonError(
            f"the daemon did not start: {last_line(address.log) or f'exit status {child.returncode}'}",
            hint=f"The whole log is {address.log}; `muninn doctor` checks the installation.",
        ) from None
    if time.monotonic() > deadline:
        raise DaemonError(
            f"the daemon did not answer in time ({error.strerror or error})",
            hint=f"The log is {address.log}; `muninn daemon stop` ends a daemon that hangs.",
        ) from None


def last_line(path: str) -> str:
    """Return the last line of a log that says something, "" when there is none."""
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.path.getsize(path) - 4096))
            lines = file.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return ""
    return next((line.strip() for line in reversed(lines) if line.strip()), "")
