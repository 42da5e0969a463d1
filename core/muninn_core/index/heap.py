"""Limits the memory that the C library keeps after it was freed.

glibc keeps freed memory in the arena of each thread: 100 MB or more after a first index of 4,000 files, which an idle
daemon should not hold. Memory between two live values can't be returned; fewer arenas reuse more of it.
"""

from __future__ import annotations

import ctypes
import mmap
import sys

_ARENA_MAX = -8
"""M_ARENA_MAX in glibc's malloc.h."""

_DONT_NEED = 4
"""MADV_DONTNEED in Linux' mman.h: of pages that a file has, the process reads them again when it uses them."""


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


def drop_pages(address: int, size: int) -> None:
    """Give back the whole pages of a range that a read-only file is mapped to. Only Linux drops them at once."""
    if sys.platform == "linux":
        page = mmap.PAGESIZE
        begin, end = -(-address // page) * page, (address + size) // page * page
        if begin < end:
            ctypes.CDLL(None).madvise(ctypes.c_void_p(begin), ctypes.c_size_t(end - begin), _DONT_NEED)
