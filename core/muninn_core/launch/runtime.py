"""The runtime directory: sockets, locks and logs of the user's daemons, readable by nobody else."""

from __future__ import annotations

import os
import stat
import sys

from muninn_core.errors import DaemonError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

SOCKET_PATH_LIMIT = 100
"""Longer socket paths fail: sun_path holds 108 bytes on Linux, 104 on macOS."""


class Address:
    """The files of one repository's daemon in the runtime directory."""

    __slots__ = ("base",)

    def __init__(self, directory: str, identity: str) -> None:
        self.base = os.path.join(directory, key(identity))

    @property
    def socket(self) -> str:
        """The Unix socket."""
        return self.base + ".sock"

    @property
    def info(self) -> str:
        """JSON about the running daemon; on Windows also port and token."""
        return self.base + ".json"

    @property
    def lock(self) -> str:
        """Held by the daemon for its life."""
        return self.base + ".lock"

    @property
    def start_lock(self) -> str:
        """Held by the client that starts the daemon."""
        return self.base + ".start"

    @property
    def log(self) -> str:
        """The daemon's log."""
        return self.base + ".log"


def key(identity: str) -> str:
    """Return a file name for a repository: FNV-1a of its path, 64 bits.

    No secret and no checksum: a collision would be caught by the handshake, which compares the identity. (`hashlib`
    would cost a hook several milliseconds.) Source: http://www.isthe.com/chongo/tech/comp/fnv/
    """
    value = 0xCBF29CE484222325
    for byte in os.fsencode(identity):
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


def runtime_directory(environ: Mapping[str, str]) -> str:
    """Return the user's runtime directory for Muninn, made with mode 0700 when absent.

    `MUNINN_RUNTIME_DIR` overrides it. Otherwise it does not depend on the environment, so that a cron job, an editor
    and a terminal of one user meet. Raises DaemonError when it can't be made or belongs to somebody else.
    """
    given = environ.get("MUNINN_RUNTIME_DIR")
    if given:
        directory = os.path.abspath(given)
    elif os.name == "nt":
        home = environ.get("LOCALAPPDATA") or os.path.expanduser("~")
        directory = os.path.join(home, "muninn", "run")
    else:
        directory = _posix_directory(os.getuid())
    try:
        os.makedirs(directory, mode=0o700, exist_ok=True)
        status = os.lstat(directory)
    except OSError as error:
        raise DaemonError(
            f"the runtime directory {directory} can't be made: {error.strerror}",
            hint="Set MUNINN_RUNTIME_DIR to a folder that only you can write to.",
        ) from None
    if os.name != "nt":
        _check_owner(directory, status)
    return directory


def data_directory(environ: Mapping[str, str]) -> str:
    """Return the folder of what belongs to the user and to no repository; touches no disk.

    `XDG_DATA_HOME` where it is set (XDG Base Directory Specification 0.8), else the system's place for such data.
    """
    home = environ.get("HOME") or os.path.expanduser("~")
    given = environ.get("XDG_DATA_HOME")
    if given and os.path.isabs(given):
        above = given
    elif os.name == "nt":
        above = environ.get("LOCALAPPDATA") or home
    elif sys.platform == "darwin":
        above = os.path.join(home, "Library", "Application Support")
    else:
        above = os.path.join(home, ".local", "share")
    return os.path.join(above, "muninn")


def _posix_directory(uid: int) -> str:
    user = f"/run/user/{uid}"
    if os.access(user, os.W_OK | os.X_OK) and os.stat(user).st_uid == uid:
        return user + "/muninn"
    return f"/tmp/muninn-{uid}"


def _check_owner(directory: str, status: os.stat_result) -> None:
    problem = ""
    if not stat.S_ISDIR(status.st_mode):
        problem = "is not a folder"
    elif status.st_uid != os.getuid():
        problem = "belongs to another user"
    elif status.st_mode & 0o077:
        problem = "can be entered by others"
    if problem:
        raise DaemonError(
            f"the runtime directory {directory} {problem}",
            hint="Remove it or set MUNINN_RUNTIME_DIR to a folder that only you can write to (mode 0700).",
        )
