"""What a change touches, file by file: read from git's differences, or from a patch that somebody hands over.

The format is that of `git diff` and of GNU diff's unified output: hunks that say their lengths, so that a line of text
never passes for a header.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

from muninn_core.git.history import commit_of
from muninn_core.git.run import stream
from muninn_core.model.value import Value

MOST_BYTES = 2_000_000
"""How much of a difference is read: enough to say what is at hand."""

_HOW = (
    *("diff", "--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules", "-M", "-U0"),
    *("--src-prefix=a/", "--dst-prefix=b/"),
)
_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


class Touched(Value):
    """A file that a change touches. `spans` are the lines (1-based, inclusive) as the change leaves them.

    Where lines only went, the span is the one before. `added` is what the change put in.
    """

    path: str
    spans: tuple[tuple[int, int], ...]
    added: tuple[str, ...]


def touched_by(root: Path, before: str, after: str | None = None) -> tuple[Touched, ...]:
    """Return what differs between two revisions, or between one and the work tree, in the order of git.

    Of a very large difference only the beginning is looked at. Raises BadParams, NotFoundError or GitError for what
    names no commit.
    """
    named = [commit_of(root, rev) for rev in (before, after) if rev is not None]
    pieces: list[bytes] = []
    size = 0
    with closing(stream(root, *_HOW, *named, "--")) as printed:
        for piece in printed:
            pieces.append(piece)
            size += len(piece)
            if size >= MOST_BYTES:
                break
    return read_patch(b"".join(pieces)[:MOST_BYTES].decode("utf-8", "replace"))


def read_patch(text: str) -> tuple[Touched, ...]:
    """Return the files of a patch that are there after it, with what it changes; nothing for a text that is none."""
    found: dict[str, tuple[list[tuple[int, int]], list[str]]] = {}
    lines = iter(text.split("\n"))
    path = ""
    for line in lines:
        hunk = _HUNK.match(line)
        if line.startswith("+++ "):
            path = _name(line[4:])
        elif line.startswith(("--- ", "diff ")):
            path = ""
        elif hunk and path:
            spans, added = found.setdefault(path, ([], []))
            _read_hunk(lines, hunk, spans, added)
    return tuple(Touched(path=path, spans=tuple(spans), added=tuple(added)) for path, (spans, added) in found.items())


def _name(word: str) -> str:
    """Return the path of a header, "" for a file that is gone. A time may follow behind a tab."""
    name = word.split("\t")[0].strip().strip('"')
    return "" if name == "/dev/null" else name.removeprefix("b/")


def _read_hunk(lines: Iterator[str], hunk: re.Match[str], spans: list[tuple[int, int]], added: list[str]) -> None:
    old, number, new = int(hunk[1] or 1), int(hunk[2]), int(hunk[3] or 1)
    at = number if new else number + 1  # an empty side names the line before it
    gone = False
    for line in _of_hunk(lines, old, new):
        if line.startswith("+"):
            added.append(line[1:])
            _grow(spans, at)
            at += 1
            gone = False
        elif line.startswith("-"):
            gone = True
        elif not line.startswith("\\"):
            if gone:
                _grow(spans, max(at - 1, 1))
            at += 1
            gone = False
    if gone:
        _grow(spans, max(at - 1, 1))


def _of_hunk(lines: Iterable[str], old: int, new: int) -> Iterator[str]:
    """Yield the lines of a hunk whose sides have so many lines."""
    if not old and not new:
        return
    for line in lines:
        yield line
        old -= line[:1] in ("-", " ", "")
        new -= line[:1] in ("+", " ", "")
        if old <= 0 and new <= 0:
            return


def _grow(spans: list[tuple[int, int]], line: int) -> None:
    if spans and spans[-1][0] <= line <= spans[-1][1] + 1:
        spans[-1] = (spans[-1][0], max(line, spans[-1][1]))
    else:
        spans.append((line, line))
