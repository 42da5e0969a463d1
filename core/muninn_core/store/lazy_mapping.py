"""A mapping whose values need not be there yet: a number stands for one that is made when somebody asks for it.

Most of what a long log says is never asked for between two starts; making it all would be most of the time to open.
"""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterator, KeysView, Mapping, ValuesView
from typing import TypeVar, cast

T = TypeVar("T")

Slots = dict[str, T | int]
"""Values, or the numbers of those that are to be made. No value is a number itself."""


def make_all(slots: Slots[T], make: Callable[[int], T]) -> dict[str, T]:
    """Put the values in the place of all numbers, in the dict itself, and return it."""
    for key, value in slots.items():
        if isinstance(value, int):
            slots[key] = make(value)  # the key is there already, so who iterates meanwhile is not disturbed
    return cast("dict[str, T]", slots)


class LazyMapping(Mapping[str, T]):
    """A view of slots. `make` gives the same object each time it is asked for a number."""

    __slots__ = ("_make", "_slots", "settled")

    def __init__(self, slots: Slots[T], make: Callable[[int], T] | None) -> None:
        self._slots = slots
        self._make = make
        self.settled = make is None
        """Whether every value has been made."""

    def __getitem__(self, key: str) -> T:
        value = self._slots[key]
        return self._make(value) if isinstance(value, int) and self._make is not None else cast("T", value)

    def __contains__(self, key: object) -> bool:
        return key in self._slots

    def __iter__(self) -> Iterator[str]:
        return iter(self._slots)

    def __len__(self) -> int:
        return len(self._slots)

    def keys(self) -> KeysView[str]:
        """Return the keys; no value is made."""
        return self._slots.keys()

    def values(self) -> ValuesView[T]:
        """Return all values, made now where they were not."""
        return self._all().values()

    def items(self) -> ItemsView[str, T]:
        """Return all keys with their values, made now where they were not."""
        return self._all().items()

    def __repr__(self) -> str:
        return repr(self._all())

    def _all(self) -> dict[str, T]:
        if not self.settled and self._make is not None:
            make_all(self._slots, self._make)
            self.settled = True
        return cast("dict[str, T]", self._slots)
