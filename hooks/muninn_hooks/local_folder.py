"""The folder of a work tree's private files, as hooks use it: without pathlib, and never through a link."""

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
