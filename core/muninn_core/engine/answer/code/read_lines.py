"""Lines of a file of the work tree, as they are on disk. Only files that the index may have are read."""

from __future__ import annotations

from collections.abc import Callable

from muninn_core.engine.answer.code.code_map import read_index
from muninn_core.engine.answer.code.file_tree import passing_files
from muninn_core.engine.answer.unknown_file import unknown_file
from muninn_core.errors import BadParams, NotFoundError
from muninn_core.model.answer import ReadState
from muninn_core.model.counting import number_of
from muninn_core.protocol.families.files import ReadParams, ReadResult
from muninn_core.source.files.classify import language_of
from muninn_core.source.files.text import Text, read_text
from muninn_core.worktree.paths import relative_path
from muninn_core.worktree.workspace import Workspace

LINE_CHARS = 2_000
"""The most characters of a line."""

MAX_CHARS = 200_000
"""The most characters of an answer."""

_FOLLOW_SECONDS = 2.0
"""How long a file that is not in the index yet is waited for."""


def read(workspace: Workspace, params: ReadParams) -> ReadResult:
    """Return lines of a file.

    Raises BadParams for a path outside the work tree or lines that the file does not have, NotFoundError for a file
    that does not exist, is ignored, or has no text.
    """
    path = relative_path(params.path, workspace.layout.root)
    return lines_of(path, lambda: _text_of(workspace, path), params, lambda: read_index(workspace)[1])


def lines_of(path: str, read_file: Callable[[], str], params: ReadParams, saw: Callable[[], ReadState]) -> ReadResult:
    """Return lines of a file, whose text `read_file` returns. Raises BadParams for lines that the file lacks.

    `saw` returns what the answer saw, after the text was read.
    """
    if 0 < params.end < params.start:
        raise BadParams(f"the last line ({params.end}) is before the first ({params.start})", hint="Swap them.")
    lines = read_file().replace("\r\n", "\n").split("\n")
    if lines[-1] == "":
        lines.pop()
    if params.start > max(1, len(lines)):
        raise BadParams(
            f"{path} has {number_of(len(lines), 'line')}", hint=f"Read from line {max(1, len(lines)):,} or before."
        )
    wanted = lines[params.start - 1 : params.end or None]
    shown, cut = _within(wanted[: params.limit])
    return ReadResult(
        path=path,
        language=language_of(path),
        start=params.start,
        end=params.start - 1 + len(shown),
        total=len(lines),
        lines=tuple(shown),
        omitted=len(wanted) - len(shown),
        cut=cut,
        saw=saw(),
    )


def _text_of(workspace: Workspace, path: str) -> str:
    known = {each for each, _, _ in passing_files(read_index(workspace)[0])}
    if path not in known and (workspace.layout.root / path).is_file():
        workspace.updater.follow([path], _FOLLOW_SECONDS)
        known = {each for each, _, _ in passing_files(read_index(workspace)[0])}
    if path not in known:
        raise unknown_file(workspace.layout.root, path, known)
    text = read_text(workspace.layout.root, path, workspace.config.index.max_file_bytes)
    if not isinstance(text, Text):
        raise NotFoundError(f"{path} can't be read: {text}", hint="`muninn files` lists the files that can be read.")
    return text.text


def _within(lines: list[str]) -> tuple[list[str], int]:
    """Return the lines that fit into an answer, and the number of characters that were cut from long ones."""
    found: list[str] = []
    left, cut = MAX_CHARS, 0
    for line in lines:
        shown = line[:LINE_CHARS]
        left -= len(shown) + 1
        if left < 0:
            break
        found.append(shown)
        cut += len(line) - len(shown)
    return found, cut
