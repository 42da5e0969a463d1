"""A mapping whose values are created on first use: a number stands for a value to be created.

Most values of a long log are never read, and creating all of them would take most of the time to open it.
"""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterator, KeysView, Mapping, ValuesView
from contextlib import nullcontext
from typing import TypeVar, cast

from muninn_core.store.gc_pause import gc_paused

T = TypeVar("T")

_MANY = 10_000
"""Values from which the cycle collector is paused while all are created, and leaves them out afterwards."""

Slots = dict[str, T | int]
"""Values, or the numbers of values to be created. No value is itself an int."""


def make_all(slots: Slots[T], make: Callable[[int], T]) -> dict[str, T]:
    """Replace all numbers by their values, in place, and return the dict."""
    for key, value in slots.items():
        if isinstance(value, int):
            slots[key] = make(value)  # an existing key, so concurrent iteration is safe
    return cast("dict[str, T]", slots)


def getter(values: Mapping[str, T]) -> Callable[[str], T | None]:
    """Return the fastest function that returns the value of a key of a mapping, None for an unknown one."""
    return values.getter() if isinstance(values, LazyMapping) else values.get


class LazyMapping(Mapping[str, T]):
    """A view of slots. `make` must return the same object for the same number."""

    __slots__ = ("_make", "_slots", "complete")

    def __init__(self, slots: Slots[T], make: Callable[[int], T] | None) -> None:
        self._slots = slots
        self._make = make
        self.complete = make is None
        """Whether every value has been created."""

    def __getitem__(self, key: str) -> T:
        make = self._make  # before the value: when all are created, this is None and no value is a number
        value = self._slots[key]
        return make(value) if isinstance(value, int) and make is not None else cast("T", value)

    def getter(self) -> Callable[[str], T | None]:
        """Return the fastest function that returns the value of a key, None for an unknown one."""
        return cast("dict[str, T]", self._slots).get if self.complete else self.get

    def __contains__(self, key: object) -> bool:
        return key in self._slots

    def __iter__(self) -> Iterator[str]:
        return iter(self._slots)

    def __len__(self) -> int:
        return len(self._slots)

    def keys(self) -> KeysView[str]:
        """Return the keys without creating values."""
        return self._slots.keys()

    def values(self) -> ValuesView[T]:
        """Return all values; creates the missing ones."""
        return self._make_all().values()

    def items(self) -> ItemsView[str, T]:
        """Return all keys and values; creates the missing values."""
        return self._make_all().items()

    def __repr__(self) -> str:
        return repr(self._make_all())

    def _make_all(self) -> dict[str, T]:
        if not self.complete and self._make is not None:
            with gc_paused() if len(self._slots) >= _MANY else nullcontext():
                make_all(self._slots, self._make)
            self.complete = True
            self._make = None  # what the values were created from is no longer needed here
        return cast("dict[str, T]", self._slots)
