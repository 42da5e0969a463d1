"""Checks that a path from a record, a document or a client stays inside the work tree.

Such a path comes from outside, for example with a pull request. It must not lead Muninn to other files of the machine.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

MAX_PATH_BYTES = 4_096
"""The longest path that Linux takes (PATH_MAX)."""

MAX_NAME_BYTES = 255
"""The longest name of a file or folder in usual file systems (NAME_MAX)."""


def can_name_file(path: str) -> bool:
    """Whether a relative path with slashes can name a file below its root. No file is touched.

    Empty paths, absolute ones, those with `..` or NUL, and those that no file system takes can't.
    """
    if not path or "\0" in path or path.startswith(("/", "\\")) or (len(path) > 1 and path[1] == ":"):
        return False
    parts = path.split("/")
    if ".." in parts:
        return False
    if len(path) * 4 <= MAX_NAME_BYTES and path.isascii():
        return True  # the common case
    try:
        return len(os.fsencode(path)) <= MAX_PATH_BYTES and all(
            len(os.fsencode(each)) <= MAX_NAME_BYTES for each in parts
        )
    except UnicodeEncodeError:
        return False  # a lone surrogate


def is_utf8(path: str) -> bool:
    """Whether a name is UTF-8; other bytes are lone surrogates (PEP 383)."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_inside(root: Path, path: str) -> bool:
    """Whether `path`, relative to `root`, stays below the root when symbolic links are followed."""
    if not can_name_file(path):
        return False
    if os.name == "posix" and not _may_leave(root, path):
        return True
    real = os.path.realpath(root)
    return (os.path.realpath(root / path) + os.sep).startswith(real.rstrip(os.sep) + os.sep)


def _may_leave(root: Path, path: str) -> bool:
    """Whether a part of `path` is a symbolic link, or can't be read: `realpath` costs ten times as much."""
    at = os.fspath(root)
    for part in path.split("/"):
        at = f"{at}/{part}"
        try:
            if stat.S_ISLNK(os.lstat(at).st_mode):
                return True
        except OSError:
            return True
    return False
