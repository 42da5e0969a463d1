"""Divides the lines of code into pieces that follow its definitions.

A definition that fits stays whole, with its comments; one that does not is divided along what it holds, and a body
that holds no more definitions between its paragraphs. Small neighbours share a piece. Lines are counted from 0, ranges
are half-open. It knows no language: definitions come as ranges of lines.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING

from muninn_core.source.line_runs import LEAST, MOST, tile

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from muninn_core.source.definition import Definition

_DEEPEST = 40
"""How deep definitions in definitions are followed."""

Range = tuple[int, int]


@dataclass(slots=True)
class _Region:
    """A range of lines that a definition takes up, and those within it."""

    start: int
    end: int
    inner: list[_Region] = field(default_factory=list)


Merits = Callable[[int, int], list[float]]
"""Says of each line of a range how good it is to divide before it."""


def divide(lines: Sequence[str], definitions: Iterable[Definition], merits: Merits) -> list[Range]:
    """Return ranges of lines that tile the text, each of at most `MOST` characters but for single longer lines.

    `merits` is asked where no definition says where to divide.
    """
    return _Division(lines, merits).pieces(_nested(len(lines), definitions))


def _nested(count: int, definitions: Iterable[Definition]) -> _Region:
    """Return the definitions as a tree of ranges. What begins on a line that is taken belongs to what took it."""
    root = _Region(0, count)
    open_ = [root]
    for one in sorted(definitions, key=lambda one: (one.lead, -one.end)):
        start, end = one.lead - 1, one.end
        while start >= open_[-1].end:
            open_.pop()
        outer = open_[-1]
        taken = outer.inner[-1].end if outer.inner else outer.start + (outer is not root)
        if start < taken or end > outer.end or len(open_) > _DEEPEST:
            continue
        outer.inner.append(_Region(start, end))
        open_.append(outer.inner[-1])
    return root


class _Division:
    def __init__(self, lines: Sequence[str], merits: Merits) -> None:
        self._blank = [not line.strip() for line in lines]
        self._sizes = [len(line) for line in lines]
        self._before = list(accumulate(self._sizes, initial=0))
        self._merits = merits

    def pieces(self, region: _Region) -> list[Range]:
        """Divide a region."""
        found: list[Range] = []
        joinable = False
        for unit in self._units(region):
            parts = [(unit.start, unit.end)] if self._size(unit.start, unit.end) <= MOST else self._parts(unit)
            for n, part in enumerate(parts):
                # Within what was divided, every division has been thought of already.
                if found and n == 0 and self._joins(found[-1], part, joinable and len(parts) == 1):
                    found[-1] = (found[-1][0], part[1])
                else:
                    found.append(part)
            joinable = len(parts) == 1
        return found

    def _joins(self, before: Range, after: Range, whole: bool) -> bool:
        """Whether two neighbours share a piece: if they fit, and are whole definitions or one of them is small."""
        small = min(self._size(*before), self._size(*after)) < LEAST
        return (whole or small) and self._size(before[0], after[1]) <= MOST

    def _parts(self, unit: _Region) -> list[Range]:
        if unit.inner:
            return self.pieces(unit)
        start, end = unit.start, unit.end
        return [(start + a, start + b) for a, b in tile(self._sizes[start:end], self._merits(start, end))]

    def _units(self, region: _Region) -> Iterator[_Region]:
        """Yield the definitions of a region and what is between them; blank lines belong to what is before them."""
        marks: dict[int, list[_Region]] = {region.start: []}
        following = [*(inner.start for inner in region.inner[1:]), region.end]
        for inner, limit in zip(region.inner, following, strict=False):
            marks[inner.start] = inner.inner
            after = inner.end
            while after < limit and self._blank[after]:
                after += 1
            if after < limit:
                marks[after] = marks.get(after, [])
        for (start, held), end in zip(marks.items(), [*list(marks)[1:], region.end], strict=True):
            if start < end:
                yield _Region(start, end, held)

    def _size(self, start: int, end: int) -> int:
        return self._before[end] - self._before[start]
