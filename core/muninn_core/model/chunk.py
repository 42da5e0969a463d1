"""A chunk: the part of a file that is indexed, found and shown."""

from __future__ import annotations

from typing import Literal

from muninn_core.model.value import Value

SourceKind = Literal["code", "knowledge", "memory"]
"""The kinds of text that can be recalled."""

SOURCE_KINDS: tuple[SourceKind, ...] = ("code", "knowledge", "memory")


class Chunk(Value):
    """Consecutive whole lines of one file (1-based, inclusive).

    `symbol` holds the names that the lines define, separated by blanks. `language` is a lower-case name or "text".
    `title` names what encloses the lines: headings, or a definition. `signature` holds the heads of the definitions in
    the lines, one per line, after the head of the definition that the lines continue. `comment` holds the comments
    about these definitions.
    """

    kind: SourceKind
    path: str
    start: int
    end: int
    text: str
    language: str = "text"
    symbol: str = ""
    title: str = ""
    signature: str = ""
    comment: str = ""
