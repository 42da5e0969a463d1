"""Two searches at the same time. Those of words and of vectors compute outside of the interpreter, so that each has a
processor of its own where there are two."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")

LARGE = 100_000
"""Chunks and files from which on it pays: a search of fewer takes hardly longer than it takes to wake a thread."""

_threads = ThreadPoolExecutor(4, "abreast")  # none is started before the first search


def start(size: int, search: Callable[[], T]) -> Callable[[], T]:
    """Begin a search of an index of some size, if it is large, on a thread of its own; return what gives its result.

    That raises what the search raised. In a small index the search is made when its result is asked for.
    """
    return _threads.submit(search).result if size >= LARGE else search
