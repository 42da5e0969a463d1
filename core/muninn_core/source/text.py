"""Reads a file of the work tree as text, and says why when it can't be.

A file may vanish, be replaced or grow between listing and reading: each is an outcome with a name, never a crash.
"""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pathlib import Path

Unreadable = Literal["vanished", "unreadable", "not a file", "too large", "binary"]
"""Why a file has no text."""

_MARK = b"\xef\xbb\xbf"
_HEAD = 8_192
_BEYOND = 4_096
# O_NOFOLLOW: a link put in a file's place leads nowhere. O_NONBLOCK: a pipe put there does not make us wait.
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, slots=True)
class Text:
    """A file's content as it was read: its bytes, what they say, and the time that belongs to exactly these.

    The time of one that was written to meanwhile is 0, which is no file's: whoever compares reads it again.
    """

    text: str
    data: bytes
    mtime_ns: int

    @property
    def size(self) -> int:
        """Bytes."""
        return len(self.data)

    @property
    def digest(self) -> bytes:
        """What the content is recognised by, computed when it is asked for."""
        return digest(self.data)


def looks_binary(head: bytes) -> bool:
    """Whether the first bytes of a file say that it holds no text: git's rule, a NUL in the first 8 KiB.

    UTF-16 counts as binary, as it does for git.
    """
    return b"\0" in head[:_HEAD]


def read_text(root: Path, path: str, most: int) -> Text | Unreadable:
    """Read `path` (POSIX, relative to `root`, or absolute) when it is a regular text file of at most `most` bytes.

    Bytes that are no UTF-8 become U+FFFD; a byte order mark is dropped.
    """
    try:
        descriptor = os.open(root / path, _FLAGS)
    except FileNotFoundError:
        return "vanished"
    except OSError:
        return "unreadable"
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return "not a file"
        if status.st_size > most:
            return "too large"
        data = _read_all(descriptor, status.st_size, most)
        after = os.fstat(descriptor)
    except OSError:
        return "unreadable"
    finally:
        os.close(descriptor)
    if data is None:
        return "too large"
    if looks_binary(data):
        return "binary"
    still = (status.st_size, status.st_mtime_ns) == (len(data), after.st_mtime_ns)
    return Text(_decoded(data), data, status.st_mtime_ns if still else 0)


def head_is_binary(root: Path, path: str) -> bool | Unreadable:
    """Whether a file's first 8 KiB say that it is binary."""
    try:
        descriptor = os.open(root / path, _FLAGS)
    except FileNotFoundError:
        return "vanished"
    except OSError:
        return "unreadable"
    try:
        return looks_binary(os.read(descriptor, _HEAD))
    except OSError:
        return "unreadable"
    finally:
        os.close(descriptor)


def digest(data: bytes) -> bytes:
    """Return the 16-byte BLAKE2b digest by which content is recognised."""
    return hashlib.blake2b(data, digest_size=16).digest()


def _decoded(data: bytes) -> str:
    """Return what bytes say, without a byte order mark; the codec that knows of these is a slow one."""
    return data.decode("utf-8" if not data.startswith(_MARK) else "utf-8-sig", "replace")


def _read_all(descriptor: int, size: int, most: int) -> bytes | None:
    """Read to the end, or return None when the file has grown above `most` bytes meanwhile.

    `size` is what is expected: room for much more costs as much as the reading itself.
    """
    parts: list[bytes] = []
    total = 0
    while part := os.read(descriptor, max(size - total, 0) + _BEYOND):
        parts.append(part)
        total += len(part)
        if total > most:
            return None
    return b"".join(parts)
