"""Ctrl-C in tests that run where it is ignored: under nohup, as a background job, in some CI systems."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Let SIGINT end the processes that start in this block, even if the test run ignores it. Main thread only.

    A process inherits that a signal is ignored. A handler is not inherited: the new process has the default.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
