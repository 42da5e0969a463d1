"""The daemon's files in the runtime directory: its lock, its socket and its info file.

Other programs may delete or replace them while the daemon runs, for example one that cleans up temporary folders. Then
no client reaches it, and a second daemon may start.
"""

from __future__ import annotations

import os
import shutil
import stat
from typing import TYPE_CHECKING

from muninn_core.launch.lock import FileLock
from muninn_core.launch.transport import listen, remove, write_info
from muninn_server.logs import log_to

if TYPE_CHECKING:
    import socket

    from muninn_core.launch.runtime import Address

Identity = tuple[int, int]


class RuntimeFiles:
    """The files of one daemon. `acquire` comes first, then `bind`; `leave` deletes what is still its own."""

    def __init__(self, address: Address, *, tcp: bool) -> None:
        self.address = address
        self.tcp = tcp
        self._lock = FileLock(address.lock)
        self._socket: Identity | None = None
        self._info: Identity | None = None

    def acquire(self) -> bool:
        """Take the lock and begin the log; return False when another daemon holds the lock. Raises OSError."""
        fresh = FileLock(self.address.lock)
        if not fresh.acquire():
            return False
        self._lock.release()
        self._lock = fresh
        fresh.write(f"{os.getpid()}\n")
        log_to(self.address.log)
        return True

    def bind(self, info: dict[str, object]) -> socket.socket:
        """Listen, and write the info file. Raises DaemonError for a path that is too long, OSError.

        Over TCP, `info` gets the port.
        """
        if not self.tcp and os.path.isdir(self.address.socket) and not os.path.islink(self.address.socket):
            shutil.rmtree(self.address.socket)  # the runtime directory is Muninn's own
        sock = listen(self.address, tcp=self.tcp)
        try:
            self._socket = None if self.tcp else _identity(self.address.socket)
            if self.tcp:
                info["port"] = sock.getsockname()[1]
            self.write_info(info)
        except BaseException:
            sock.close()
            raise
        return sock

    def write_info(self, info: dict[str, object]) -> None:
        """Write the info file. Raises OSError."""
        if os.path.isdir(self.address.info) and not os.path.islink(self.address.info):
            shutil.rmtree(self.address.info)
        write_info(self.address, info)
        self._info = _identity(self.address.info)

    @property
    def has_lock(self) -> bool:
        """Whether the lock that it holds still is the one that other daemons try to take."""
        return self._lock.intact

    @property
    def has_socket(self) -> bool:
        """Whether clients that open the socket's path reach this daemon. Over TCP they need the info file alone."""
        return self.tcp or (self._socket is not None and _identity(self.address.socket) == self._socket)

    @property
    def has_info(self) -> bool:
        """Whether the info file is the one that it wrote."""
        return self._info is not None and _identity(self.address.info) == self._info

    def regain_lock(self) -> bool:
        """Create the folder and take the lock again; return False when another daemon holds it. Raises OSError."""
        os.makedirs(os.path.dirname(self.address.lock), mode=0o700, exist_ok=True)
        return self.acquire()

    def leave(self) -> None:
        """Delete the socket and the info file if they are its own. Raises OSError."""
        try:
            own = [self.has_info and self.address.info, not self.tcp and self.has_socket and self.address.socket]
            for path in own:
                if path:
                    remove(path)
        finally:
            self._socket = self._info = None

    def release(self) -> None:
        """Release the lock."""
        self._lock.release()


def _identity(path: str) -> Identity | None:
    """Return what tells a file from later ones of the same path; None when it is missing or a folder."""
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return None if stat.S_ISDIR(found.st_mode) else (found.st_dev, found.st_ino)
