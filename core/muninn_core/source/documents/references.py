"""Finds the references in a text: files, symbols, memories, documents and queries (docs/formats/context.md).

They are not resolved here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal
from urllib.parse import unquote

from muninn_core.model.value import Value
from muninn_core.source.documents import frontmatter
from muninn_core.source.documents.markup import prose_lines
from muninn_core.source.documents.muninn_file import KINDS_WITH_REFERENCES, OwnKind
from muninn_core.source.files.classify import language_of

ReferenceKind = Literal["file", "name", "query", "link", "value"]
"""`@path`; `[[name]]`; `?query`; the target of a markdown link; a value of the frontmatter that names something."""

MAX_LINE_LENGTH = 10_000
"""A line with more characters is data and is skipped."""

_BEFORE = r"(?<![^\s(\[{\"',;:|*>])"
"""A reference begins a word: it follows the line start, a blank, an opening character or a separator."""

_FILE = re.compile(
    _BEFORE
    + r"@(?:\"(?P<quoted>[^\"\n]{1,300})\"|(?P<path>\.{0,2}[\w~][\w.+~/-]*+|\.{1,2}/[\w.+~/-]++))"
    + r"(?:#(?P<symbol>[^\W\d][\w$-]*+(?:(?:\.|::)[\w$-]++)*+)|:(?P<first>\d{1,7}+)(?:-(?P<last>\d{1,7}+))?+)?+(?!\()"
)
_NAME = re.compile(r"\[\[(?P<name>[^\s\[\]|#](?:[^\[\]\n|#]{0,198}[^\s\[\]|#])?)(?:#[^\[\]\n|]*)?(?:\|[^\[\]\n]*)?\]\]")
_QUERY_LINE = re.compile(r"^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*\?(?P<query>[^\W_].*\S|[^\W_])[ \t\r]*$")
_QUOTED = re.compile(_BEFORE + r"\?\"(?P<query>[^\"\n]{1,400})\"")
_RECORD_VALUE = re.compile(r"\"(?P<id>01[0-9a-hjkmnp-tv-z]{24})\"|\"path\"\s*:\s*\"(?P<path>[^\"\\]+)\"")
_FILES = re.compile(r"\"files\"\s*:\s*\[(?P<files>[^\]]*)\]")
_STRING = re.compile(r"\"(?P<path>[^\"\\]+)\"")
_LINK = re.compile(r"\]\([ \t]*(?:<(?P<angled>[^<>\n]+)>|(?P<target>[^()\s<>]+))")
_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|#|\?")
_EXTENSION = re.compile(r"\.[A-Za-z]\w{0,9}$")
_TRAILING_PUNCTUATION = ".+-~"
"""Punctuation of the sentence that may follow a path."""

_VALUES = frozenset({"files", "related", "supersedes"})
"""Keys of frontmatter whose values name something."""


class Reference(Value):
    """A reference. `line`, `start` and `end` are its position (0-based, in characters, `end` exclusive).

    `target` is a path, a name or a query, from `at` to `to` of the line. For a file, `symbol` or the lines `first` to
    `last` (1-based, 0: the whole file) may be given. A `certain` reference can't be ordinary prose, so it is an error
    when it does not resolve.
    """

    kind: ReferenceKind
    line: int
    start: int
    end: int
    target: str
    at: int
    to: int
    symbol: str = ""
    first: int = 0
    last: int = 0
    certain: bool = True
    key: str = ""

    def with_target(self, target: str) -> str:
        """Return the text that refers to another target in the place of this one."""
        return quote_path(target) if self.kind == "file" and self.at == self.start + 1 else target


def find_references(text: str, kind: OwnKind) -> list[Reference]:
    """Return the references of a file in order. `@` and `?` count only in the kinds `KINDS_WITH_REFERENCES`.

    A record refers to the memories and files that it names.
    """
    found: list[Reference] = []
    if kind == "records":
        return [reference for number, line in enumerate(text.split("\n")) for reference in _in_record(number, line)]
    if kind == "knowledge":
        found += _values(text)
    for number, line in enumerate(prose_lines(text)):
        if len(line) <= MAX_LINE_LENGTH and not line.isspace():
            found += _in_line(number, line, kind in KINDS_WITH_REFERENCES)
    found.sort(key=lambda reference: (reference.line, reference.start))
    distinct: list[Reference] = []
    for reference in found:
        if (
            not distinct or distinct[-1].line != reference.line or distinct[-1].end <= reference.start
        ):  # `[[@src/a.py]]` is one reference
            distinct.append(reference)
    return distinct


def _in_record(number: int, line: str) -> Iterator[Reference]:
    """Yield the ids and files in a record, which is JSON."""
    if len(line) > MAX_LINE_LENGTH:
        return
    for match in _RECORD_VALUE.finditer(line):
        yield _record_reference(
            "name" if match["id"] else "file", number, line, match.span("id" if match["id"] else "path")
        )
    listed = _FILES.search(line)
    for match in _STRING.finditer(line, *listed.span("files")) if listed else ():
        yield _record_reference("file", number, line, match.span("path"))


def _record_reference(kind: ReferenceKind, number: int, line: str, place: tuple[int, int]) -> Reference:
    at, to = place
    return Reference(kind=kind, line=number, start=at, end=to, target=line[at:to], at=at, to=to, certain=False)


def _in_line(number: int, line: str, referring: bool) -> Iterator[Reference]:
    asked = _QUERY_LINE.match(line) if referring else None
    if asked:
        start, (at, to) = asked.start("query") - 1, asked.span("query")
        yield Reference(kind="query", line=number, start=start, end=to, target=asked["query"], at=at, to=to)
        return
    for match in _NAME.finditer(line):
        yield _reference("name", number, match, match["name"], match.span("name"))
    for match in _LINK.finditer(line):
        yield from _link(number, match)
    if referring:
        for match in _QUOTED.finditer(line):
            yield _reference("query", number, match, match["query"], match.span("query"))
        for match in _FILE.finditer(line):
            yield from _file(number, match)


def _reference(kind: ReferenceKind, line: int, match: re.Match[str], target: str, place: tuple[int, int]) -> Reference:
    start, end = match.span()
    return Reference(kind=kind, line=line, start=start, end=end, target=target, at=place[0], to=place[1])


def _link(number: int, match: re.Match[str]) -> Iterator[Reference]:
    group = "angled" if match["angled"] else "target"
    whole, _, part = match[group].partition("#")
    target = whole.partition("?")[0]
    if target and not _ELSEWHERE.match(match[group]):
        at = match.start(group)
        to = at + len(target)
        section = part if target.endswith(".md") and whole == target and "%" not in part else ""
        end = match.end(group) if section else to
        yield Reference(
            kind="link", line=number, start=at, end=end, target=unquote(target), at=at, to=to, symbol=section
        )


def _file(number: int, match: re.Match[str]) -> Iterator[Reference]:
    if match["quoted"]:
        path, (at, to), certain = match["quoted"], match.span("quoted"), True
    else:
        path, at = match["path"], match.start("path")
        if not (match["symbol"] or match["first"]):
            path = path.rstrip(_TRAILING_PUNCTUATION)
        to = at + len(path)
        verdict = is_path_reference(path, bool(match["symbol"] or match["first"]))
        if verdict is None:
            return
        certain = verdict
    has_target_part = bool(match["symbol"] or match["first"])
    end = match.end() if has_target_part or match["quoted"] else to
    yield Reference(
        kind="file",
        line=number,
        start=match.start(),
        end=end,
        target=path,
        at=at,
        to=to,
        symbol=match["symbol"] or "",
        first=int(match["first"] or 0),
        last=int(match["last"] or match["first"] or 0),
        certain=certain,
    )


def quote_path(path: str) -> str:
    """Return a path as written after `@`: quoted when it would otherwise end early or be read as prose."""
    match = _FILE.fullmatch(f"@{path}")
    bare = (
        match is not None
        and match["path"] == path == path.rstrip(_TRAILING_PUNCTUATION)
        and is_path_reference(path, False) is not None
    )
    return path if bare else f'"{path}"'


def is_path_reference(path: str, has_target_part: bool) -> bool | None:
    """Return True when `@path` is certainly a reference, False when it may be, None when it is prose (`@alice`).

    `has_target_part` means that a symbol or lines follow.
    """
    if not path or not any(character.isalnum() for character in path):
        return None
    name = path.rpartition("/")[2]
    if path.startswith("~"):
        return False  # outside the repository: an agent may resolve it
    if path.startswith(("./", "../")) or path.endswith("/"):
        return True
    if "/" in path:
        return has_target_part or bool(_EXTENSION.search(name))
    if not _EXTENSION.search(name) and not has_target_part:
        return None  # a person's name or a decorator
    return has_target_part or language_of(name) != "text" or name.endswith(".txt")


def _values(text: str) -> Iterator[Reference]:
    for entry in frontmatter.list_entries(text):
        if entry.key in _VALUES and entry.value.strip():
            yield Reference(
                kind="value",
                line=entry.line,
                start=entry.start,
                end=entry.end,
                target=entry.value,
                at=entry.start,
                to=entry.end,
                key=entry.key,
                certain=entry.key == "files",
            )
