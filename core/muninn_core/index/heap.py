"""Keeps what the C library holds of the system's memory near what is used. Knows nothing of the work.

It keeps what was freed for the next time, in every thread's arena: after a first index of 4,000 files that are 100 MB
or more, which a daemon that rests for hours should not hold. And what is left between two values that are still used
can't be given back: the fewer arenas, the more of it is used again.
"""

from __future__ import annotations

import ctypes
import sys

_ARENA_MAX = -8
"""The option's number in glibc's malloc.h."""


def share_arenas(most: int) -> None:
    """Have all threads allocate from at most so many arenas; for a process's entry point, before there are threads.

    Only glibc has them, eight for each processor.
    """
    if sys.platform != "linux":
        return
    option = getattr(ctypes.CDLL(None), "mallopt", None)  # musl has no such function
    if option is not None:
        option(_ARENA_MAX, most)


def trim() -> None:
    """Return freed memory to the system; some milliseconds. Only glibc needs and can be told so."""
    if sys.platform != "linux":
        return
    release = getattr(ctypes.CDLL(None), "malloc_trim", None)  # musl has no such function
    if release is not None:
        release(0)
