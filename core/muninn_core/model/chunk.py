"""A chunk: the piece of a file that is indexed, found and shown."""

from __future__ import annotations

from typing import Literal

from muninn_core.model.value import Value

SourceKind = Literal["code", "knowledge", "memory"]
"""The three tiers of everything that can be recalled."""

SOURCE_KINDS: tuple[SourceKind, ...] = ("code", "knowledge", "memory")


class Chunk(Value):
    """A run of whole lines of one file (1-based, inclusive).

    `symbol` holds the names that the lines define, separated by blanks; `language` is a lower-case name or "text".
    `title` is what is around the lines: headings, or a definition. `signature` has the heads of what they define, one a
    line, and before them that of a definition which they continue; `comment` is what is written about all of these.
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
