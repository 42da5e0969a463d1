"""Runs searches of a large index in parallel, and limits how many questions are computed at once.

Lexical and vector search and the text encoder release the GIL, so threads run them on separate cores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from threading import BoundedSemaphore, Lock
from typing import TypeVar

T = TypeVar("T")

LARGE = 100_000
"""The number of chunks and files from which a thread saves time. A smaller search is as fast as starting one."""

PATIENCE_SECONDS = 1.0
"""The longest wait of a question for its turn. A question that git or a disk holds up does not stop the others."""

_turns = BoundedSemaphore(2)
"""Most of the work holds the GIL. With two questions at once, one has the GIL while the other is in a library that
releases it. More of them only take it from one another: with four, a question took a fifth more processor time."""

_counting = Lock()
_computed = 0
"""The questions that are computed now."""

_threads = ThreadPoolExecutor(4, "search")  # starts no thread before the first search


def start(size: int, search: Callable[[], T]) -> Callable[[], T]:
    """Start a search on a thread and return a function that waits for its result, or raises the search's exception.

    `size` is the number of chunks and files. Below `LARGE`, the returned function runs the search itself.
    """
    return _threads.submit(search).result if size >= LARGE else search


def start_encoding(encode: Callable[[str], object], text: str) -> None:
    """Start to encode a text on a thread, unless none can be started. The encoder keeps the result.

    Beside two questions it starts none: a third thread takes the GIL from theirs.
    """
    if _computed < 2:
        with suppress(RuntimeError):
            _threads.submit(encode, text)


@contextmanager
def turn(seconds: float = PATIENCE_SECONDS) -> Iterator[None]:
    """Compute a question with at most one other at once, after a wait of at most `seconds`.

    Wait for the index and for other repositories before. A turn is not taken within another one.
    """
    global _computed
    taken = _turns.acquire(timeout=seconds)
    with _counting:
        _computed += 1
    try:
        yield
    finally:
        with _counting:
            _computed -= 1
        if taken:
            _turns.release()
