"""From where to where a definition reaches: by indentation, for every language whose definitions are known.

It reads no grammar. Closing brackets belong to what they close; comments and labels end nothing. One definition is
found without looking at all the others: lines are only taken apart where an expression says that they may matter.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import NamedTuple

from muninn_core.source.symbols import defined, definitions

_OPENING = ("{", "(", "[", ":")
_CLOSERS = re.compile(r"^(?:[)\]}]|end\b)")
_NEUTRAL = re.compile(r"^(?:#|//|/\*|\*|(?:public|private|protected|default)\s*:|case\b)")
_QUOTES = ('"""', "'''")
_PIECES = re.compile(r"""\"{3}|'{3}|\#.*|"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?""")
"""What a line of Python has that quotes may stand in."""

_TAB = 4


class Extent(NamedTuple):
    """A definition: its name with those around it (`Class.method`), its first and last line (1-based)."""

    name: str
    start: int
    end: int


class _Line(NamedTuple):
    """A line that is taken apart: the width of its indentation, and its words."""

    indent: int
    body: str

    @property
    def closer(self) -> bool:
        """Whether it begins with what closes something, or is a brace that opens on a line of its own."""
        return self.body[0] in ")]}e{" and (self.body == "{" or bool(_CLOSERS.match(self.body)))


