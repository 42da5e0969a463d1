"""Runs a function on a thread of its own, for a caller that waits no longer than a hook can."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

T = TypeVar("T")


def run_beside(function: Callable[[], T], name: str) -> Future[T]:
    """Start a function on a daemon thread and return its future result, which has its exception, too."""
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(function())
        except BaseException as error:  # the caller gets it from the future
            future.set_exception(error)

    Thread(target=run, name=name, daemon=True).start()
    return future
