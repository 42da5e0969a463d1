"""The smaller forms of an item that does not fit whole: its beginning, which has header and signature, or its place."""

from __future__ import annotations

from collections.abc import Callable

from muninn_core.context.hover import shorten
from muninn_core.model.value import replace
from muninn_core.protocol.results import PackItem

LEAST_TOKENS = 40
"""A part that has less room helps nobody."""

LEAST_LINES = 3
"""Nor does one of fewer lines, nor one of fewer words than three times as many for a text without lines."""

Cost = Callable[[PackItem], int]


def part(item: PackItem, room: int, cost: Cost) -> PackItem | None:
    """Return an item with as much of its beginning as `room` tokens take; None where that would not help."""
    if room < LEAST_TOKENS:
        return None
    pieces = item.text.split(" ") if item.kind == "memory" else item.text.split("\n")
    least = 3 * LEAST_LINES if item.kind == "memory" else LEAST_LINES
    low, high = 0, len(pieces) - 1
    while low < high:  # the longest beginning that fits; what an item takes grows with its text
        middle = (low + high + 1) // 2
        low, high = (middle, high) if cost(_cut(item, pieces, middle)) <= room else (low, middle - 1)
    if low < least:
        return None
    found = _cut(item, pieces, low)
    return replace(found, tokens=cost(found))


def headline(item: PackItem, cost: Cost) -> PackItem:
    """Return an item without its text: the line that says where it is."""
    said = item.title or (item.text if item.kind == "memory" else "")
    bare = replace(item, text="", form="headline", title=shorten(said, 70))
    return replace(bare, tokens=cost(bare))


def _cut(item: PackItem, pieces: list[str], count: int) -> PackItem:
    if item.kind == "memory":
        return replace(item, text=" ".join(pieces[:count]) + " …", form="part")
    return replace(item, text="\n".join(pieces[:count]).rstrip(), form="part")
