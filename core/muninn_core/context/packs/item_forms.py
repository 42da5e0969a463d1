"""The shorter forms of a pack item: a part of its text, or its location alone."""

from __future__ import annotations

from collections.abc import Callable

from muninn_core.context.memory_summary import shorten
from muninn_core.model.value import replace
from muninn_core.protocol.families.search import PackItem
from muninn_core.retrieval.text.passages import Passage, Passages

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


def cut_to_passage(item: PackItem, room: int, cost: Cost, passages: Passages) -> PackItem | None:
    """Return an item cut to its best definition that fits in `room` tokens, named by it.

    Without one, it is cut to the beginning of its best definition, else to the lines around its best line. None when
    the part would be too short.
    """
    rows = item.text.split("\n")
    numbered = len(rows) == item.end_line - item.start_line + 1
    parts = [_definition(item, rows, each) for each in passages.definitions if numbered and _is_within(each, item)]
    for part in parts:
        if (tokens := cost(part)) <= room:
            return replace(part, tokens=tokens)
    begun = cut_to_fit(parts[0], room, cost) if parts else None
    return begun or cut_to_fit(item, room, cost, passages.line)


def _is_within(passage: Passage, item: PackItem) -> bool:
    return item.start_line <= passage.first <= passage.last <= item.end_line


def _definition(item: PackItem, rows: list[str], passage: Passage) -> PackItem:
    text = "\n".join(rows[passage.first - item.start_line : passage.last - item.start_line + 1])
    part = replace(item, text=text, form="part", start_line=passage.first, end_line=passage.last)
    return replace(part, title=passage.container or passage.name, symbol=passage.name)


def location_only(item: PackItem, cost: Cost) -> PackItem:
    """Return an item of a file without its text, which is rendered as one line with its location."""
    bare = replace(item, text="", form="headline", title=shorten(item.title, 70))
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
