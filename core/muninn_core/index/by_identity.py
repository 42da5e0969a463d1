"""A small cache of what long sequences give, by the identity of the sequence.

A filter gives the same list of files or memories to each question, until they change. Comparing or hashing thousands of
elements would take as long as what it saves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

T = TypeVar("T")

_LEAST = 100
"""Elements from which a sequence is cached. Questions without a filter pass many short ones."""

_MOST = 8
"""Sequences whose results are cached."""


class ByIdentity(Generic[T]):
    """Safe to use from several threads. The sequences must not change, so that only tuples are cached."""

    __slots__ = ("_last",)

    def __init__(self) -> None:
        self._last: tuple[tuple[Sequence[Any], T], ...] = ()

    def get(self, key: Sequence[Any], make: Callable[[], T]) -> T:
        """Return the cached result for a sequence, or what `make` returns."""
        if not isinstance(key, tuple) or len(key) < _LEAST:
            return make()
        for known, value in self._last:
            if known is key:
                return value
        value = make()
        self._last = (*self._last[1 - _MOST :], (key, value))
        return value

    def clear(self) -> None:
        """Forget all results."""
        self._last = ()
