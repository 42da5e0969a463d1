"""Finds the lines of a text that match a question best: whole definitions where the text is code.

Context packs show these lines of a chunk when the whole chunk would leave no room for other files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from muninn_core.retrieval.text.snippet import Marker
from muninn_core.source.code.definition import Definition

LENGTH_EXPONENT = 0.3
"""How much the length of a definition counts against the words of the question in it, as an exponent."""

LENGTH_OFFSET = 210
"""The characters that are added to the length of a definition, so that the shortest ones do not win by their length."""

Outline = Callable[[str], Sequence[Definition]]
"""Returns the definitions of a file by line; none for an unknown file."""


class Passage(NamedTuple):
    """A definition in a text: its first and last line, 1-based in its file, its name and that of what encloses it."""

    first: int
    last: int
    name: str
    container: str


class Passages(NamedTuple):
    """The definitions of a text that match a question, best first, and its best line in the file; 0 for none."""

    definitions: tuple[Passage, ...] = ()
    line: int = 0


class PassageFinder:
    """Finds passages in chunks of files. `marker` knows the words of the question."""

    def __init__(self, marker: Marker, outline: Outline) -> None:
        self._marker = marker
        self._outline = outline

    def passages(self, path: str, text: str, first: int) -> Passages:
        """Return the passages of a text that begins at line `first` of a file.

        A definition is cut at the ends of the text. It includes its comments and decorators, and needs a word of the
        question. The best one has the highest weight of distinct words in relation to its length.
        """
        rows = text.split("\n")
        best, masks = self._marker.best_line(rows)
        if best < 0:
            return Passages()
        return Passages(tuple(self._definitions(path, rows, first, masks)), first + best)

    def _definitions(self, path: str, rows: Sequence[str], first: int, masks: Mapping[int, int]) -> list[Passage]:
        last = first + len(rows) - 1
        found: dict[tuple[int, int], tuple[float, Passage]] = {}
        for each in self._outline(path):
            start, end = max(each.lead or each.start, first), min(each.end, last)
            if start >= end or (start, end) in found:
                continue
            weight = self._marker.weight(mask for i, mask in masks.items() if start <= first + i <= end)
            if weight:
                length = sum(map(len, rows[start - first : end - first + 1]))
                score = weight / (length + LENGTH_OFFSET) ** LENGTH_EXPONENT
                found[start, end] = (-score, Passage(start, end, each.name, each.container))
        return [passage for _, passage in sorted(found.values())]
