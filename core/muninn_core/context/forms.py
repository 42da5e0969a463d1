"""The smaller forms of an item that does not fit whole: its beginning, which has header and signature; of code at hand
the lines that matter; or its place alone.
"""

from __future__ import annotations

from collections.abc import Callable

from muninn_core.context.hover import shorten
from muninn_core.model.value import replace
from muninn_core.protocol.search import PackItem

LEAST_TOKENS = 40
"""A part that has less room helps nobody."""

LEAST_LINES = 3
"""Nor does one of fewer lines, nor one of fewer words than three times as many for a text without lines."""

Cost = Callable[[PackItem], int]


def part(item: PackItem, room: int, cost: Cost, line: int = 0) -> PackItem | None:
    """Return an item with as much of it as `room` tokens take; None where that would not help.

    That is its beginning, or of code the lines around `line` (1-based, in the file) when the item has it.
    """
    if room < LEAST_TOKENS:
        return None
    pieces = item.text.split(" ") if item.kind == "memory" else item.text.split("\n")
    least = 3 * LEAST_LINES if item.kind == "memory" else LEAST_LINES
    at = line - item.start_line if item.start_line <= line <= item.end_line else 0
    low, high = 0, len(pieces) - 1
    while low < high:  # the longest piece that fits; what an item takes grows with its text
        middle = (low + high + 1) // 2
        low, high = (middle, high) if cost(_cut(item, pieces, middle, at)) <= room else (low, middle - 1)
    if low < least:
        return None
    found = _cut(item, pieces, low, at)
    return replace(found, tokens=cost(found))


def headline(item: PackItem, cost: Cost) -> PackItem:
    """Return an item without its text: the line that says where it is."""
    said = item.title or (item.text if item.kind == "memory" else "")
    bare = replace(item, text="", form="headline", title=shorten(said, 70))
    return replace(bare, tokens=cost(bare))


def _cut(item: PackItem, pieces: list[str], count: int, at: int) -> PackItem:
    """Return `count` pieces of an item, the one at `at` among them, a third from their beginning."""
    if item.kind == "memory":
        return replace(item, text=" ".join(pieces[:count]) + " …", form="part")
    if len(pieces) != item.end_line - item.start_line + 1:  # a header was repeated: its lines have no numbers here
        return replace(item, text="\n".join(pieces[:count]), form="part")
    first = 0 if at < count else min(at - count // 3, len(pieces) - count)
    start = item.start_line + first
    text = "\n".join(pieces[first : first + count])
    return replace(item, text=text, form="part", start_line=start, end_line=start + count - 1)
