"""Encodes memories in the background, on a thread of low priority."""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from muninn_core.errors import MuninnError
from muninn_core.index.index import Index
from muninn_core.worktree.indexing.index_failure import IndexFailure, failure_of, longer_retry

log = logging.getLogger("muninn.index")

_NICE = 10


class BackgroundEncoding:
    """Runs from `start` to `stop`. `index` returns the open index, None while there is none; `cache` is its folder."""

    def __init__(self, index: Callable[[], Index | None], cache: Path) -> None:
        self._index = index
        self._cache = cache
        self._wake = threading.Condition()
        self._asked = self._done = 0
        self._stopped = False
        self.failure: IndexFailure | None = None
        """Why the last batch failed, None when it succeeded."""
        self._thread = threading.Thread(target=self._run, name="encode", daemon=True)

    @property
    def missing(self) -> int:
        """How many memories have no encoding yet; 0 without an encoder."""
        index = self._index()
        return index.snapshot().unencoded_count if index is not None and index.encoder is not None else 0

    @property
    def done(self) -> int:
        """A number that increases when the memories of a request are encoded."""
        return self._done

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def wake(self) -> None:
        """Encode what is missing."""
        with self._wake:
            self._asked += 1
            self._wake.notify_all()

    def stop(self) -> None:
        """Stop after the current batch."""
        with self._wake:
            self._stopped = True
            self._wake.notify_all()
        if self._thread.is_alive():
            self._thread.join()

    def wait(self, seconds: float) -> bool:
        """Wait at most `seconds` until all memories are encoded; return whether they are. Raises the failure."""
        with self._wake:
            done = self._wake.wait_for(lambda: self._done >= self._asked or self._stopped, seconds)
        failure = self.failure
        if done and failure is not None:
            raise MuninnError(f"memories can't be encoded: {failure.message}", hint=failure.hint)
        return done

    def _run(self) -> None:
        _lower_priority()
        retry: float | None = None
        while True:
            with self._wake:
                if not self._wake.wait_for(lambda: self._done < self._asked or self._stopped, retry):
                    self._asked += 1  # what failed is tried again
                if self._stopped:
                    return
                asked = self._asked
            failure, more = None, False
            index = self._index()
            try:
                more = index is not None and index.encode_some()
                retry = None
            except Exception as error:  # memories stay comparable by the table
                failure, retry = failure_of(error, self._cache), longer_retry(retry)
                if failure != self.failure and self._index() is index:  # a closed index is not a failure
                    log.exception("memories could not be encoded")
            with self._wake:
                self.failure = failure
                self._done = self._done if more else asked
                self._wake.notify_all()


def _lower_priority() -> None:
    """Let other threads and processes come first. Only Linux has priorities of threads."""
    if sys.platform == "linux":
        try:
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICE)
        except OSError:
            pass  # the system forbids it, and the work competes with others
