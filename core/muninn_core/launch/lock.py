"""A lock on a file that the system releases when its holder dies, however it dies."""

from __future__ import annotations

import errno
import os

if os.name == "nt":
    import msvcrt
else:
    import fcntl

_HELD = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK)


class FileLock:
    """An exclusive lock. The file stays; only the lock on it counts, so a left-over file means nothing."""

    __slots__ = ("_fd", "path")

    def __init__(self, path: str) -> None:
        self.path = path
        self._fd = -1

    def acquire(self) -> bool:
        """Take the lock without waiting; False when another process holds it.

        Raises OSError for a bad path, or where the file system has no locks.
        """
        if self._fd >= 0:
            return True
        fd = os.open(self.path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
        try:
            if os.name == "nt":
                msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
            else:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(fd)
            if error.errno not in _HELD:
                raise
            return False
        self._fd = fd
        return True

    def write(self, text: str) -> None:
        """Put a note for people into the file: who holds it."""
        os.ftruncate(self._fd, 0)
        os.pwrite(self._fd, text.encode(), 0) if os.name != "nt" else os.write(self._fd, text.encode())

    def release(self) -> None:
        """Give the lock back."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
