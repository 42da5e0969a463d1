"""The lines of a file for citations: marks of spans, and where a marked span is in the file.

A mark identifies a span by its text, independent of blanks, line ends and indentation depth (docs/formats/log.md,
"Marks"). The text can't be recovered from it.
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

from muninn_core.source.code.extent import Extent, Outline
from muninn_core.source.files.classify import language_of

_MARK = re.compile(r"^(\d{1,7})-([0-9a-f]{8})-([0-9a-f]{16})$")


_WORD = re.compile(r"[^\W\d]\w{2,}")

_INDENTED = frozenset({"python", "yaml", "coffeescript", "haml", "pug", "sass", "nim", "haskell", "fsharp"})
"""Languages in which indentation has a meaning."""

_HASH_COMMENTS = frozenset({"python", "yaml", "coffeescript", "nim"})
"""Those of them in which `#` begins a comment, whose indentation has none."""


class Row(NamedTuple):
    """A line that is not blank: its number (1-based), the width of its indentation, its words."""

    line: int
    width: int
    words: str


class Mark(NamedTuple):
    """A parsed mark: the number of non-blank lines, the CRC-32 of the first one, the digest of all."""

    lines: int
    first: int
    whole: str


def make_mark(lines: Sequence[str]) -> str | None:
    """Return the mark of a span of lines, None when all are blank."""
    rows = _rows(lines)
    if not rows:
        return None
    return f"{len(rows)}-{crc32(rows[0].words.encode('utf-8', 'surrogatepass')):08x}-{_digest(rows)}"


def read_mark(text: str | None) -> Mark | None:
    """Parse a mark; None when it is malformed."""
    found = _MARK.match(text or "")
    return Mark(int(found[1]), int(found[2], 16), found[3]) if found else None


class LineIndex:
    """The lines of one file. `path` decides the language of its definitions."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text

    @cached_property
    def lines(self) -> list[str]:
        """The lines, without newlines."""
        return self.text.split("\n")

    @property
    def length(self) -> int:
        """The number of lines; a final newline starts none."""
        return len(self.lines) - (self.lines[-1] == "")

    @property
    def extents(self) -> list[Extent]:
        """The file's definitions, in the order of their first lines."""
        return self._outline.extents

    def find_named(self, symbol: str) -> list[Extent]:
        """Return the definitions that a name means; see `Outline.find_named`."""
        return self._outline.find_named(symbol)

    def span(self, start: int, end: int) -> list[str]:
        """Return the lines from `start` to `end` (1-based, inclusive)."""
        if end < 0 or "lines" in self.__dict__:
            return self.lines[max(start, 1) - 1 : end]
        return self.text.split("\n", end)[:end][max(start, 1) - 1 :]  # most files are read for one span only

    def matches(self, mark: Mark, start: int, end: int) -> bool:
        """Whether the marked span is exactly at these lines."""
        rows = _rows(self.span(start, end))
        return len(rows) == mark.lines and _digest(rows) == mark.whole

    def find(self, mark: Mark) -> list[tuple[int, int]]:
        """Return every position of the marked span."""
        found = []
        for at in self._lines_by_checksum.get(mark.first, ()):
            rows = list(islice(_rows_from(self.lines, at), mark.lines))
            if len(rows) == mark.lines and _digest(rows) == mark.whole:
                found.append((rows[0].line, rows[-1].line))
        return found

    def find_ignoring_blanks(self, lines: Sequence[str]) -> list[tuple[int, int]]:
        """Return every position of lines that differ in blanks at most, as after a formatter.

        Blank lines do not count. Where indentation has a meaning, each line must be in the same block.
        """
        language = language_of(self.path)
        wanted = _rows(lines)
        bare = [row.words.replace(" ", "") for row in wanted]
        count, found = len(bare), []
        for at, first in enumerate(self._bare_rows):
            if bare and first == bare[0] and self._bare_rows[at : at + count] == bare:
                rows = self._all_rows[at : at + count]
                if language not in _INDENTED or _depths(rows, language) == _depths(wanted, language):
                    found.append((rows[0].line, rows[-1].line))
        return found

    def rows_of(self, wanted: set[str]) -> list[Row]:
        """Return the lines whose words are in `wanted`, in order."""
        return [row for row in self._all_rows if row.words in wanted]

    @cached_property
    def _outline(self) -> Outline:
        return Outline(self.text, self.lines, language_of(self.path))

    @cached_property
    def _all_rows(self) -> list[Row]:
        return _rows(self.lines)

    @cached_property
    def _bare_rows(self) -> list[str]:
        """The lines that are not blank, without blanks."""
        return [row.words.replace(" ", "") for row in self._all_rows]

    @cached_property
    def _lines_by_checksum(self) -> dict[int, list[int]]:
        """Line indexes by the CRC-32 of their words."""
        found: dict[int, list[int]] = {}
        for at, line in enumerate(self.lines):  # hot: no `Row` per line
            words = " ".join(line.split())
            if words:
                found.setdefault(crc32(words.encode("utf-8", "surrogatepass")), []).append(at)
        return found


