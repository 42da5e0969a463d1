"""What is wrong with a knowledge file, as spans of its lines. Knows no protocol and no editor."""

from __future__ import annotations

from pathlib import PurePosixPath

from muninn_core.model.value import Value
from muninn_core.source import frontmatter
from muninn_core.source.steering import is_document

_FOLDERS = ((".muninn", "knowledge"), (".muninn", "packs"))


class Underline(Value):
    """A span of one line to underline (all 0-based, in characters, `end` exclusive), and why."""

    line: int
    start: int
    end: int
    message: str


def checked(path: str) -> bool:
    """Whether the file at `path` (relative to the root, with slashes) has frontmatter that we read."""
    return _is_knowledge(path) or is_document(path)


def _is_knowledge(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return parts[:2] in _FOLDERS and len(parts) > 2 and path.endswith(".md")


def underlines(path: str, text: str) -> list[Underline]:
    """Return what to underline in a file, from the problem's column to the end of its line.

    A knowledge file's keys are ours; of a Metis document or ADR, whose keys are not, only what can't be read is told.
    """
    lines = text.split("\n")
    found = []
    for problem in frontmatter.check(text) if _is_knowledge(path) else frontmatter.faults(text):
        line = min(max(problem.line - 1, 0), len(lines) - 1)
        length = len(lines[line].rstrip())
        start = min(max(problem.column - 1, 0), length)
        found.append(Underline(line=line, start=start, end=length, message=problem.message))
    return found
