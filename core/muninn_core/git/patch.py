"""Reads patches: which lines of which files a change touches.

The format is that of `git diff` and of GNU diff's unified output. Hunk lengths are honoured, so a content line is never
taken for a header.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

from muninn_core.git.history import resolve_commit
from muninn_core.git.partial import FETCH_HINT, is_partial
from muninn_core.git.run import GitError, stream
from muninn_core.model.value import Value

MAX_DIFF_BYTES = 2_000_000
"""The rest of a longer diff is not read."""

_DIFF_OPTIONS = (
    *("diff", "--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules", "-M", "-U0"),
    *("--src-prefix=a/", "--dst-prefix=b/"),
)
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)")
_CONTROLS = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}
"""The letters of escapes in C's style (quote.c of git)."""

_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


class TouchedFile(Value):
    """A file that a change touches. `spans` are line ranges (1-based, inclusive) in the new version.

    For a pure deletion the span is the line before it. `added` has the inserted lines.
    """

    path: str
    spans: tuple[tuple[int, int], ...]
    added: tuple[str, ...]


def read_diff(root: Path, before: str, after: str | None = None) -> tuple[TouchedFile, ...]:
    """Return the files that differ between two revisions, or between one and the work tree, in git's order.

    Only the first `MAX_DIFF_BYTES` are read. Raises BadParams, NotFoundError or GitError for a bad revision.
    """
    revisions = [resolve_commit(root, rev) for rev in (before, after) if rev is not None]
    pieces: list[bytes] = []
    size = 0
    try:
        with closing(stream(root, *_DIFF_OPTIONS, *revisions, "--", worktree=after is None)) as printed:
            for piece in printed:
                pieces.append(piece)
                size += len(piece)
                if size >= MAX_DIFF_BYTES:
                    break
    except GitError as error:
        if not is_partial(root):
            raise
        raise GitError(str(error), hint=FETCH_HINT) from None
    return read_patch(b"".join(pieces)[:MAX_DIFF_BYTES].decode("utf-8", "replace"))


def read_patch(text: str) -> tuple[TouchedFile, ...]:
    """Return the files of a patch that still exist after it. Text without hunks gives an empty tuple."""
    found: dict[str, tuple[list[tuple[int, int]], list[str]]] = {}
    lines = iter(text.split("\n"))
    path = ""
    for line in lines:
        hunk = _HUNK.match(line)
        if line.startswith("+++ "):
            path = _header_path(line[4:])
        elif line.startswith(("--- ", "diff ")):
            path = ""
        elif hunk and path:
            spans, added = found.setdefault(path, ([], []))
            _read_hunk(lines, hunk, spans, added)
    return tuple(
        TouchedFile(path=path, spans=tuple(spans), added=tuple(added)) for path, (spans, added) in found.items()
    )


def _header_path(word: str) -> str:
    """Return the path of a header line, "" for a deleted file. A tab and a time may follow the path."""
    quoted = _QUOTED.match(word)
    name = _unquoted(quoted[1]) if quoted else word.split("\t")[0].removesuffix("\r")
    return "" if name == "/dev/null" else name.removeprefix("b/")


def _unquoted(text: str) -> str:
    """Return a path that git quoted: by default every one that is not ASCII (git-config(1), core.quotePath)."""

    def plain(escape: re.Match[bytes]) -> bytes:
        return bytes((int(escape[1], 8) & 0xFF,)) if len(escape[1]) == 3 else _CONTROLS.get(escape[1], escape[1])

    return _ESCAPE.sub(plain, text.encode("utf-8", "surrogateescape")).decode("utf-8", "replace")


def _read_hunk(lines: Iterator[str], hunk: re.Match[str], spans: list[tuple[int, int]], added: list[str]) -> None:
    old, number, new = int(hunk[1] or 1), int(hunk[2]), int(hunk[3] or 1)
    at = number if new else number + 1  # for an empty side git gives the line before it
    gone = False
    for line in _hunk_lines(lines, old, new):
        if line.startswith("+"):
            added.append(line[1:])
            _add_line(spans, at)
            at += 1
            gone = False
        elif line.startswith("-"):
            gone = True
        elif not line.startswith("\\"):
            if gone:
                _add_line(spans, max(at - 1, 1))
            at += 1
            gone = False
    if gone:
        _add_line(spans, max(at - 1, 1))


def _hunk_lines(lines: Iterable[str], old: int, new: int) -> Iterator[str]:
    """Yield the lines of a hunk with `old` lines before and `new` lines after."""
    if not old and not new:
        return
    for line in lines:
        yield line
        old -= line[:1] in ("-", " ", "")
        new -= line[:1] in ("+", " ", "")
        if old <= 0 and new <= 0:
            return


def _add_line(spans: list[tuple[int, int]], line: int) -> None:
    if spans and spans[-1][0] <= line <= spans[-1][1] + 1:
        spans[-1] = (spans[-1][0], max(line, spans[-1][1]))
    else:
        spans.append((line, line))
