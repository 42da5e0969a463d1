"""Opens and reads files whose paths or kinds come from outside: a client names them, or a repository contains them.

Such a path may lead to a pipe, which blocks its reader for ever, or to a device without an end. Only regular files are
read, only up to a limit, and only as far as they reached when they were opened.
"""

from __future__ import annotations

import errno
import io
import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import BinaryIO

# O_NONBLOCK: opening a pipe without a writer would block. It has no effect on regular files.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
_CHUNK_BYTES = 65_536

FileVersion = tuple[int, int, int]
"""Inode, size and time of modification in nanoseconds."""


class FileTooLarge(OSError):
    """A file is larger than the limit."""


def open_handle(path: str | Path, limit: int, *, follow: bool = True) -> tuple[int, os.stat_result]:
    """Open a regular file of at most `limit` bytes for reading; return its descriptor and status.

    Without `follow` a link is an error, since it could lead out of the repository. Raises FileTooLarge, and OSError for
    anything else that can't be read, such as a folder, a pipe or a path with NUL.
    """
    try:
        handle = os.open(path, _FLAGS if follow else _FLAGS | getattr(os, "O_NOFOLLOW", 0))
    except OSError as error:
        if error.errno == errno.ELOOP and not follow:
            raise OSError(errno.ELOOP, "it is a link, and links are not followed", str(path)) from None
        raise
    except ValueError as error:  # NUL or a lone surrogate
        raise OSError(errno.EINVAL, str(error)) from None
    try:
        status = os.fstat(handle)
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(errno.EISDIR, "it is a folder", str(path))
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file", str(path))
        if status.st_size > limit:
            raise too_large(status.st_size, limit)
    except OSError:
        os.close(handle)
        raise
    return handle, status


def read_regular(path: str | Path, limit: int, *, follow: bool = True) -> bytes:
    """Return the bytes of a regular file of at most `limit` bytes. Raises as `open_handle`."""
    handle, status = open_handle(path, limit, follow=follow)
    try:
        pieces = [os.read(handle, status.st_size + 1)]
        total = len(pieces[0])
        while pieces[-1]:  # a read may be partial, and the file may grow
            pieces.append(os.read(handle, _CHUNK_BYTES))
            total += len(pieces[-1])
            if total > limit:
                raise too_large(total, limit)
        return b"".join(pieces)
    finally:
        os.close(handle)


def open_regular(path: str | Path, limit: int) -> BinaryIO:
    """Open a regular file for reading its current bytes, not what is appended later. Raises as `open_handle`."""
    handle, status = open_handle(path, limit)
    return io.BufferedReader(_Extent(handle, status.st_size))


def too_large(size: int, limit: int) -> FileTooLarge:
    """Return the error for a file that is too large; both numbers are bytes."""
    return FileTooLarge(errno.EFBIG, f"it has {size:,} bytes; the limit is {limit:,}")


class _Extent(io.FileIO):
    """The first bytes of an open file."""

    def __init__(self, handle: int, size: int) -> None:
        super().__init__(handle, "r")
        self._size = size

    def readinto(self, buffer: bytearray | memoryview) -> int | None:  # type: ignore[override]
        """Read as `FileIO` does, but not beyond the size that the file had."""
        left = self._size - self.tell()
        return super().readinto(memoryview(buffer)[: max(left, 0)]) if left < len(buffer) else super().readinto(buffer)


def file_version(path: Path) -> FileVersion | None:
    """Return what tells two versions of a file apart, None for a missing file."""
    try:
        status = path.stat()
    except OSError:
        return None
    return (status.st_ino, status.st_size, status.st_mtime_ns)
