"""The first and last line of definitions, by indentation, for all languages of `symbols`.

Closing brackets belong to what they close; comments and labels end nothing. To find one definition, only lines that an
expression selects are examined.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import accumulate, takewhile
from typing import NamedTuple

from muninn_core.source.code.symbols import defined_name, defined_names

_OPENING = ("{", "(", "[", ":")
_CLOSERS = re.compile(r"^(?:[)\]}]|end\b)")
_NEUTRAL = re.compile(r"^(?:#|//|/\*|\*|(?:public|private|protected|default)\s*:|case\b)")
_HEAD_RESTS = {
    language: re.compile(pattern)
    for language, pattern in {
        "rust": r"where\b",
        "swift": r"where\b|->|throws\b",
        "csharp": r"where\b|:(?!:)",
        "cpp": r":(?!:)|->|requires\b",
        "kotlin": r":(?!:)|where\b|(?:\w+\s+)*constructor\b",
        "scala": r"extends\b|with\b|derives\b",
        "java": r"extends\b|implements\b|throws\b",
        "php": r"extends\b|implements\b|:",
        "typescript": r"extends\b|implements\b",
    }.items()
}
"""How lines begin that are the rest of a head, with the same indentation as its first line: `where` in Rust."""

_WHOLE_FILE = re.compile(r"namespace\s[^{]*;")
"""`namespace Shop;` of C#, which belongs to all that follows in its file."""

_QUOTES = ('"""', "'''")
_PIECES = re.compile(r"""\"{3}|'{3}|\#.*|"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?""")
"""The tokens of a Python line that may contain quotes."""

_TAB = 4


class Extent(NamedTuple):
    """A definition: its qualified name (`Class.method`), its first and last line (1-based)."""

    name: str
    start: int
    end: int


class _Line(NamedTuple):
    """A line: the width of its indentation, and its text without it."""

    indent: int
    body: str

    @property
    def closer(self) -> bool:
        """Whether it begins with a closing token, or is a single opening brace."""
        return self.body[0] in ")]}e{" and (self.body == "{" or bool(_CLOSERS.match(self.body)))


