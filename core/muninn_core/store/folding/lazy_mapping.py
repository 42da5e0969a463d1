"""A mapping whose values are created on first use: a number stands for a value to be created.

Most values of a long log are never read, and creating all of them would take most of the time to open it.
"""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from contextlib import nullcontext
from typing import TypeVar, cast

from muninn_core.store.folding.gc_pause import gc_paused

T = TypeVar("T")

_GC_PAUSE_SIZE = 10_000
"""Values from which the cycle collector is paused while all are created, and leaves them out afterwards."""

MAX_KEPT = 20_000
"""The most values that are all kept once one caller has read all of them. Of memories they take 25 MB."""

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


def each_value(values: Mapping[str, T]) -> Iterable[T]:
    """Return all values of a mapping. Of more than `MAX_KEPT`, those that are not created yet are not kept."""
    return values.each_value() if isinstance(values, LazyMapping) else values.values()


def passing_getter(values: Mapping[str, T]) -> Callable[[str], T | None]:
    """Return a function like `getter`, for a caller that reads all values and keeps none, as `each_value`."""
    return values.passing_getter() if isinstance(values, LazyMapping) else values.get


class LazyMapping(Mapping[str, T]):
    """A view of slots. `make` must return the same object for the same number.

    `make_passing` returns an object that is not kept, unless it was created before.
    """

    __slots__ = ("_make", "_make_passing", "_slots", "complete")

    def __init__(
        self, slots: Slots[T], make: Callable[[int], T] | None, make_passing: Callable[[int], T] | None = None
    ) -> None:
        self._slots = slots
        self._make = make
        self._make_passing = make_passing or make
        self.complete = make is None
        """Whether every value has been created."""

    def __getitem__(self, key: str) -> T:
        make = self._make  # before the value: when all are created, this is None and no value is a number
        value = self._slots[key]
        return make(value) if isinstance(value, int) and make is not None else cast("T", value)

    def getter(self) -> Callable[[str], T | None]:
        """Return the fastest function that returns the value of a key, None for an unknown one."""
        make = self._make
        if self.complete or make is None:
            return cast("dict[str, T]", self._slots).get
        return _getter(self._slots, make)

    def each_value(self) -> Iterable[T]:
        """Return all values; see the function of this name."""
        make = self._make_passing
        if self.complete or make is None or len(self._slots) <= MAX_KEPT:
            return self.values()
        return (make(value) if isinstance(value, int) else value for value in self._slots.values())

    def passing_getter(self) -> Callable[[str], T | None]:
        """Return a function like `getter`; see the function of this name."""
        make, slots = self._make_passing, self._slots
        if self.complete or make is None or len(slots) <= MAX_KEPT:
            return self.getter()
        return _getter(slots, make)

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
            with gc_paused() if len(self._slots) >= _GC_PAUSE_SIZE else nullcontext():
                make_all(self._slots, self._make)
            self.complete = True
            self._make = self._make_passing = None  # what the values were created from is no longer needed here
        return cast("dict[str, T]", self._slots)


def _getter(slots: Slots[T], make: Callable[[int], T]) -> Callable[[str], T | None]:
    """Return a function that returns the value of a key, and creates it where there is a number."""

    def get(key: str) -> T | None:
        value = slots.get(key)
        return make(value) if isinstance(value, int) else value

    return get
