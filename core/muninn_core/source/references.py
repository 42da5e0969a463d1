"""The references that a text makes: to files, symbols, memories and documents, and questions (docs/formats/context.md).

It finds them and says where they stand. What they mean, and whether it is there, is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal
from urllib.parse import unquote

from muninn_core.model.value import Value
from muninn_core.source import frontmatter
from muninn_core.source.classify import language_of
from muninn_core.source.markup import prose_lines
from muninn_core.source.muninn_file import REFERRING, OwnKind

ReferenceKind = Literal["file", "name", "query", "link", "value"]
"""`@path`; `[[name]]`; `?question`; the target of a markdown link; a value of the frontmatter that names something."""

LONGEST_LINE = 10_000
"""Characters: a longer line is data, and nobody wrote references into it."""

_BEFORE = r"(?<![^\s(\[{\"',;:|*>])"
"""A reference begins a word: what stands before it is nothing, a blank, or what opens or parts."""

_FILE = re.compile(
    _BEFORE
    + r"@(?:\"(?P<quoted>[^\"\n]{1,300})\"|(?P<path>\.{0,2}[\w~][\w.+~/-]*+|\.{1,2}/[\w.+~/-]++))"
    + r"(?:#(?P<symbol>[^\W\d][\w$-]*+(?:(?:\.|::)[\w$-]++)*+)|:(?P<first>\d{1,7}+)(?:-(?P<last>\d{1,7}+))?+)?+(?!\()"
)
_NAME = re.compile(r"\[\[(?P<name>[^\s\[\]|#](?:[^\[\]\n|#]{0,198}[^\s\[\]|#])?)(?:#[^\[\]\n|]*)?(?:\|[^\[\]\n]*)?\]\]")
_ASKED = re.compile(r"^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*\?(?P<query>[^\W_].*\S|[^\W_])[ \t\r]*$")
_QUOTED = re.compile(_BEFORE + r"\?\"(?P<query>[^\"\n]{1,400})\"")
_RECORDED = re.compile(r"\"(?P<id>01[0-9a-hjkmnp-tv-z]{24})\"|\"path\"\s*:\s*\"(?P<path>[^\"\\]+)\"")
_FILES = re.compile(r"\"files\"\s*:\s*\[(?P<files>[^\]]*)\]")
_STRING = re.compile(r"\"(?P<path>[^\"\\]+)\"")
_LINK = re.compile(r"\]\([ \t]*(?:<(?P<angled>[^<>\n]+)>|(?P<target>[^()\s<>]+))")
_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|#|\?")
_EXTENSION = re.compile(r"\.[A-Za-z]\w{0,9}$")
_LOOSE = ".+-~"
"""What a sentence may put behind a path."""

_VALUES = frozenset({"files", "related", "supersedes"})
"""Keys of frontmatter whose values name something."""


class Reference(Value):
    """One reference. `line`, `start` and `end` are its place (0-based, in characters, `end` exclusive).

    `target` is what it names: a path, a name or a question, and stands at `at` to `to` of the line. Of a file `symbol`
    or the lines `first` to `last` (1-based; 0: the whole) may be meant. `certain`: it is no word of ordinary prose, so
    it is wrong when nothing answers to it.
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

    def spelt(self, target: str) -> str:
        """Return how another target is written in the place of this one."""
        return written(target) if self.kind == "file" and self.at == self.start + 1 else target


def references(text: str, kind: OwnKind) -> list[Reference]:
    """Return the references of a file in the order of the text: `@` and `?` count in files for contexts alone.

    A record refers to the memories and files that it names.
    """
    found: list[Reference] = []
    if kind == "records":
        return [each for number, line in enumerate(text.split("\n")) for each in _in_record(number, line)]
    if kind == "knowledge":
        found += _values(text)
    for number, line in enumerate(prose_lines(text)):
        if len(line) <= LONGEST_LINE and not line.isspace():
            found += _in_line(number, line, kind in REFERRING)
    found.sort(key=lambda each: (each.line, each.start))
    kept: list[Reference] = []
    for each in found:
        if not kept or kept[-1].line != each.line or kept[-1].end <= each.start:  # `[[@src/a.py]]` is one, not two
            kept.append(each)
    return kept


def _in_record(number: int, line: str) -> Iterator[Reference]:
    """Yield the ids and the files that a record names: what stands there is JSON, and no prose."""
    if len(line) > LONGEST_LINE:
        return
    for match in _RECORDED.finditer(line):
        yield _recorded("name" if match["id"] else "file", number, line, match.span("id" if match["id"] else "path"))
    listed = _FILES.search(line)
    for match in _STRING.finditer(line, *listed.span("files")) if listed else ():
        yield _recorded("file", number, line, match.span("path"))


def _recorded(kind: ReferenceKind, number: int, line: str, place: tuple[int, int]) -> Reference:
    at, to = place
    return Reference(kind=kind, line=number, start=at, end=to, target=line[at:to], at=at, to=to, certain=False)


def _in_line(number: int, line: str, referring: bool) -> Iterator[Reference]:
    asked = _ASKED.match(line) if referring else None
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
            path = path.rstrip(_LOOSE)
        to = at + len(path)
        told = certainty(path, bool(match["symbol"] or match["first"]))
        if told is None:
            return
        certain = told
    pointed = bool(match["symbol"] or match["first"])
    end = match.end() if pointed or match["quoted"] else to
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


def written(path: str) -> str:
    """Return a path as it stands behind an at sign: in quotation marks where it would else end early, or be prose."""
    match = _FILE.fullmatch(f"@{path}")
    bare = match is not None and match["path"] == path == path.rstrip(_LOOSE) and certainty(path, False) is not None
    return path if bare else f'"{path}"'


def certainty(path: str, pointed: bool) -> bool | None:
    """Return whether `@path` is surely a reference; False: it may be prose; None: it is (`@alice`, `@override`).

    `pointed`: a symbol or lines follow.
    """
    if not path or not any(character.isalnum() for character in path):
        return None
    name = path.rpartition("/")[2]
    if path.startswith("~"):
        return False  # at home, outside of every repository: an agent may know it
    if path.startswith(("./", "../")) or path.endswith("/"):
        return True
    if "/" in path:
        return pointed or bool(_EXTENSION.search(name))
    if not _EXTENSION.search(name) and not pointed:
        return None  # somebody's name, or a decorator's
    return pointed or language_of(name) != "text" or name.endswith(".txt")


def _values(text: str) -> Iterator[Reference]:
    for entry in frontmatter.entries(text):
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
