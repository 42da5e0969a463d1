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
    """

    kind: SourceKind
    path: str
    start: int
    end: int
    text: str
    language: str = "text"
    symbol: str = ""
    title: str = ""