def similarity(one: Sequence[str], other: Sequence[str]) -> float:
    """Return the share of the informative lines of `one` that `other` contains, in any order; 0 when there are none.

    Blanks, the kind of quotes and a comma or semicolon at the end do not count: a formatter changes them.
    """
    wanted = informative_words(one)
    found = set(_without_style(other)) if wanted else set()
    return sum(map(found.__contains__, _without_style(wanted))) / len(wanted) if wanted else 0.0


def _without_style(lines: Sequence[str]) -> list[str]:
    """Return lines without what a formatter changes."""
    text = "\n".join(["".join(line.split()) for line in lines]) + "\n"
    return text.replace(";\n", "\n").replace(",\n", "\n").replace('"', "'").split("\n")[:-1]


def word_similarity(one: Sequence[str], other: Sequence[str]) -> float:
    """Return the share of the distinct words of `one` that `other` contains; 0 when there are none.

    Words remain where a formatter or an added type changed every line.
    """
    wanted = {word for line in one for word in _WORD.findall(line)}
    found = {word for line in other for word in _WORD.findall(line)}
    return len(wanted & found) / len(wanted) if wanted else 0.0


def count_words(lines: Sequence[str]) -> int:
    """Return the number of distinct words that `word_similarity` compares."""
    return len({word for line in lines for word in _WORD.findall(line)})


def densest_range(page: LineIndex, wanted: set[str], reach: int) -> tuple[int, int, int]:
    """Return the range of at most `reach` lines with most `wanted` lines: (count, first line, last line).

    `wanted` is from `informative_words`. The first of equal ranges wins; (0, 0, 0) when no line matches.
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


def informative_words(lines: Sequence[str]) -> list[str]:
    """Return the words of the informative lines, as `densest_range` and `similarity` compare them."""
    return [row.words for row in _rows(lines) if is_informative(row.words)]


def is_informative(line: str) -> bool:
    """Whether a line identifies its code; a bracket or an `end` does not."""
    return len(line.strip()) > 3


def _rows(lines: Sequence[str]) -> list[Row]:
    return list(_rows_from(lines, 0))


def _rows_from(lines: Sequence[str], first: int) -> Iterator[Row]:
    for at in range(first, len(lines)):
        line = lines[at]
        parts = line.split()
        if parts:
            yield Row(at + 1, line.index(parts[0]), " ".join(parts))


def _levels(rows: Sequence[Row]) -> list[int]:
    """Return the level of indentation of each row among those of the span."""
    ranks = {width: rank for rank, width in enumerate(sorted({row.width for row in rows}))}
    return [ranks[row.width] for row in rows]


def _depths(rows: Sequence[Row], language: str) -> list[int]:
    """Return the depth of each row's block as Python counts it, relative to the first one. Comments have none.

    Blocks of different widths may be beside each other: their depth is the same and their level is not.
    """
    found: list[int] = []
    outer: list[int] = []
    base = 0
    for row in rows:
        if row.words.startswith("#") and language in _HASH_COMMENTS:
            continue
        while outer and outer[-1] > row.width:
            outer.pop()
            base -= not outer
        if not outer or outer[-1] < row.width:
            outer.append(row.width)
        found.append(base + len(outer))
    return found


def _digest(rows: Sequence[Row]) -> str:
    text = "\n".join(f"{level} {row.words}" for level, row in zip(_levels(rows), rows, strict=True))
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
