"""The private files of a work tree, as hooks write them: without pathlib, and never through a link."""

from __future__ import annotations

import errno
import os

_PARTS = 3
"""The names at the end of the path that a repository can bring along as links: `.muninn/local/inbox`."""


def make_folder(path: str) -> None:
    """Create a private folder, with its parents. Raises OSError, also for a link, which could lead anywhere."""
    folder = path
    for _ in range(_PARTS):
        if os.path.islink(folder):
            raise OSError(errno.ELOOP, "it is a link, and links are not followed", folder)
        folder = os.path.dirname(folder)
    os.makedirs(path, mode=0o700, exist_ok=True)


def write_private(path: str, data: bytes) -> None:
    """Create or replace a file with mode 0600, whole or not at all. Raises OSError, as on a full disk."""
    fresh = f"{path}.{os.getpid()}.new"
    fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        try:
            while data:  # a full disk takes a part, and refuses the rest
                data = data[os.write(fd, data) :]
        finally:
            os.close(fd)
        os.replace(fresh, path)
    except OSError:
        os.unlink(fresh)
        raise
