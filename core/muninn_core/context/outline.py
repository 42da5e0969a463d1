"""The shape of a file of ours for an editor: its outline, what of it folds, and where its references stand.

Lines and characters are counted from 0. Nothing is resolved here, so that it is as fast as typing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Literal

from muninn_core.model.value import Value
from muninn_core.source import frontmatter
from muninn_core.source.markup import fences, headings
from muninn_core.source.muninn_file import KINDS_WITH_REFERENCES, OwnKind
from muninn_core.source.references import find_references
from muninn_core.store.fields import headline
from muninn_core.store.record import MalformedRecord, parse_line

MOST_ENTRIES = 2_000
"""Entries of an outline; a person does not scroll through more."""

_KEY = re.compile(r"^(?P<indent> *)(?P<key>[A-Za-z_][\w-]*)\s*:")


class Entry(Value):
    """An entry of an outline: a section, record or key, from `line` to `last`; `level` 1 is the outermost."""

    name: str
    kind: Literal["section", "record", "key"]
    line: int
    last: int
    level: int = 1
    detail: str = ""


class Token(Value):
    """A stretch of a line that is a reference, or a part of one: file, symbol, name or question."""

    line: int
    start: int
    end: int
    kind: Literal["file", "symbol", "name", "question"]


def outline(kind: OwnKind, text: str) -> list[Entry]:
    """Return the outline of a file in the order of its lines."""
    if kind == "records":
        found = _records(text)
    elif kind == "config":
        found = _keys(text)
    elif kind in ("", "manifest"):
        return []
    else:
        found = _sections(text)
    return [entry for entry, _ in zip(found, range(MOST_ENTRIES), strict=False)]


def folds(kind: OwnKind, text: str) -> list[tuple[int, int]]:
    """Return first and last line of what folds: frontmatter, sections, fenced code, tables of the configuration."""
    found = [(entry.line, entry.last) for entry in outline(kind, text) if entry.kind != "record"]
    if kind not in ("records", "config", "manifest", ""):
        body = frontmatter.body_line(text)
        found += [(0, body - 1)] if body else []
        found += fences(text)
    return sorted({(first, last) for first, last in found if last > first})


def tokens(kind: OwnKind, text: str, there: Callable[[str], bool]) -> list[Token]:
    """Return the references of a context or knowledge file as stretches, in order, none within another.

    What may be prose is a reference when `there` says that a file or folder answers to it.
    """
    found: list[Token] = []
    for each in find_references(text, kind):
        if not each.certain and not there(each.target):
            continue
        if each.kind == "query":
            found.append(Token(line=each.line, start=each.start, end=each.end, kind="question"))
        elif each.kind == "name":
            found.append(Token(line=each.line, start=each.start, end=each.end, kind="name"))
        elif each.kind == "file" and kind in KINDS_WITH_REFERENCES:
            end = each.end - len(each.symbol) - 1 if each.symbol else each.end
            found.append(Token(line=each.line, start=each.start, end=end, kind="file"))
            if each.symbol:
                found.append(Token(line=each.line, start=end, end=each.end, kind="symbol"))
    return found


def _sections(text: str) -> Iterator[Entry]:
    for one in headings(text):
        yield Entry(name=one.title or "#", kind="section", line=one.line, last=one.last, level=one.level)


def _records(text: str) -> Iterator[Entry]:
    for number, line in enumerate(text.split("\n")):
        if not line.strip():
            continue
        try:
            record = parse_line(line.encode("utf-8", "surrogatepass"))
        except MalformedRecord:
            continue
        data = record.data
        said = next((data[name] for name in ("title", "text", "target") if isinstance(data.get(name), str)), "")
        name = headline(said) or record.id
        yield Entry(name=name, kind="record", line=number, last=number, detail=record.type)


def _keys(text: str) -> Iterator[Entry]:
    lines = text.split("\n")
    found = [(number, match) for number, line in enumerate(lines) if (match := _KEY.match(line))]
    for place, (number, match) in enumerate(found):
        indent = len(match["indent"])
        after = (later for later, other in found[place + 1 :] if len(other["indent"]) <= indent)
        last = next(after, len(lines)) - 1
        while last > number and not lines[last].strip():
            last -= 1
        yield Entry(name=match["key"], kind="key", line=number, last=last, level=2 if indent else 1)
