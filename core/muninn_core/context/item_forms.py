"""The shorter forms of a pack item: a part of its text, or its location alone."""

from __future__ import annotations

from collections.abc import Callable

from muninn_core.context.memory_summary import shorten
from muninn_core.model.value import replace
from muninn_core.protocol.search import PackItem

MIN_TOKENS = 40
"""A part with less room is not worth including."""

MIN_LINES = 3
"""The minimum number of lines of a part; for a text without lines, three times as many words."""

Cost = Callable[[PackItem], int]


def cut_to_fit(item: PackItem, room: int, cost: Cost, line: int = 0) -> PackItem | None:
    """Return an item cut to `room` tokens; None when the part would be too short.

    The part is the beginning of the text. For code with `line` (1-based, in the file) it is the lines around that line.
    """
    if room < MIN_TOKENS:
        return None
    pieces = item.text.split(" ") if item.kind == "memory" else item.text.split("\n")
    least = 3 * MIN_LINES if item.kind == "memory" else MIN_LINES
    at = line - item.start_line if item.start_line <= line <= item.end_line else 0
    low, high = 0, len(pieces) - 1
    while low < high:  # binary search: the cost grows with the text
        middle = (low + high + 1) // 2
        low, high = (middle, high) if cost(_cut(item, pieces, middle, at)) <= room else (low, middle - 1)
    if low < least:
        return None
    found = _cut(item, pieces, low, at)
    return replace(found, tokens=cost(found))


def location_only(item: PackItem, cost: Cost) -> PackItem:
    """Return an item without its text, which is rendered as one line with its location."""
    said = item.title or (item.text if item.kind == "memory" else "")
    bare = replace(item, text="", form="headline", title=shorten(said, 70))
    return replace(bare, tokens=cost(bare))


def _cut(item: PackItem, pieces: list[str], count: int, at: int) -> PackItem:
    """Return an item with `count` of its pieces, starting a third of them before the piece at `at`."""
    if item.kind == "memory":
        return replace(item, text=" ".join(pieces[:count]) + " …", form="part")
    if len(pieces) != item.end_line - item.start_line + 1:  # a header is repeated, so lines can't be numbered
        return replace(item, text="\n".join(pieces[:count]), form="part")
    first = 0 if at < count else min(at - count // 3, len(pieces) - count)
    start = item.start_line + first
    text = "\n".join(pieces[first : first + count])
    return replace(item, text=text, form="part", start_line=start, end_line=start + count - 1)
