"""Steering documents as values, and what their text mentions. Mentioned paths are not looked up."""

from __future__ import annotations

import posixpath
import re
from typing import Literal

from muninn_core.model.value import Value
from muninn_core.source.documents.shortcode import find_codes

Level = Literal["vision", "strategy", "initiative", "task", "adr"]
LEVELS: tuple[Level, ...] = ("vision", "strategy", "initiative", "task", "adr")


class DocumentProblem(Value):
    """A problem of a document's frontmatter, with its line (1-based)."""

    line: int
    message: str


class Document(Value):
    """A steering document. `phase` is the document's own word for its progress; `status` is normalised.

    `status` of a decision is proposed, decided, superseded, deprecated, rejected or archived; of other documents their
    phase, or archived. `codes`, `files` and `symbols` are mentioned in the text. Dates are as written.
    `summary` is the first paragraph of a vision; "" for other documents.
    """

    path: str
    level: Level
    id: str = ""
    short_code: str = ""
    title: str = ""
    number: int | None = None
    phase: str = ""
    status: str = ""
    archived: bool = False
    parent: str = ""
    created: str = ""
    updated: str = ""
    decided: str = ""
    tags: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    superseded_by: str = ""
    codes: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    flaws: tuple[DocumentProblem, ...] = ()
    summary: str = ""

    @property
    def name(self) -> str:
        """The display name: the short code, else a decision's number, else the file's name."""
        fallback = f"ADR {self.number}" if self.level == "adr" and self.number is not None else ""
        return self.short_code or fallback or posixpath.basename(self.path)

    @property
    def in_force(self) -> bool:
        """Whether it is a decision in force."""
        return self.level == "adr" and self.status == "decided"

    @property
    def retired(self) -> bool:
        """Whether its status says that it is no longer in force."""
        return self.status in ("superseded", "deprecated", "rejected", "archived")

    @property
    def status_text(self) -> str:
        """The status for display, such as "superseded by ADR 7"."""
        by = f" by {self.superseded_by}" if self.status == "superseded" and self.superseded_by else ""
        return f"{self.status}{by}"


class Mentions(Value):
    """The codes, files and symbols that a text mentions."""

    codes: tuple[str, ...]
    files: tuple[str, ...]
    symbols: tuple[str, ...]


_FENCED = re.compile(r"^ {0,3}(`{3,}+|~{3,}+).*?^ {0,3}\1", re.M | re.S)
_INLINE = re.compile(r"`([^`\n]+)`")
_TARGET = re.compile(r"\]\(\s*<?([^)\s>]+)")
_PATH = re.compile(r"(?<![\w/.:@-])(?:[\w.-]+/)+[\w.-]*\w")
_FILE = re.compile(r"[\w.-]*\w\.[A-Za-z]\w{0,7}")
_SYMBOL = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::|#)[A-Za-z_]\w*)*(\(\))?")


def find_mentions(path: str, body: str) -> Mentions:
    """Return what the prose of a document mentions; fenced blocks are skipped.

    A file is a path with a slash, or a file name in backticks. A symbol is in backticks and looks like code:
    `create_token`, `TokenStore`, `login()`.
    """
    prose = _FENCED.sub("", body)
    files: dict[str, None] = {}
    symbols: dict[str, None] = {}
    for target in _TARGET.findall(prose):
        if "://" not in target and not target.startswith(("#", "mailto:")):
            files[posixpath.normpath(posixpath.join(posixpath.dirname(path), target.split("#")[0]))] = None
    for span in _INLINE.findall(prose):
        symbol = _SYMBOL.fullmatch(span)
        if _FILE.fullmatch(span):
            files[span] = None
        if symbol and (symbol[1] or "_" in span.strip("_") or any(c.isupper() for c in span[1:])):
            symbols[re.split(r"\.|::|#", span.removesuffix("()"))[-1]] = None
    for mentioned in _PATH.findall(_TARGET.sub("", prose)):
        files[posixpath.normpath(mentioned)] = None
    files.pop(path, None)
    return Mentions(codes=find_codes(prose), files=tuple(files), symbols=tuple(symbols))
