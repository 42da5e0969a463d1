"""Opens agents' transcripts, whose paths come from outside."""

from __future__ import annotations

import errno
import stat
from pathlib import Path
from typing import BinaryIO


def open_transcript(path: Path) -> BinaryIO:
    """Open a transcript for reading. Raises OSError, also for anything but a regular file: reading a pipe could block
    forever.
    """
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder", str(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    return path.open("rb")
