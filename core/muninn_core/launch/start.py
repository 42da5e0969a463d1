"""Starts the daemon when none answers, once, however many clients ask at the same time."""

from __future__ import annotations

import errno
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

    from muninn_core.launch.repository_location import RepositoryLocation
    from muninn_core.launch.runtime import Address

MAX_KILLS = 3
"""How many starting daemons may be killed by a signal before the client gives up."""

START_SECONDS = 60.0
"""How long a client waits for a starting daemon; hundreds of clients may share two cores."""


def connect_or_start(
    location: RepositoryLocation,
    address: Address,
    environ: Mapping[str, str],
    *,
    tcp: bool,
    timeout: float = START_SECONDS,
) -> tuple[socket.socket, str]:
    """Connect to the repository's daemon; start it when it does not run. Returns the socket and the hello's token.

    The client that gets the start lock spawns the daemon; the others wait. If that client dies, another takes over.
    Raises DaemonError with the last line of the daemon's log when it does not start.
    """
    try:
        return connect(address, tcp=tcp, timeout=timeout)
    except OSError as error:
        raise_if_refused(error, address)
    deadline = time.monotonic() + timeout
    lock = FileLock(address.start_lock)
    child: subprocess.Popen[bytes] | None = None
    locked, pause, kills = False, 0.005, 0
    try:
        while True:
            locked = locked or _acquire(lock, address)
            killed = child is not None and _was_killed(child)
            kills += killed
            if locked and (child is None or child.poll() == 0 or (killed and kills <= MAX_KILLS)):
                # Status 0: it found the lock of a daemon that is shutting down, so another try will succeed.
                try:
                    return connect(address, tcp=tcp, timeout=timeout)  # another client started it meanwhile
                except OSError:
                    child = _spawn(location, address, environ)
            time.sleep(pause)
            pause = min(pause * 1.5, 0.1)
            try:
                return connect(address, tcp=tcp, timeout=timeout)
            except OSError as error:
                raise_if_refused(error, address)
                if child is None or not _was_killed(child) or kills >= MAX_KILLS:
                    _raise_if_failed(child, address, deadline, error)
    finally:
        lock.release()


def _was_killed(child: subprocess.Popen[bytes]) -> bool:
    """Whether a signal ended a starting daemon. It says nothing about the next one."""
    return (child.poll() or 0) < 0


def _acquire(lock: FileLock, address: Address) -> bool:
    try:
        try:
            return lock.acquire()
        except FileNotFoundError:  # the runtime directory was deleted after it was found
            os.makedirs(os.path.dirname(lock.path), mode=0o700, exist_ok=True)
            return lock.acquire()
    except OSError as error:
        raise _unusable(error, address) from None


def _spawn(location: RepositoryLocation, address: Address, environ: Mapping[str, str]) -> subprocess.Popen[bytes]:
    try:
        return spawn(location, address, environ)
    except OSError as error:
        raise _unusable(error, address) from None


def raise_if_refused(error: OSError, address: Address) -> None:
    """Raise DaemonError when the system refused to open a connection, whether or not a daemon listens."""
    if error.errno in (*_NO_DESCRIPTORS, errno.EACCES, errno.EPERM):
        raise _unusable(error, address) from None


_NO_DESCRIPTORS = (errno.EMFILE, errno.ENFILE)


def _unusable(error: OSError, address: Address) -> DaemonError:
    reason = error.strerror or str(error)
    if error.errno in _NO_DESCRIPTORS:
        return DaemonError(
            f"the daemon can't be reached: {reason}", hint="Close some files, or raise the limit (ulimit -n)."
        )
    folder = os.path.dirname(address.base)
    return DaemonError(
        f"the runtime directory {folder} can't be used: {reason}",
        hint="Check its permissions (mode 0700) and its content, or set MUNINN_RUNTIME_DIR to another folder.",
    )


def spawn(location: RepositoryLocation, address: Address, environ: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Start a daemon that outlives this process. Its output goes to the log."""
    import subprocess

    with open(address.log, "ab") as log:
        os.chmod(address.log, 0o600)
        detached: dict[str, Any] = {"creationflags": 0x00000208} if os.name == "nt" else {"start_new_session": True}
        child = subprocess.Popen(
            [sys.executable, "-I", "-m", "muninn_server", "--root", location.root],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=daemon_environment(environ),
            cwd=os.path.abspath(os.sep),  # a folder in use could not be unmounted or removed
            **detached,
        )
    _reap_in_background(child)
    return child


def daemon_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of the first client's environment that a daemon gets.

    The daemon outlives that client, which may be an agent with credentials of its own. The daemon must neither see
    these nor depend on which client started it.
    """
    return {
        name: value for name, value in environ.items() if name in _PASSED_VARIABLES or name.startswith(_PASSED_PREFIXES)
    }


_PASSED_VARIABLES = frozenset(
    (
        *("PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TMP", "TEMP", "HF_HOME"),
        *("SYSTEMROOT", "WINDIR", "COMSPEC", "PATHEXT", "APPDATA", "LOCALAPPDATA", "USERPROFILE"),
        *("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"),
    )
)
_PASSED_PREFIXES = ("LC_", "XDG_", "MUNINN_")


def _reap_in_background(child: subprocess.Popen[bytes]) -> None:
    """Wait for the daemon's end on a thread, so that a client that outlives it keeps no zombie."""
    import threading

    threading.Thread(target=child.wait, name="reap", daemon=True).start()


def private_daemon(location: RepositoryLocation, environ: Mapping[str, str]) -> socket.socket:
    """Start a daemon for this client alone, over a socket pair. It exits with the client.

    Used where no daemon can be shared: no runtime directory, or no sockets in the file system.
    """
    import subprocess

    own_end, peer_end = socket.socketpair()
    with peer_end:
        child = subprocess.Popen(
            [sys.executable, "-I", "-m", "muninn_server", "--root", location.root, "--fd", str(peer_end.fileno())],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=(peer_end.fileno(),),
            env=daemon_environment(environ),
        )
    _reap_in_background(child)
    return own_end


def _raise_if_failed(child: subprocess.Popen[bytes] | None, address: Address, deadline: float, error: OSError) -> None:
    if child is not None and (child.poll() or 0) < 0:
        raise DaemonError(
            f"the daemon did not start: signal {-child.returncode} ended it",
            hint=f"It may lack memory: check `ulimit -v` and the limits of its container. The log is {address.log}.",
        ) from None
    if child is not None and child.poll() not in (None, 0):
        raise DaemonError(
            f"the daemon did not start: {last_line(address.log) or f'exit status {child.returncode}'}",
            hint=f"The full log is {address.log}. `muninn doctor` checks the installation.",
        ) from None
    if time.monotonic() > deadline:
        raise DaemonError(
            f"the daemon did not answer in time ({error.strerror or error})",
            hint=f"The log is {address.log}. `muninn daemon stop` ends a daemon that hangs.",
        ) from None


def last_line(path: str) -> str:
    """Return the last line of a log that is not blank, "" when there is none."""
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.path.getsize(path) - 4096))
            lines = file.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return ""
    return next((line.strip() for line in reversed(lines) if line.strip()), "")
