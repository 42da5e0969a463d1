"""The structure of a Muninn file for an editor: outline, folding ranges, tokens of references.

Lines and characters count from 0. References are not resolved, so that the functions can run on every keystroke.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Literal

from muninn_core.model.value import Value
from muninn_core.source.documents import frontmatter
from muninn_core.source.documents.markup import fences, headings
from muninn_core.source.documents.muninn_file import KINDS_WITH_REFERENCES, OwnKind
from muninn_core.source.documents.references import find_references
from muninn_core.store.records.fields import headline
from muninn_core.store.records.record import MalformedRecord, parse_line

MAX_ENTRIES = 2_000
"""The maximum number of entries of an outline."""

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
    """A range of a line that is a reference or a part of one: file, symbol, name or question."""

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
    return [entry for entry, _ in zip(found, range(MAX_ENTRIES), strict=False)]


def folds(kind: OwnKind, text: str) -> list[tuple[int, int]]:
    """Return first and last line of each foldable range: frontmatter, sections, fenced code, sections of the
    configuration.
    """
    found = [(entry.line, entry.last) for entry in outline(kind, text) if entry.kind != "record"]
    if kind not in ("records", "config", "manifest", ""):
        body = frontmatter.body_line(text)
        found += [(0, body - 1)] if body else []
        found += fences(text)
    return sorted({(first, last) for first, last in found if last > first})


def reference_tokens(kind: OwnKind, text: str, exists: Callable[[str], bool]) -> list[Token]:
    """Return the references of a context or knowledge file as ranges, in order and without overlap.

    An uncertain reference counts only when `exists` returns true for its target, a file or folder.
    """
    found: list[Token] = []
    for each in find_references(text, kind):
        if not each.certain and not exists(each.target):
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
    for position, (number, match) in enumerate(found):
        indent = len(match["indent"])
        after = (later for later, other in found[position + 1 :] if len(other["indent"]) <= indent)
        last = next(after, len(lines)) - 1
        while last > number and not lines[last].strip():
            last -= 1
        yield Entry(name=match["key"], kind="key", line=number, last=last, level=2 if indent else 1)
