"""What is remembered about a file, in the places of that file: the values that editors show beside the code."""

from __future__ import annotations

from typing import Literal

from muninn_core.model.citation import CiteState
from muninn_core.model.value import Value

Standing = CiteState | Literal[""]
"""How a citation stands; "" for one that is about a whole file."""


class Note(Value):
    """One memory or decision document as it concerns a file.

    `id` names the memory, `path` the document. Lines are where the code is now (1-based, inclusive), 0 for the whole
    file. `trust` is that of the memory; a document's is "user".
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

    @property
    def stale(self) -> bool:
        """Whether the code no longer says what the note was made from."""
        return self.state in ("drifted", "gone")


class Lens(Value):
    """What is said above a definition, or above the file (lines 0): "2 decisions, 1 stale"; and of which notes."""

    start: int
    end: int
    symbol: str
    title: str
    ids: tuple[str, ...]
    paths: tuple[str, ...] = ()


class Spot(Value):
    """A place that has to do with a doubt: lines of a file, or a memory (`id`)."""

    message: str
    path: str = ""
    start: int = 0
    end: int = 0
    id: str = ""


class Doubt(Value):
    """Code and memory that no longer agree. `level` is information or warning.

    `rule` is drifted (the cited text changed), gone (what a constraint or decision cites is no longer there) or
    contradicted (the cited code, or a newer memory of it, says the opposite of a constraint or decision).
    """

    level: Literal["information", "warning"]
    rule: Literal["drifted", "gone", "contradicted"]
    start: int
    end: int
    message: str
    id: str
    related: tuple[Spot, ...] = ()


class Pointer(Value):
    """Where a file's text names something that can be opened: a document of Muninn (`uri`) or a file (`path`).

    `line` is 1-based; `start` and `end` are characters of it, 0-based, `end` exclusive.
    """

    line: int
    start: int
    end: int
    uri: str = ""
    path: str = ""
