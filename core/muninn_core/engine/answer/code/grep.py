"""Searches the files of the work tree for a regular expression.

The index says which files there are, so ignored and binary files are not read. The text comes from disk, so that the
answer is right while the index lags. Matching takes linear time (RE2).
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import NamedTuple

from muninn_core.engine.answer.code.code_map import read_index
from muninn_core.engine.answer.code.file_tree import passing_files
from muninn_core.errors import BadParams
from muninn_core.expression import Expression, compile_search
from muninn_core.protocol.families.files import GrepFile, GrepLine, GrepParams, GrepResult
from muninn_core.source.files.path_containment import is_inside
from muninn_core.source.files.text import Text, read_text
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.workspace import Workspace

SECONDS = 10.0
"""How long files are read. After it the answer counts the files that were not."""

LINE_CHARS = 300
"""The most characters of a line."""

_BEFORE_MATCH = 100
"""Characters of a long line that are shown before its first match."""


class _Place(NamedTuple):
    """A matching line: its number from 1, and its start, its end and the start of its first match in bytes."""

    number: int
    start: int
    end: int
    match: int


def grep(workspace: Workspace, params: GrepParams, call: CallContext) -> GrepResult:
    """Return the matching lines. Raises BadParams for an invalid expression, glob or language; Cancelled."""
    expression = _expression(params)
    snapshot, saw = read_index(workspace)
    files = [path for path, _, _ in passing_files(snapshot, params.path, params.lang)]
    root, most = workspace.layout.root, workspace.config.index.max_file_bytes
    matches: list[GrepLine] = []
    counts: list[GrepFile] = []
    end, searched = time.monotonic() + SECONDS, 0
    for path in files:
        call.raise_if_cancelled()
        if time.monotonic() > end:
            break
        searched += 1
        text = read_text(root, path, most)
        if not isinstance(text, Text) or not (places := list(_places(expression, text.data))):
            continue
        if not is_inside(root, path):
            continue  # a folder became a link that leads out of the work tree
        counts.append(GrepFile(path=path, lines=len(places)))
        if not params.count:
            matches += _shown(path, text.data, places[: params.limit - len(matches)], params.context)
    total = sum(each.lines for each in counts)
    return GrepResult(
        pattern=params.pattern,
        matches=tuple(matches),
        counts=tuple(counts[: params.limit]) if params.count else (),
        total=total,
        files=len(counts),
        searched=searched,
        omitted=total - (sum(each.lines for each in counts[: params.limit]) if params.count else len(matches)),
        unsearched=len(files) - searched,
        saw=saw,
    )


def _expression(params: GrepParams) -> Expression:
    try:
        return compile_search(params.pattern, fixed=params.fixed, ignore_case=params.ignore_case, word=params.word)
    except ValueError as error:
        raise BadParams(str(error), hint="`fixed` (--fixed) searches for plain text.") from None


def _places(expression: Expression, data: bytes) -> Iterator[_Place]:
    """Yield the matching lines, each once. An expression that matches the empty text matches every line."""
    number, counted, after = 1, 0, -1
    for first, _ in expression.spans(data):
        if first < after or (first == len(data) and data.endswith(b"\n")):
            continue  # the same line, or the end of the last one
        start = data.rfind(b"\n", 0, first) + 1
        number += data.count(b"\n", counted, start)
        counted, end = start, data.find(b"\n", first)
        end = len(data) if end < 0 else end
        yield _Place(number, start, end, first)
        after = end + 1


def _shown(path: str, data: bytes, places: list[_Place], context: int) -> Iterator[GrepLine]:
    lines = data.split(b"\n") if context else []
    for place in places:
        before = lines[max(0, place.number - 1 - context) : place.number - 1] if context else ()
        after = lines[place.number : place.number + context] if context else ()
        yield GrepLine(
            path=path,
            line=place.number,
            text=_cut(data[place.start : place.end], place.match - place.start),
            before=tuple(map(_cut, before)),
            after=tuple(map(_cut, after)),
        )


def _cut(line: bytes, match: int = 0) -> str:
    """Return a line as text, cut around the match at `match` (in bytes)."""
    text = line.rstrip(b"\r").decode("utf-8", "replace")
    if len(text) <= LINE_CHARS:
        return text
    at = max(0, len(line[:match].decode("utf-8", "replace")) - _BEFORE_MATCH)
    piece = text[at : at + LINE_CHARS]
    return ("…" if at else "") + piece + ("…" if at + LINE_CHARS < len(text) else "")
