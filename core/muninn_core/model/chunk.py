"""A chunk: the part of a file that is indexed, found and shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from muninn_core.model.value import Value

SourceKind = Literal["code", "knowledge", "memory"]
"""The kinds of text that can be recalled."""

SOURCE_KINDS: tuple[SourceKind, ...] = ("code", "knowledge", "memory")


class Among(NamedTuple):
    """The chunks that a search of several kinds may find: those with one of the `ids`, and all of the `kinds`."""

    ids: tuple[Sequence[int], ...]
    kinds: tuple[SourceKind, ...]


Only = Sequence[int] | Among
"""What a search may find: some ids, or several kinds of which some are restricted."""


class Chunk(Value):
    """Consecutive whole lines of one file (1-based, inclusive).

    `symbol` holds the names that the lines define, separated by blanks. `language` is a lower-case name or "text".
    `title` names what encloses the lines: headings, or a definition. `signature` holds the heads of the definitions in
    the lines, one per line, after the head of the definition that the lines continue. `comment` holds the comments
    about these definitions; of a memory, the questions that it answers.
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
