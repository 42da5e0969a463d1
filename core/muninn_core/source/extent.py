"""From where to where a definition reaches: by indentation, for every language whose definitions are known.

It reads no grammar. Closing brackets belong to what they close; comments and labels end nothing.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from muninn_core.source.symbols import definitions

_OPENING = ("{", "(", "[", ":")
_CLOSERS = re.compile(r"^(?:[)\]}]|end\b)")
_NEUTRAL = re.compile(r"^(?:#|//|/\*|\*|(?:public|private|protected|default)\s*:|case\b)")
_TRIPLE = re.compile("\"{3}|'{3}")


class Extent(NamedTuple):
    """A definition: its name with those around it (`Class.method`), its first and last line (1-based)."""

    name: str
    start: int
    end: int


def extents(lines: list[str], language: str) -> list[Extent]:
    """Return all definitions of a file in the order in which they begin."""
    names = definitions(lines, language)
    if not names:
        return []
    found: list[list[int]] = []  # [first line, last line], by index
    called: list[str] = []
    open_: list[tuple[int, int]] = []  # (indentation, place in `found`), outer first
    text_until: str | None = None
    for i, line in enumerate(lines):
        rest = line.lstrip()
        body = rest.rstrip()
        if text_until is None and body:
            width = len(line) - len(rest)
            indent = width + 3 * line.count("\t", 0, width) if width else 0  # a tab is as wide as four blanks
            if body[0] == "*":
                indent -= 1  # the rest of a comment is as deep as its beginning, and no part of what stands above it
            closer = body[0] in ")]}e{" and (body == "{" or bool(_CLOSERS.match(body)))
            if i in names or body[0] not in "#/*pdc" or not _NEUTRAL.match(body):
                while open_ and (open_[-1][0] > indent or (open_[-1][0] == indent and not closer)):
                    open_.pop()
            if i in names:
                called.append(".".join([*(called[at] for _, at in open_[-1:]), names[i]]))
                open_.append((indent, len(found)))
                found.append([i, i])
            for depth, at in open_:
                if indent > depth or (indent == depth and closer):
                    found[at][1] = i
            if closer and open_ and open_[-1][0] == indent and not body.endswith(_OPENING):
                open_.pop()
        elif body:
            for _, at in open_:
                found[at][1] = i
        if language == "python" and ('"""' in line or "'''" in line):
            text_until = _within_text(line, text_until)
    return [Extent(name, start + 1, end + 1) for name, (start, end) in zip(called, found, strict=True)]


def innermost(known: list[Extent], start: int, end: int) -> Extent | None:
    """Return the smallest definition that holds all of the lines."""
    around = [one for one in known if one.start <= start and end <= one.end]
    return min(around, key=lambda one: (one.end - one.start, -one.start), default=None)


def named(known: list[Extent], symbol: str) -> list[Extent]:
    """Return the definitions that a name means: those of the whole name, else of its end, else of its last part."""
    last = symbol.rpartition(".")[2]
    whole = [one for one in known if one.name == symbol]
    return (
        whole
        or [one for one in known if one.name.endswith("." + symbol)]
        or [one for one in known if one.name.rpartition(".")[2] == last]
    )


def _within_text(line: str, until: str | None) -> str | None:
    """Return the quotes that end the text which goes on after this line, None when there is none."""
    for found in _TRIPLE.findall(line):
        if until is None:
            until = found
        elif found == until:
            until = None
    return until
