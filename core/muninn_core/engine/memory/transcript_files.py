"""Agents' transcripts as files: how one is opened that somebody else named."""

from __future__ import annotations

import errno
import stat
from pathlib import Path
from typing import BinaryIO


def open_transcript(path: Path) -> BinaryIO:
    """Open a transcript for reading. Raises OSError.

    Only a plain file is opened: a pipe would keep whoever reads it for ever, and with it everybody who wants to store.
    """
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder", str(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is no plain file", str(path))
    return path.open("rb")
