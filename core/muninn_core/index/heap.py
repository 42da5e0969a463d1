"""Gives memory back to the system after work that needed much of it. Knows nothing of the work.

The C library keeps what was freed for the next time, in every thread's arena: after a first index of 4,000 files that
are 100 MB or more, which a daemon that rests for hours should not hold.
"""

from __future__ import annotations

import ctypes
import sys


def trim() -> None:
    """Return freed memory to the system; some milliseconds. Only glibc needs and can be told so."""
    if sys.platform != "linux":
        return
    release = getattr(ctypes.CDLL(None), "malloc_trim", None)  # musl has no such function
    if release is not None:
        release(0)
