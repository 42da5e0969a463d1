"""The runtime directory: sockets, locks and logs of the user's daemons. Only the user can read it."""

from __future__ import annotations

import os
import stat
import sys

from muninn_core.errors import DaemonError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

SOCKET_PATH_LIMIT = 100
"""The longest usable socket path, in bytes: sun_path has 108 on Linux, 104 on macOS."""


class Address:
    """The files of one repository's daemon in the runtime directory."""

    __slots__ = ("base",)

    def __init__(self, directory: str, identity: str) -> None:
        self.base = os.path.join(directory, repository_key(identity))

    @property
    def socket(self) -> str:
        """The Unix socket."""
        return self.base + ".sock"

    @property
    def info(self) -> str:
        """JSON about the running daemon; on Windows it includes port and token."""
        return self.base + ".json"

    @property
    def lock(self) -> str:
        """The lock that the daemon holds while it runs."""
        return self.base + ".lock"

    @property
    def start_lock(self) -> str:
        """The lock that the client which starts the daemon holds."""
        return self.base + ".start"

    @property
    def log(self) -> str:
        """The daemon's log."""
        return self.base + ".log"


def repository_key(identity: str) -> str:
    """Return a file name for a repository: the 64-bit FNV-1a hash of its path, in hex.

    The hash is not for security: the handshake compares the identity, so a collision is detected. `hashlib` would cost
    a hook several milliseconds. Source: http://www.isthe.com/chongo/tech/comp/fnv/
    """
    value = 0xCBF29CE484222325
    for byte in os.fsencode(identity):
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


def runtime_directory(environ: Mapping[str, str]) -> str:
    """Return the user's runtime directory for Muninn; create it with mode 0700 when it is missing.

    `MUNINN_RUNTIME_DIR` overrides it. Otherwise it does not depend on the environment, so that a cron job, an editor
    and a terminal of one user share daemons. Raises DaemonError when it can't be created or another user can enter it.
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
            f"the runtime directory {directory} can't be created: {error.strerror}",
            hint="Set MUNINN_RUNTIME_DIR to a folder that only you can write to.",
        ) from None
    if os.name != "nt":
        _check_owner(directory, status)
    return directory


def data_directory(environ: Mapping[str, str]) -> str:
    """Return the folder of the user's data that belongs to no repository. It is not created.

    `XDG_DATA_HOME` when set (XDG Base Directory Specification 0.8), else the system's default. Raises as
    `home_directory`.
    """
    given = environ.get("XDG_DATA_HOME")
    if given and os.path.isabs(given):
        parent = given
    elif os.name == "nt":
        parent = environ.get("LOCALAPPDATA") or home_directory(environ)
    elif sys.platform == "darwin":
        parent = os.path.join(home_directory(environ), "Library", "Application Support")
    else:
        parent = os.path.join(home_directory(environ), ".local", "share")
    return os.path.join(parent, "muninn")


def home_directory(environ: Mapping[str, str]) -> str:
    """Return the user's home folder: `HOME` if it is an absolute path, else the one of the user's account.

    A relative or empty `HOME` would be another folder for each process. Raises DaemonError when there is neither.
    """
    given = environ.get("HOME", "")
    if os.path.isabs(given):
        return given
    if os.name == "nt":
        return os.path.expanduser("~")
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        raise DaemonError(
            "this user has no home folder: no account names one, and HOME is not an absolute path",
            hint="Set HOME to a folder that you can write to.",
        ) from None


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
