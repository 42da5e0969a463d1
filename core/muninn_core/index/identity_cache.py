"""A small cache of results computed from long sequences, keyed by the identity of the sequence.

A filter gives the same list of files or memories to each question, until they change. Comparing or hashing thousands of
elements would take as long as what it saves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

T = TypeVar("T")

_MIN_LENGTH = 100
"""Elements from which a sequence is cached. Questions without a filter pass many short ones."""

_MAX_RESULTS = 8
"""Sequences whose results are cached."""


class IdentityCache(Generic[T]):
    """Safe to use from several threads. The sequences must not change, so that only tuples are cached."""

    __slots__ = ("_last",)

    def __init__(self) -> None:
        self._last: tuple[tuple[Sequence[Any], T], ...] = ()

    def get(self, key: Sequence[Any], make: Callable[[], T]) -> T:
        """Return the cached result for a sequence, or what `make` returns."""
        if not isinstance(key, tuple) or len(key) < _MIN_LENGTH:
            return make()
        for known, value in self._last:
            if known is key:
                return value
        value = make()
        self._last = (*self._last[1 - _MAX_RESULTS :], (key, value))
        return value

    def clear(self) -> None:
        """Forget all results."""
        self._last = ()
