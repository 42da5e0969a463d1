"""Runs a function on its own daemon thread, so that a caller can wait for it with a timeout."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

T = TypeVar("T")


def run_in_thread(function: Callable[[], T], name: str) -> Future[T]:
    """Start a function on a daemon thread and return the future of its result or exception."""
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(function())
        except BaseException as error:  # the caller gets it from the future
            future.set_exception(error)

    Thread(target=run, name=name, daemon=True).start()
    return future
