"""A file's lines, as citations need them: marks of spans, and where in the file a marked span stands.

A mark recognises a span by its text, whatever blanks, line ends and depth of indentation it has (docs/formats/log.md,
"Marks"). It says nothing of what the text was.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple
from zlib import crc32

from muninn_core.source.classify import language_of
from muninn_core.source.extent import Extent, Outline

_MARK = re.compile(r"^(\d{1,7})-([0-9a-f]{8})-([0-9a-f]{16})$")


class Row(NamedTuple):
    """A line that is not blank: its number (1-based), the width of its indentation, its words."""

    line: int
    width: int
    words: str


class Mark(NamedTuple):
    """A mark, taken apart: how many lines are not blank, the sum of the first one, the digest of all."""

    lines: int
    first: int
    whole: str


def mark_of(lines: Sequence[str]) -> str | None:
    """Return the mark of a span of lines, None when all are blank."""
    rows = _rows(lines)
    if not rows:
        return None
    return f"{len(rows)}-{crc32(rows[0].words.encode('utf-8', 'surrogatepass')):08x}-{_digest(rows)}"


def read_mark(text: str | None) -> Mark | None:
    """Take a mark apart; None for what is none of ours."""
    found = _MARK.match(text or "")
    return Mark(int(found[1]), int(found[2], 16), found[3]) if found else None


class LineIndex:
    """The text of one file. `path` decides the language of its definitions."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text

    @cached_property
    def lines(self) -> list[str]:
        """The lines, without their ends."""
        return self.text.split("\n")

    @property
    def length(self) -> int:
        """The number of lines; a newline at the end begins none."""
        return len(self.lines) - (self.lines[-1] == "")

    @property
    def extents(self) -> list[Extent]:
        """The file's definitions, in the order in which they begin."""
        return self._outline.extents

    def named(self, symbol: str) -> list[Extent]:
        """Return the definitions that a name means, as `Outline.named` does."""
        return self._outline.named(symbol)

    def span(self, start: int, end: int) -> list[str]:
        """Return the lines from `start` to `end` (1-based, inclusive)."""
        if end < 0 or "lines" in self.__dict__:
            return self.lines[max(start, 1) - 1 : end]
        return self.text.split("\n", end)[:end][max(start, 1) - 1 :]  # most pages are asked for one span

    def holds(self, mark: Mark, start: int, end: int) -> bool:
        """Whether a marked span stands exactly there."""
        rows = _rows(self.span(start, end))
        return len(rows) == mark.lines and _digest(rows) == mark.whole

    def find(self, mark: Mark) -> list[tuple[int, int]]:
        """Return every place where the marked span stands."""
        found = []
        for at in self._firsts.get(mark.first, ()):
            rows = list(islice(_rows_from(self.lines, at), mark.lines))
            if len(rows) == mark.lines and _digest(rows) == mark.whole:
                found.append((rows[0].line, rows[-1].line))
        return found

    def rows_of(self, wanted: set[str]) -> list[Row]:
        """Return the lines whose words are wanted, in order."""
        return [row for row in self._all_rows if row.words in wanted]

    @cached_property
    def _outline(self) -> Outline:
        return Outline(self.text, self.lines, language_of(self.path))

    @cached_property
    def _all_rows(self) -> list[Row]:
        return _rows(self.lines)

    @cached_property
    def _firsts(self) -> dict[int, list[int]]:
        """At which lines (counted from 0) a span may begin, by the sum of their words."""
        found: dict[int, list[int]] = {}
        for at, line in enumerate(self.lines):  # no rows: of most pages one look-up is all that is ever asked
            words = " ".join(line.split())
            if words:
                found.setdefault(crc32(words.encode("utf-8", "surrogatepass")), []).append(at)
        return found


def likeness(one: Sequence[str], other: Sequence[str]) -> float:
    """Return which share of the telling lines of `one` stands in `other`, too, in any order; 0 when none tells."""
    telling = words_of(one)
    there = {row.words for row in _rows(other)}
    return sum(words in there for words in telling) / len(telling) if telling else 0.0


def remains(page: LineIndex, wanted: set[str], reach: int) -> tuple[int, int, int]:
    """Return the stretch of at most `reach` lines that holds most of some lines: (how many, first line, last line).

    `wanted` is made by `words_of`. Of equal stretches the first; (0, 0, 0) when none of the lines stands there.
    """
    rows = page.rows_of(wanted)
    best = (0, 0, 0)
    inside: Counter[str] = Counter()
    begin = 0
    for row in rows:
        inside[row.words] += 1
        while row.line - rows[begin].line >= reach:
            left = rows[begin].words
            inside[left] -= 1
            if not inside[left]:
                del inside[left]
            begin += 1
        if len(inside) > best[0]:
            best = (len(inside), rows[begin].line, row.line)
    return best


def words_of(lines: Sequence[str]) -> list[str]:
    """Return the telling ones of some lines, as `remains` and `likeness` compare them."""
    return [row.words for row in _rows(lines) if tells(row.words)]


def tells(line: str) -> bool:
    """Whether a line says something of what stands there: a bracket or an `end` does not."""
    return len(line.strip()) > 3


def _rows(lines: Sequence[str]) -> list[Row]:
    return list(_rows_from(lines, 0))


def _rows_from(lines: Sequence[str], first: int) -> Iterator[Row]:
    for at in range(first, len(lines)):
        line = lines[at]
        parts = line.split()
        if parts:
            yield Row(at + 1, line.index(parts[0]), " ".join(parts))


def _digest(rows: Sequence[Row]) -> str:
    ranks = {width: rank for rank, width in enumerate(sorted({row.width for row in rows}))}
    text = "\n".join(f"{ranks[row.width]} {row.words}" for row in rows)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
