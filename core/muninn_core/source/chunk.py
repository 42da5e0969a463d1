"""Cuts a file's text into chunks: the pieces that are indexed, found and shown.

The chunks of a file tile it: their texts, put together, are the file's text again. Code is cut where a definition or a
paragraph begins; prose at its headings (`prose.py`).
"""

from __future__ import annotations

from muninn_core.model.chunk import Chunk
from muninn_core.source import prose, symbols
from muninn_core.source.classify import PROSE, classify
from muninn_core.source.tiling import LONGEST_LINE, MOST, split_lines, tile

_ATTACHED = ("@", "#", "//", "/*", "*", "--", '"""', "'''", "[")


def chunk(path: str, text: str) -> list[Chunk]:
    """Cut the text of `path` (POSIX, relative to the root) into chunks. A blank file has none."""
    if not text.strip():
        return []
    kind, language = classify(path)
    if language in PROSE:
        pieces = [(piece.start, piece.end, piece.text, piece.title, "") for piece in prose.sections(text)]
    else:
        pieces = _code(text, language)
    return [
        Chunk(kind=kind, path=path, start=start, end=end, text=part, language=language, symbol=symbol, title=title)
        for start, end, body, title, symbol in pieces
        for part in ([body] if len(body) <= LONGEST_LINE else _slices(body))
    ]


def _slices(body: str) -> list[str]:
    return [body[i : i + MOST] for i in range(0, len(body), MOST)]


def _code(text: str, language: str) -> list[tuple[int, int, str, str, str]]:
    """Return (first line, last line, text, enclosing definition, names defined) of each piece."""
    lines = split_lines(text)
    names = symbols.definitions(lines, language)
    indents = [_indent(line) for line in lines]
    cuts = tile([len(line) for line in lines], _merits(lines, indents, names))
    enclosing = _enclosing(cuts, indents, names)
    found = []
    for (start, end), outer in zip(cuts, enclosing, strict=True):
        inside = dict.fromkeys(names[i] for i in range(start, end) if i in names)
        found.append((start + 1, end, "".join(lines[start:end]), outer, " ".join(inside)))
    return found


def _merits(lines: list[str], indents: list[int], names: dict[int, str]) -> list[float]:
    """Say how good it is to begin a chunk at each line: at an outer definition, with its comments and decorators."""
    merits = [0.0] * len(lines)
    attached_from = -1
    for i, line in enumerate(lines):
        indent = indents[i]
        if indent < 0:
            merits[i] = -5.0  # a blank line belongs to what is before it
            attached_from = -1
            continue
        merit = -2.0 * min(indent, 20)
        if i and indents[i - 1] < 0:
            merit += 20
        begun = attached_from if attached_from >= 0 and indents[attached_from] == indent else i
        if i in names:
            after_gap = begun == 0 or indents[begun - 1] < 0
            merits[begun] = max(merits[begun], (55.0 if after_gap else 50.0) - 2.0 * min(indent, 20))
            if begun != i:
                merit -= 40
            attached_from = -1
        elif line.lstrip().startswith(_ATTACHED):
            attached_from = begun
        else:
            attached_from = -1
        merits[i] = max(merits[i], merit) if begun == i else merit
    return merits


def _indent(line: str) -> int:
    """Return the width of a line's indentation, a tab counting four, or -1 for a blank line."""
    body = line.lstrip()
    if not body:
        return -1
    lead = line[: len(line) - len(body)]
    return len(lead) + 3 * lead.count("\t")


def _enclosing(cuts: list[tuple[int, int]], indents: list[int], names: dict[int, str]) -> list[str]:
    """Return for each piece the dotted names of the definitions that its first line is inside of, by indentation."""
    starts = {start: n for n, (start, _) in enumerate(cuts)}
    found = [""] * len(cuts)
    stack: list[tuple[int, str]] = []
    waiting: int | None = None
    for i, indent in enumerate(indents):
        waiting = starts.get(i, waiting)
        if indent < 0:
            continue
        if waiting is not None:
            found[waiting] = ".".join(name for depth, name in stack if depth < indent)
            waiting = None
        if i in names:
            while stack and stack[-1][0] >= indent:
                stack.pop()
            stack.append((indent, names[i]))
    return found
