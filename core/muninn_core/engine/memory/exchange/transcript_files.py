"""Opens agents' transcripts, whose paths come from outside."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from muninn_core.regular_file import open_regular

MAX_TRANSCRIPT_BYTES = 256 * 1024 * 1024
"""The largest transcript that is read."""


def open_transcript(path: Path) -> BinaryIO:
    """Open a transcript for reading; what is appended later is not read.

    Raises OSError, also for anything but a regular file and for more than `MAX_TRANSCRIPT_BYTES`.
    """
    return open_regular(path, MAX_TRANSCRIPT_BYTES)
