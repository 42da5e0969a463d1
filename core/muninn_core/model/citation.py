"""A citation as it stands: what became of the code that a memory cites, in the work tree of who asks."""

from __future__ import annotations

from typing import Literal

from muninn_core.model.value import Value

CiteState = Literal["fresh", "moved", "drifted", "gone", "unchecked"]
"""The same text there > the same text elsewhere > the symbol is there, its text changed > neither; or not compared."""


class Citation(Value):
    """A cite, judged. `path`, `start` and `end` say where the code is now; of what is gone, where it was.

    `was` is the place that the memory names, where that is another one. `note` says why nothing was compared.
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
        """`path:start-end`, or the path of a whole file."""
        return place(self.path, self.start, self.end)

    @property
    def stale(self) -> bool:
        """Whether a reader must be warned: the code no longer says what the memory was made from."""
        return self.state in ("drifted", "gone")


def place(path: str, start: int, end: int) -> str:
    """Return `path:start-end`; only the path when there are no lines."""
    return f"{path}:{start}-{end}" if start else path
