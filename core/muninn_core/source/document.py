"""A document that steers a project, as a value: what it is, how it stands, what it speaks of.

It knows no form and no work tree: paths that a text names are not looked up here.
"""

from __future__ import annotations

import posixpath
import re
from typing import Literal

from muninn_core.model.value import Value
from muninn_core.source.shortcode import codes_in

Level = Literal["vision", "strategy", "initiative", "task", "adr"]
LEVELS: tuple[Level, ...] = ("vision", "strategy", "initiative", "task", "adr")


class Flaw(Value):
    """What is wrong with a document's frontmatter, by its line (1-based)."""

    line: int
    message: str


class Document(Value):
    """One document. `phase` is its own word for how far it is; `status` is ours.

    `status` of a decision is proposed, decided, superseded, deprecated, rejected or archived; of anything else its
    phase, or archived. `codes`, `files` and `symbols` are what its text names; `line` is where its body begins.
    Dates are as they were written.
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
    flaws: tuple[Flaw, ...] = ()

    @property
    def name(self) -> str:
        """Return what people call it: its code, else the number of a decision, else its file's name."""
        fallback = f"ADR {self.number}" if self.level == "adr" and self.number is not None else ""
        return self.short_code or fallback or posixpath.basename(self.path)

    @property
    def holds(self) -> bool:
        """Whether it is a decision that stands."""
        return self.level == "adr" and self.status == "decided"

    @property
    def retired(self) -> bool:
        """Whether it says itself that it no longer counts."""
        return self.status in ("superseded", "deprecated", "rejected", "archived")

    @property
    def standing(self) -> str:
        """Return how it stands in a few words, "" when there is nothing to say: "superseded by ADR 7"."""
        by = f" by {self.superseded_by}" if self.status == "superseded" and self.superseded_by else ""
        return f"{self.status}{by}"


class Mentions(Value):
    """What a text names."""

    codes: tuple[str, ...]
    files: tuple[str, ...]
    symbols: tuple[str, ...]


_FENCED = re.compile(r"^ {0,3}(```+|~~~+).*?^ {0,3}\1", re.M | re.S)
_INLINE = re.compile(r"`([^`\n]+)`")
_TARGET = re.compile(r"\]\(\s*<?([^)\s>]+)")
_PATH = re.compile(r"(?<![\w/.:@-])(?:[\w.-]+/)+[\w.-]*\w")
_FILE = re.compile(r"[\w.-]*\w\.[A-Za-z]\w{0,7}")
_SYMBOL = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::|#)[A-Za-z_]\w*)*(\(\))?")


def mentions(path: str, body: str) -> Mentions:
    """Return what the prose of a document names; fenced blocks are pictures and examples, and name nothing.

    A file is named by a path with a slash, or in backticks by its name; a symbol in backticks, when it looks like one:
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
    for named in _PATH.findall(_TARGET.sub("", prose)):
        files[posixpath.normpath(named)] = None
    files.pop(path, None)
    return Mentions(codes=codes_in(prose), files=tuple(files), symbols=tuple(symbols))
