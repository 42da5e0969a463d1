"""A file lock that the system releases when its holder exits, even after a crash."""

from __future__ import annotations

import errno
import os

if os.name == "nt":
    import msvcrt
else:
    import fcntl

_LOCKED_ERRNOS = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK)


class FileLock:
    """An exclusive lock on a file. The file itself stays; its presence means nothing."""

    __slots__ = ("_fd", "path")

    def __init__(self, path: str) -> None:
        self.path = path
        self._fd = -1

    def acquire(self) -> bool:
        """Take the lock without waiting; return False when another process holds it.

        Raises OSError for a bad path or a file system without locks.
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
            if error.errno not in _LOCKED_ERRNOS:
                raise
            return False
        self._fd = fd
        return True

    @property
    def intact(self) -> bool:
        """Whether it is held, and its path still leads to the file that is locked. Otherwise others may take it."""
        if self._fd < 0:
            return False
        try:
            held, there = os.fstat(self._fd), os.stat(self.path)
        except OSError:
            return False
        return (held.st_dev, held.st_ino) == (there.st_dev, there.st_ino)

    def write(self, text: str) -> None:
        """Write a note for people into the file, such as the holder's name. On a full disk there is none."""
        try:
            os.ftruncate(self._fd, 0)
            os.pwrite(self._fd, text.encode(), 0) if os.name != "nt" else os.write(self._fd, text.encode())
        except OSError:
            pass

    def release(self) -> None:
        """Release the lock."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
