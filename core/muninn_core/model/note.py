"""Memories about one file, by the lines that they concern: the values that editors show beside the code."""

from __future__ import annotations

from typing import Literal

from muninn_core.model.citation import CiteState
from muninn_core.model.value import Value

Standing = CiteState | Literal[""]
"""The state of a citation; "" for a note about a whole file."""


class Note(Value):
    """A memory (`id`) or a decision document (`path`) that concerns a file.

    Lines are the current place of the code (1-based, inclusive), 0 for the whole file. `trust` is that of the memory,
    "user" for a document. `author` and `ts` say who wrote the memory, and when.
    """

    id: str
    path: str
    type: str
    title: str
    start: int = 0
    end: int = 0
    symbol: str = ""
    state: Standing = ""
    trust: str = ""
    author: str = ""
    ts: str = ""

    @property
    def stale(self) -> bool:
        """Whether the code has changed or gone since the note was made."""
        return self.state in ("drifted", "gone")


class Lens(Value):
    """A line above a definition or the file (lines 0), as "2 decisions, 1 stale"; `ids` and `paths` name the notes."""

    start: int
    end: int
    symbol: str
    title: str
    ids: tuple[str, ...]
    paths: tuple[str, ...] = ()


class Spot(Value):
    """A place related to a doubt: lines of a file, or a memory (`id`)."""

    message: str
    path: str = ""
    start: int = 0
    end: int = 0
    id: str = ""


class Doubt(Value):
    """A disagreement of code and memory, or of two work trees.

    `rule` is drifted (the cited text has changed), gone (the code that a constraint or decision cites was removed) or
    contradicted (the cited code, or a newer memory of it, states the opposite of a constraint or decision), or shared
    (another work tree is changing the file, too), which has no `id`.
    """

    level: Literal["information", "warning"]
    rule: Literal["drifted", "gone", "contradicted", "shared"]
    start: int
    end: int
    message: str
    id: str
    related: tuple[Spot, ...] = ()


class Pointer(Value):
    """A link in the text of a file, to a document of Muninn (`uri`) or to a file (`path`).

    `line` is 1-based. `start` and `end` are offsets of characters in the line, 0-based, `end` exclusive.
    """

    line: int
    start: int
    end: int
    uri: str = ""
    path: str = ""
