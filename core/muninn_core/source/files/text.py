"""Reads a file of the work tree as text, or returns why it can't.

A file may vanish, be replaced or grow between listing and reading; each is a result, not an error.
"""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from muninn_core.resource_exhaustion import raise_if_exhausted

if TYPE_CHECKING:
    from pathlib import Path

Unreadable = Literal["vanished", "unreadable", "not a file", "too large", "binary", "an export"]
"""Why a file has no text."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_HEAD = 8_192
_READ_AHEAD = 4_096
# O_NOFOLLOW refuses a link that replaced the file. O_NONBLOCK keeps a pipe that replaced it from blocking.
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, slots=True)
class Text:
    """A file's content and its modification time.

    `mtime_ns` is 0 for a file that changed during the read, which forces a comparison to read it again.
    """

    text: str
    data: bytes
    mtime_ns: int

    @property
    def size(self) -> int:
        """The size in bytes."""
        return len(self.data)

    @property
    def digest(self) -> bytes:
        """The digest of the content."""
        return digest(self.data)


def looks_binary(head: bytes) -> bool:
    """Whether content is binary by git's rule: a NUL in the first 8 KiB. UTF-16 therefore counts as binary."""
    return b"\0" in head[:_HEAD]


def read_text(root: Path, path: str, limit: int) -> Text | Unreadable:
    """Read `path` (POSIX, relative to `root`, or absolute) if it is a regular text file of at most `limit` bytes.

    Invalid UTF-8 becomes U+FFFD; a byte order mark is removed.
    """
    try:
        descriptor = os.open(root / path, _FLAGS)
    except FileNotFoundError:
        return "vanished"
    except (OSError, ValueError) as error:  # ValueError: a path with NUL
        raise_if_exhausted(error)
        return "unreadable"
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return "not a file"
        if status.st_size > limit:
            return "too large"
        data = _read_all(descriptor, status.st_size, limit)
        status_after = os.fstat(descriptor)
    except OSError:
        return "unreadable"
    finally:
        os.close(descriptor)
    if data is None:
        return "too large"
    if looks_binary(data):
        return "binary"
    unchanged = (status.st_size, status.st_mtime_ns) == (len(data), status_after.st_mtime_ns)
    return Text(_decode(data), data, status.st_mtime_ns if unchanged else 0)


def head_is_binary(root: Path, path: str) -> bool | Unreadable:
    """Whether a file's first 8 KiB are binary."""
    try:
        descriptor = os.open(root / path, _FLAGS)
    except FileNotFoundError:
        return "vanished"
    except (OSError, ValueError) as error:
        raise_if_exhausted(error)
        return "unreadable"
    try:
        return looks_binary(os.read(descriptor, _HEAD))
    except OSError:
        return "unreadable"
    finally:
        os.close(descriptor)


def digest(data: bytes) -> bytes:
    """Return the 16-byte BLAKE2b digest of a content."""
    return hashlib.blake2b(data, digest_size=16).digest()


def _decode(data: bytes) -> str:
    """Decode UTF-8 without the byte order mark. `utf-8-sig` is slow, so it is used only when there is one."""
    return data.decode("utf-8" if not data.startswith(_BYTE_ORDER_MARK) else "utf-8-sig", "replace")


def _read_all(descriptor: int, size: int, limit: int) -> bytes | None:
    """Read to the end; return None when the file exceeds `limit` bytes.

    `size` is the expected size: allocating much more costs as much as the read itself.
    """
    parts: list[bytes] = []
    total = 0
    while part := os.read(descriptor, max(size - total, 0) + _READ_AHEAD):
        parts.append(part)
        total += len(part)
        if total > limit:
            return None
    return b"".join(parts)
