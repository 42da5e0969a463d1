"""Runs searches of a large index in parallel.

Lexical and vector search release the GIL, so threads run them on separate cores.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")

LARGE = 100_000
"""The number of chunks and files from which a thread saves time. A smaller search is as fast as starting one."""

_threads = ThreadPoolExecutor(4, "abreast")  # starts no thread before the first search


def start(size: int, search: Callable[[], T]) -> Callable[[], T]:
    """Start a search on a thread and return a function that waits for its result, or raises the search's exception.

    `size` is the number of chunks and files. Below `LARGE`, the returned function runs the search itself.
    """
    return _threads.submit(search).result if size >= LARGE else search
