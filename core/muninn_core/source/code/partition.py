"""Partitions the lines of code along its definitions.

A definition that fits stays whole, with its comments. A larger one is divided along its inner definitions, or between
paragraphs. Small neighbours are joined. Lines are counted from 0; ranges are half-open.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING

from muninn_core.source.files.line_runs import MAX_CHUNK, MIN_CHUNK, group_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from muninn_core.source.code.definition import Definition

_MAX_DEPTH = 40
"""The maximum depth of nested definitions."""

Range = tuple[int, int]


@dataclass(slots=True)
class _Region:
    """The lines of a definition, and the regions within it."""

    start: int
    end: int
    inner: list[_Region] = field(default_factory=list)


BreakScores = Callable[[int, int], list[float]]
"""Returns a score for dividing before each line of a range."""


def partition_lines(lines: Sequence[str], definitions: Iterable[Definition], merits: BreakScores) -> list[Range]:
    """Return ranges of lines that tile the text, each of at most `MAX_CHUNK` characters.

    Only a longer single line exceeds that. `merits` scores the places to divide where no definition does.
    """
    return _Partition(lines, merits).ranges(_region_tree(len(lines), definitions))


def _region_tree(count: int, definitions: Iterable[Definition]) -> _Region:
    """Return the definitions as a tree of regions. A definition that begins within a sibling's lines is dropped."""
    root = _Region(0, count)
    open_ = [root]
    for one in sorted(definitions, key=lambda one: (one.lead, -one.end)):
        start, end = one.lead - 1, one.end
        while start >= open_[-1].end:
            open_.pop()
        outer = open_[-1]
        used_until = outer.inner[-1].end if outer.inner else outer.start + (outer is not root)
        if start < used_until or end > outer.end or len(open_) > _MAX_DEPTH:
            continue
        outer.inner.append(_Region(start, end))
        open_.append(outer.inner[-1])
    return root


class _Partition:
    def __init__(self, lines: Sequence[str], merits: BreakScores) -> None:
        self._blank = [not line.strip() for line in lines]
        self._sizes = [len(line) for line in lines]
        self._before = list(accumulate(self._sizes, initial=0))
        self._merits = merits

    def ranges(self, region: _Region) -> list[Range]:
        """Return the ranges of a region."""
        found: list[Range] = []
        is_whole = False
        for unit in self._units(region):
            parts = [(unit.start, unit.end)] if self._size(unit.start, unit.end) <= MAX_CHUNK else self._parts(unit)
            for n, part in enumerate(parts):
                # Parts of a divided unit are not joined again.
                if found and n == 0 and self._can_join(found[-1], part, is_whole and len(parts) == 1):
                    found[-1] = (found[-1][0], part[1])
                else:
                    found.append(part)
            is_whole = len(parts) == 1
        return found

    def _can_join(self, before: Range, after: Range, whole: bool) -> bool:
        """Whether two neighbours share a piece: they fit, and are whole definitions or one of them is small."""
        small = min(self._size(*before), self._size(*after)) < MIN_CHUNK
        return (whole or small) and self._size(before[0], after[1]) <= MAX_CHUNK

    def _parts(self, unit: _Region) -> list[Range]:
        if unit.inner:
            return self.ranges(unit)
        start, end = unit.start, unit.end
        return [(start + a, start + b) for a, b in group_lines(self._sizes[start:end], self._merits(start, end))]

    def _units(self, region: _Region) -> Iterator[_Region]:
        """Yield the definitions of a region and the lines between them. Blank lines belong to what precedes them."""
        starts: dict[int, list[_Region]] = {region.start: []}
        following = [*(inner.start for inner in region.inner[1:]), region.end]
        for inner, limit in zip(region.inner, following, strict=False):
            starts[inner.start] = inner.inner
            after = inner.end
            while after < limit and self._blank[after]:
                after += 1
            if after < limit:
                starts[after] = starts.get(after, [])
        for (start, inner_regions), end in zip(starts.items(), [*list(starts)[1:], region.end], strict=True):
            if start < end:
                yield _Region(start, end, inner_regions)

    def _size(self, start: int, end: int) -> int:
        return self._before[end] - self._before[start]
