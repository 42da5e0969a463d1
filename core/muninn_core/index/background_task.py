"""One task at a time beside its caller."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class BackgroundTask:
    """Runs one task at a time on a thread of its own. The `with` block ends when the last task is done."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="muninn-write")  # the thread starts with the first task
        self._last: Future[None] | None = None

    def __enter__(self) -> BackgroundTask:
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.shutdown()

    def start(self, work: Callable[[], None]) -> None:
        """Start a task when the last one is done. Raises the exception of the last one."""
        self.wait()
        self._last = self._thread.submit(work)

    def wait(self) -> None:
        """Wait for the last task. Raises its exception."""
        last, self._last = self._last, None
        if last is not None:
            last.result()