class Outline:
    """The definitions of one text. Lines are 0-based internally and 1-based in results."""

    def __init__(self, text: str, lines: list[str], language: str) -> None:
        """`lines` is the text split at newlines."""
        self._text = "\n" + text  # so that a newline precedes every line
        self._lines = lines
        self._language = language

    @cached_property
    def extents(self) -> list[Extent]:
        """All definitions, in the order of their first lines."""
        found: list[Extent] = []
        enclosing: list[Extent] = []
        for at, name in defined_names(self._lines, self._language).items():
            if self._is_definition(at):
                end = self._end(at)
                while enclosing and enclosing[-1].end <= at:
                    enclosing.pop()
                found.append(Extent(f"{enclosing[-1].name}.{name}" if enclosing else name, at + 1, end + 1))
                if not self._is_of_file(at):
                    enclosing.append(found[-1])
        return found

    def find_named(self, symbol: str) -> list[Extent]:
        """Return the definitions that a name means: with this full name, else ending in it, else those that share most
        of its last parts, as after the name of a namespace changed.
        """
        last = symbol.rpartition(".")[2]
        known = [
            Extent(".".join([*self._around(at), name]), at + 1, self._end(at) + 1)
            for at, name in self._lines_defining(last)
        ]
        return (
            [one for one in known if one.name == symbol]
            or [one for one in known if one.name.endswith("." + symbol)]
            or _nearest(known, symbol)
        )

    def _lines_defining(self, last: str) -> Iterator[tuple[int, str]]:
        """Yield (line, name) of the definitions whose last part is `last`."""
        before = -1
        offset = self._text.find(last) if last else -1
        while offset >= 0:
            at = self._line_of(offset)
            if at != before:
                before = at
                name = defined_name(self._lines[at], self._language)
                if name is not None and name.rpartition(".")[2] == last and self._is_definition(at):
                    yield at, name
            offset = self._text.find(last, offset + len(last))

    def _end(self, at: int) -> int:
        """Return the last line of the definition that begins at a line."""
        if self._is_of_file(at):
            return max((i for i, line in enumerate(self._lines) if line.strip()), default=at)
        depth = self._line(at).indent
        end = last = at
        for i in self._shallow(depth, at + 1, len(self._lines)):
            line = self._line(i)
            if line.indent > depth or self._in_string(i):
                continue
            if end == at and line.indent == depth and self._is_head_rest(line) and self._may_continue(at):
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
            line = self._line(i)
            if line.body and (line.indent > depth or self._in_string(i)):
                return i
        return end

    def _is_of_file(self, at: int) -> bool:
        """Whether a definition goes on to the end of the file. It is no part of the names of what follows."""
        return self._language == "csharp" and bool(_WHOLE_FILE.match(self._line(at).body))

    def _around(self, at: int) -> list[str]:
        """Return the names of the definitions around a line, outermost first."""
        limit = self._line(at).indent
        names: list[str] = []
        for i in reversed(list(self._shallow(limit - 1, 0, at))) if limit else ():
            line = self._line(i)
            if line.indent >= limit or self._in_string(i):
                continue
            name = defined_name(self._lines[i], self._language)
            if name is not None:
                names.append(name)
                limit = line.indent
            elif line.closer and line.body.endswith(_OPENING):
                limit = line.indent + 1
            elif not self._is_head_rest(line) and self._ends(i, line):
                limit = line.indent
            if not limit:
                break
        return names[::-1]

    def _shallow(self, depth: int, first: int, end: int) -> Iterator[int]:
        """Yield the lines of a range with text after at most `depth` blanks or tabs."""
        stop = self._starts[end] if end < len(self._lines) else len(self._text)
        begin = self._starts[first] if first < len(self._lines) else stop
        for found in _lines_within(depth).finditer(self._text, begin, stop):
            yield self._line_of(found.start())

    def _is_head_rest(self, line: _Line) -> bool:
        """Whether a line is the rest of a definition's head by how it begins."""
        rest = _HEAD_RESTS.get(self._language)
        return rest is not None and bool(rest.match(line.body))

    def _may_continue(self, at: int) -> bool:
        """Whether the head in a line goes on below; the body of `fun load() = 1` and of `fun load() {` has begun."""
        body = self._line(at).body
        return not body.endswith("{") and (self._language != "kotlin" or "class" in body or body.endswith(")"))

    def _ends(self, at: int, line: _Line) -> bool:
        """Whether a line ends a definition of the same or a deeper indentation."""
        if line.body[0] not in "#/*pdc" or not _NEUTRAL.match(line.body):
            return True
        return defined_name(self._lines[at], self._language) is not None

    def _is_definition(self, at: int) -> bool:
        """Whether a line that looks like a definition is outside of strings."""
        return bool(self._lines[at].strip()) and not self._in_string(at)

    def _line(self, at: int) -> _Line:
        line = self._lines[at]
        rest = line.lstrip()
        width = len(line) - len(rest)
        indent = width + (_TAB - 1) * line.count("\t", 0, width) if width else 0
        # The `*` lines of a block comment have the depth of its first line.
        return _Line(indent - rest.startswith("*"), rest.rstrip())

    def _line_of(self, offset: int) -> int:
        return bisect_right(self._starts, offset) - 1

    @cached_property
    def _starts(self) -> list[int]:
        """The offset of the newline before each line."""
        return list(accumulate(map((1).__add__, map(len, self._lines)), initial=0))[:-1]

    def _in_string(self, at: int) -> bool:
        """Whether a line begins within a triple-quoted string of Python."""
        edges = self._string_edges
        return bool(edges) and bisect_right(edges, self._starts[at]) % 2 == 1

    @cached_property
    def _string_edges(self) -> list[int]:
        """The offsets of the openings and closings of triple-quoted strings, in turn."""
        edges: list[int] = []
        next_quotes = {quotes: self._text.find(quotes) for quotes in _QUOTES if self._language == "python"}
        after = 0
        while next_quotes := {quotes: offset for quotes, offset in next_quotes.items() if offset >= 0}:
            stop = self._text.find("\n", min(next_quotes.values()))
            stop = stop if stop >= 0 else len(self._text)
            opened = self._opening_quotes(max(after, self._text.rfind("\n", 0, stop) + 1), stop)
            if opened is None:
                after = stop
            else:
                closed = self._text.find(opened[0], opened.end())
                while closed >= 0 and _is_escaped(self._text, closed):
                    closed = self._text.find(opened[0], closed + 1)
                edges += [opened.start(), closed] if closed >= 0 else [opened.start()]
                after = closed + 3 if closed >= 0 else len(self._text)
            next_quotes = {
                quotes: offset if offset >= after else self._text.find(quotes, after)
                for quotes, offset in next_quotes.items()
            }
        return edges

    def _opening_quotes(self, begin: int, stop: int) -> re.Match[str] | None:
        """Return the quotes that open a triple-quoted string on a line, outside of comments and other strings."""
        return next((piece for piece in _PIECES.finditer(self._text, begin, stop) if piece[0] in _QUOTES), None)


def common_parts(one: str, symbol: str) -> int:
    """Return how many parts of a qualified name another one has at its end.

    All of them if it has them in their order: `Store.Cache.load` is `Store.load` in an inner class.
    """
    wanted, found = symbol.split("."), one.split(".")
    pairs = zip(reversed(found), reversed(wanted), strict=False)
    count = len([*takewhile(lambda pair: pair[0] == pair[1], pairs)])
    rest = iter(found)
    return len(wanted) if count and all(part in rest for part in wanted) else count


def _nearest(known: list[Extent], symbol: str) -> list[Extent]:
    """Return the definitions that share most of the last parts of a name."""
    shared = [common_parts(one.name, symbol) for one in known]
    return [one for one, count in zip(known, shared, strict=True) if count == max(shared)]


def innermost_extent(known: list[Extent], start: int, end: int) -> Extent | None:
    """Return the smallest definition that contains all of the lines."""
    around = [one for one in known if one.start <= start and end <= one.end]
    return min(around, key=lambda one: (one.end - one.start, -one.start), default=None)


def _is_escaped(text: str, offset: int) -> bool:
    before = text[max(0, offset - 20) : offset]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1


@lru_cache(maxsize=128)
def _lines_within(depth: int) -> re.Pattern[str]:
    """Return the expression for lines with at most `depth` blanks or tabs before their text."""
    return re.compile(rf"\n[^\S\n]{{0,{depth}}}\S")
