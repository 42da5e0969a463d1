"""A citation: the current state of the code that a memory cites, in one work tree."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from muninn_core.model.value import Value

CiteState = Literal["fresh", "moved", "drifted", "gone", "unchecked"]
"""fresh: the text is unchanged in its place. moved: it is unchanged in another place. drifted: the symbol exists and
a part of its text has changed. gone: nothing of the cited text was found. unchecked: it was not compared."""


class Citation(Value):
    """A checked cite. `path`, `start` and `end` are the current place of the code, or the last one when it is gone.

    `was` is the place that the memory names, when it differs. `note` says why an unchecked citation was not compared,
    and what a gone one was a part of.
    """

    path: str
    start: int = 0
    end: int = 0
    symbol: str = ""
    state: CiteState = "unchecked"
    was: str = ""
    note: str = ""

    @property
    def place(self) -> str:
        """`path:start-end`, `path:line`, or the path of a whole file."""
        return place(self.path, self.start, self.end)

    @property
    def stale(self) -> bool:
        """Whether the code has changed or gone since the memory was made, so that a reader must be warned."""
        return self.state in ("drifted", "gone")


def present_paths(paths: Iterable[str], citations: Iterable[Citation]) -> tuple[str, ...]:
    """Return the paths that a memory names, those of moved code as they are now. `citations` are the memory's."""
    found = tuple(citations)
    kept = {each.path for each in found if each.state != "moved"}
    moved = {
        each.was.rpartition(":")[0] if each.start else each.was: each.path for each in found if each.state == "moved"
    }
    return tuple(dict.fromkeys(path if path in kept else moved.get(path, path) for path in paths))


def place(path: str, start: int, end: int) -> str:
    """Return `path:start-end`, `path:line` for one line; only the path when there are no lines."""
    return f"{path}:{lines(start, end)}" if start else path


def lines(start: int, end: int) -> str:
    """Return `start-end`, or the number of a single line."""
    return f"{start}-{end}" if end > start else str(start)
