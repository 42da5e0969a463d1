"""Limits the memory that the C library keeps after it was freed.

glibc keeps freed memory in the arena of each thread: 100 MB or more after a first index of 4,000 files, which an idle
daemon should not hold. Memory between two live values can't be returned; fewer arenas reuse more of it.
"""

from __future__ import annotations

import ctypes
import sys

_ARENA_MAX = -8
"""M_ARENA_MAX in glibc's malloc.h."""


def share_arenas(most: int) -> None:
    """Let all threads allocate from at most `most` arenas. Call it at the start of a process, before threads start.

    Only glibc has arenas, by default eight per processor. Elsewhere this does nothing.
    """
    if sys.platform != "linux":
        return
    option = getattr(ctypes.CDLL(None), "mallopt", None)  # musl has no such function
    if option is not None:
        option(_ARENA_MAX, most)


def trim() -> None:
    """Return freed memory to the system. Takes some milliseconds; does nothing without glibc."""
    if sys.platform != "linux":
        return
    release = getattr(ctypes.CDLL(None), "malloc_trim", None)  # musl has no such function
    if release is not None:
        release(0)
