"""Files of a test with named positions, in the form of gopls' marker tests.

A scenario is a text file in `scenarios/`. A line `-- PATH --` begins a file; the lines before the first describe the
scenario. `‹name›` marks a position and `‹name›…‹/name›` a range. `$NAME` is replaced by a value of the test.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from lsprotocol import types

SCENARIOS = Path(__file__).parent / "scenarios"

_HEADER = re.compile(r"^-- (.+) --\n", re.MULTILINE)
_MARK = re.compile(r"‹(/?)([\w-]+)›")


class MarkedFile(NamedTuple):
    """A file without its marks, and the offset of each mark: `name` where it begins, `/name` where it ends."""

    text: str
    marks: dict[str, int]

    def position(self, name: str, encoding: str = "utf-16") -> types.Position:
        """Return a mark's position, counted in code units of an encoding."""
        before = self.text[: self.marks[name]]
        line = before.rpartition("\n")[2]
        units = {"utf-8": len(line.encode()), "utf-16": len(line.encode("utf-16-le")) // 2, "utf-32": len(line)}
        return types.Position(before.count("\n"), units[encoding])

    def range(self, name: str, encoding: str = "utf-16") -> types.Range:
        """Return the range between a mark and its end."""
        return types.Range(self.position(name, encoding), self.position(f"/{name}", encoding))

    def lines(self, name: str) -> tuple[int, int]:
        """Return the first and last line of a range, counted from 1."""
        found = self.range(name)
        return found.start.line + 1, found.end.line + 1


def read_scenario(name: str, **values: str) -> dict[str, MarkedFile]:
    """Return the files of a scenario by path. `values` replace the placeholders of their names."""
    whole = (SCENARIOS / f"{name}.txt").read_text("utf-8")
    for key, value in values.items():
        whole = whole.replace(f"${key}", value)
    _, *parts = _HEADER.split(whole)
    return {path: _read_marks(text) for path, text in zip(parts[::2], parts[1::2], strict=True)}


def only_file(name: str, **values: str) -> tuple[str, MarkedFile]:
    """Return the path and the content of the one file of a scenario."""
    ((path, file),) = read_scenario(name, **values).items()
    return path, file


def _read_marks(marked: str) -> MarkedFile:
    marks: dict[str, int] = {}
    text = ""
    end = 0
    for mark in _MARK.finditer(marked):
        text += marked[end : mark.start()]
        name = mark[1] + mark[2]
        assert name not in marks, f"the mark {name} stands twice"
        marks[name] = len(text)
        end = mark.end()
    return MarkedFile(text + marked[end:], marks)