class Outline:
    """The definitions of one file's text. Lines are counted from 0 inside, from 1 in what it returns."""

    def __init__(self, text: str, lines: list[str], language: str) -> None:
        """`lines` is the text, split at each newline."""
        self._text = "\n" + text  # so that every line has one before it, and expressions a fixed beginning
        self._lines = lines
        self._language = language

    @cached_property
    def extents(self) -> list[Extent]:
        """All definitions in the order in which they begin."""
        found: list[Extent] = []
        open_: list[Extent] = []
        for at, name in definitions(self._lines, self._language).items():
            if self._counts(at):
                end = self._end(at)
                while open_ and open_[-1].end <= at:
                    open_.pop()
                found.append(Extent(f"{open_[-1].name}.{name}" if open_ else name, at + 1, end + 1))
                open_.append(found[-1])
        return found

    def named(self, symbol: str) -> list[Extent]:
        """Return the definitions that a name means: those of the whole name, else of its end, else of its last part."""
        last = symbol.rpartition(".")[2]
        known = [
            Extent(".".join([*self._around(at), name]), at + 1, self._end(at) + 1) for at, name in self._calling(last)
        ]
        return (
            [one for one in known if one.name == symbol]
            or [one for one in known if one.name.endswith("." + symbol)]
            or known
        )

    def _calling(self, last: str) -> Iterator[tuple[int, str]]:
        """Yield the lines that define a name with such a last part, and the whole name."""
        before = -1
        place = self._text.find(last) if last else -1
        while place >= 0:
            at = self._line_of(place)
            if at != before:
                before = at
                name = defined(self._lines[at], self._language)
                if name is not None and name.rpartition(".")[2] == last and self._counts(at):
                    yield at, name
            place = self._text.find(last, place + len(last))

    def _end(self, at: int) -> int:
        """Return the last line of what begins at a line."""
        depth = self._taken(at).indent
        end = last = at
        for i in self._shallow(depth, at + 1, len(self._lines)):
            line = self._taken(i)
            if line.indent > depth or self._in_text(i):
                continue
            if line.indent == depth and line.closer:
                end = i
                if not line.body.endswith(_OPENING):
                    return end
            elif self._ends(i, line):
                last = i
                break
        else:
            last = len(self._lines)
        for i in range(last - 1, end, -1):
            line = self._taken(i)
            if line.body and (line.indent > depth or self._in_text(i)):
                return i
        return end

    def _around(self, at: int) -> list[str]:
        """Return the names of the definitions around a line, outer first."""
        limit = self._taken(at).indent
        names: list[str] = []
        for i in reversed(list(self._shallow(limit - 1, 0, at))) if limit else ():
            line = self._taken(i)
            if line.indent >= limit or self._in_text(i):
                continue
            name = defined(self._lines[i], self._language)
            if name is not None:
                names.append(name)
                limit = line.indent
            elif line.closer and line.body.endswith(_OPENING):
                limit = line.indent + 1
            elif self._ends(i, line):
                limit = line.indent
            if not limit:
                break
        return names[::-1]

    def _shallow(self, depth: int, first: int, end: int) -> Iterator[int]:
        """Yield the lines of a range with words after at most so many blanks or tabs; a tab may be wider."""
        stop = self._starts[end] if end < len(self._lines) else len(self._text)
        begin = self._starts[first] if first < len(self._lines) else stop
        for found in _words_after(depth).finditer(self._text, begin, stop):
            yield self._line_of(found.start())

    def _ends(self, at: int, line: _Line) -> bool:
        """Whether a line ends what is as deep as itself or deeper."""
        if line.body[0] not in "#/*pdc" or not _NEUTRAL.match(line.body):
            return True
        return defined(self._lines[at], self._language) is not None

    def _counts(self, at: int) -> bool:
        """Whether a line that looks like a definition is one, and no part of a text."""
        return bool(self._lines[at].strip()) and not self._in_text(at)

    def _taken(self, at: int) -> _Line:
        line = self._lines[at]
        rest = line.lstrip()
        width = len(line) - len(rest)
        indent = width + (_TAB - 1) * line.count("\t", 0, width) if width else 0
        # The rest of a comment is as deep as its beginning, and no part of what stands above it.
        return _Line(indent - rest.startswith("*"), rest.rstrip())

    def _line_of(self, place: int) -> int:
        return bisect_right(self._starts, place) - 1

    @cached_property
    def _starts(self) -> list[int]:
        """Where the newline before each line is."""
        return list(accumulate(map((1).__add__, map(len, self._lines)), initial=0))[:-1]

    def _in_text(self, at: int) -> bool:
        """Whether a line begins within a text of several lines, which only Python has."""
        edges = self._text_edges
        return bool(edges) and bisect_right(edges, self._starts[at]) % 2 == 1

    @cached_property
    def _text_edges(self) -> list[int]:
        """Where texts in triple quotes begin and end, in turn."""
        edges: list[int] = []
        ahead = {quotes: self._text.find(quotes) for quotes in _QUOTES if self._language == "python"}
        after = 0
        while ahead := {quotes: place for quotes, place in ahead.items() if place >= 0}:
            stop = self._text.find("\n", min(ahead.values()))
            stop = stop if stop >= 0 else len(self._text)
            opened = self._opened(max(after, self._text.rfind("\n", 0, stop) + 1), stop)
            if opened is None:
                after = stop
            else:
                closed = self._text.find(opened[0], opened.end())
                while closed >= 0 and _is_escaped(self._text, closed):
                    closed = self._text.find(opened[0], closed + 1)
                edges += [opened.start(), closed] if closed >= 0 else [opened.start()]
                after = closed + 3 if closed >= 0 else len(self._text)
            ahead = {
                quotes: place if place >= after else self._text.find(quotes, after) for quotes, place in ahead.items()
            }
        return edges

    def _opened(self, begin: int, stop: int) -> re.Match[str] | None:
        """Return the three quotes that open a text on a line; in comments and in texts of one line they open none."""
        return next((piece for piece in _PIECES.finditer(self._text, begin, stop) if piece[0] in _QUOTES), None)


def innermost(known: list[Extent], start: int, end: int) -> Extent | None:
    """Return the smallest definition that holds all of the lines."""
    around = [one for one in known if one.start <= start and end <= one.end]
    return min(around, key=lambda one: (one.end - one.start, -one.start), default=None)


def _is_escaped(text: str, place: int) -> bool:
    before = text[max(0, place - 20) : place]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1


@lru_cache(maxsize=128)
def _words_after(depth: int) -> re.Pattern[str]:
    """Return what finds lines with at most so many blanks or tabs before their first word."""
    return re.compile(rf"\n[^\S\n]{{0,{depth}}}\S")
