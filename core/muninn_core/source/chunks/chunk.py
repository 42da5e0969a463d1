"""Cuts a file's text into chunks, the units that are indexed and shown, and reads what it defines and uses.

The chunks tile the file: their joined texts equal its text. Code is cut along its definitions, without a grammar where
a definition or paragraph seems to begin, and prose at its headings (`prose.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from muninn_core.model.chunk import Chunk
from muninn_core.source.chunks import prose
from muninn_core.source.code import symbols
from muninn_core.source.code.definition import Definition, Syntax
from muninn_core.source.code.extent import Outline
from muninn_core.source.code.partition import partition_lines
from muninn_core.source.code.syntax import read_syntax
from muninn_core.source.files.classify import PROSE, classify
from muninn_core.source.files.line_runs import MAX_CHUNK, MAX_LINE_LENGTH, group_lines, split_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

_ATTACHED = ("@", "#", "//", "/*", "*", "--", '"""', "'''", "[")

_COMMENT = 600
"""The maximum characters of comments in a chunk."""

_MAX_GUESSED = 500
"""A file with more definitions guessed from lines gets none."""


class ChunkedFile(NamedTuple):
    """The chunks of a file, and what it defines, imports and calls."""

    chunks: list[Chunk]
    syntax: Syntax


def chunk_file(path: str, text: str) -> list[Chunk]:
    """Return the chunks of `path` (POSIX, relative to the root). A blank file has none."""
    return chunk_with_syntax(path, text).chunks


def chunk_with_syntax(path: str, text: str, *, by_grammar: bool = True) -> ChunkedFile:
    """Return the chunks and the syntax of a file. Without `by_grammar` both are guessed from lines."""
    if not text.strip():
        return ChunkedFile([], Syntax())
    _, language = classify(path)
    lines = split_lines(text)
    if language in PROSE:
        pieces, syntax = _prose(text)
    elif by_grammar and (syntax_found := read_syntax(path, language, text, lines)) is not None:
        pieces, syntax = _chunk_by_syntax(lines, syntax_found), syntax_found
    else:
        names = symbols.defined_names(lines, language)
        pieces, syntax = (
            _pieces_by_lines(lines, names),
            Syntax(definitions=_guess_definitions(text, lines, language, len(names))),
        )
    return ChunkedFile(_chunks(path, pieces), syntax)


def chunk_by_lines(path: str, text: str) -> list[Chunk]:
    """Return the chunks of `chunk_with_syntax(by_grammar=False)` without the syntax."""
    if not text.strip():
        return []
    _, language = classify(path)
    if language in PROSE:
        return _chunks(path, _prose(text)[0])
    lines = split_lines(text)
    return _chunks(path, _pieces_by_lines(lines, symbols.defined_names(lines, language)))


def _chunks(path: str, pieces: Sequence[_Piece]) -> list[Chunk]:
    kind, language = classify(path)
    return [
        Chunk(
            kind=kind,
            path=path,
            start=piece.start,
            end=piece.end,
            text=part,
            language=language,
            symbol=piece.symbol,
            title=piece.title,
            signature=piece.signature,
            comment=piece.comment,
        )
        for piece in pieces
        for part in ([piece.text] if len(piece.text) <= MAX_LINE_LENGTH else _slice(piece.text))
    ]


class _Piece(NamedTuple):
    """First and last line, text, enclosing names, and defined names."""

    start: int
    end: int
    text: str
    title: str
    symbol: str = ""
    signature: str = ""
    comment: str = ""


def _slice(body: str) -> list[str]:
    return [body[i : i + MAX_CHUNK] for i in range(0, len(body), MAX_CHUNK)]


def _prose(text: str) -> tuple[list[_Piece], Syntax]:
    page = prose.read_prose(text)
    pieces = [_Piece(one.start, one.end, one.text, one.title) for one in page.sections]
    return pieces, Syntax(definitions=prose.heading_definitions(page))


def _chunk_by_syntax(lines: Sequence[str], syntax: Syntax) -> list[_Piece]:
    """Cut along definitions. A piece from the middle of a definition has its head as the signature."""
    ranges = partition_lines(lines, syntax.definitions, lambda start, end: _indent_scores(lines[start:end]))
    pending = list(syntax.definitions)[::-1]
    open_definitions: list[Definition] = []
    found: list[_Piece] = []
    for start, end in ranges:
        # A piece has the container of its first definition, or of its first line.
        inner: list[Definition] = []
        while open_definitions and open_definitions[-1].end <= start:
            open_definitions.pop()
        enclosing = [one for one in open_definitions if one.start <= start < one.end]
        while pending and pending[-1].start <= end:
            one = pending.pop()
            inner.append(one)
            open_definitions = [each for each in open_definitions if each.end >= one.start]
            open_definitions.append(one)
        signatures = [enclosing[-1].signature] if enclosing and not (inner and inner[0].lead == start + 1) else []
        signatures += [one.signature for one in inner if one.kind != "variant"]
        comments = [one.comment for one in inner]
        if start == 0:
            comments.insert(0, syntax.comment)
        found.append(
            _Piece(
                start + 1,
                end,
                "".join(lines[start:end]),
                enclosing[-1].qualified if enclosing else "",
                " ".join(dict.fromkeys(one.name for one in inner if one.kind != "variant")),  # the enum has their names
                "\n".join(filter(None, signatures)),
                "\n".join(filter(None, dict.fromkeys(comments)))[:_COMMENT],
            )
        )
    return found


def _pieces_by_lines(lines: list[str], names: dict[int, str]) -> list[_Piece]:
    """Cut at lines that look like the start of a definition or a paragraph. `names` are the names that lines define."""
    indents = [_indent(line) for line in lines]
    cuts = group_lines([len(line) for line in lines], _break_scores(lines, indents, names))
    enclosing = _enclosing(cuts, indents, names)
    pieces = []
    for (start, end), outer in zip(cuts, enclosing, strict=True):
        inside = dict.fromkeys(names[i] for i in range(start, end) if i in names)
        pieces.append(_Piece(start + 1, end, "".join(lines[start:end]), outer, " ".join(inside)))
    return pieces


def _guess_definitions(text: str, lines: list[str], language: str, count: int) -> tuple[Definition, ...]:
    """Return the definitions guessed from lines and indentation."""
    if not 0 < count <= _MAX_GUESSED:
        return ()
    found = []
    # `Outline` expects lines without newlines.
    for one in Outline(text, text.split("\n"), language).extents:
        container, _, name = one.name.rpartition(".")
        signature = lines[one.start - 1].strip()[:240].rstrip(" {:=;")
        found.append(Definition(name, "definition", container, one.start, one.end, one.start, signature))
    return tuple(found)


def _indent_scores(lines: Sequence[str]) -> list[float]:
    return _break_scores(lines, [_indent(line) for line in lines], {})


def _break_scores(lines: Sequence[str], indents: list[int], names: dict[int, str]) -> list[float]:
    """Return the score of starting a chunk at each line: best at outer definitions, with comments and decorators."""
    merits = [0.0] * len(lines)
    attached_from = -1
    for i, line in enumerate(lines):
        indent = indents[i]
        if indent < 0:
            merits[i] = -5.0  # a blank line belongs to the chunk before it
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
    """Return the width of a line's indentation, four for a tab, or -1 for a blank line."""
    body = line.lstrip()
    if not body:
        return -1
    lead = line[: len(line) - len(body)]
    return len(lead) + 3 * lead.count("\t")


def _enclosing(cuts: list[tuple[int, int]], indents: list[int], names: dict[int, str]) -> list[str]:
    """Return for each piece the dotted names of the definitions around its first line, by indentation."""
    starts = {start: n for n, (start, _) in enumerate(cuts)}
    found = [""] * len(cuts)
    stack: list[tuple[int, str]] = []
    pending: int | None = None
    for i, indent in enumerate(indents):
        pending = starts.get(i, pending)
        if indent < 0:
            continue
        if pending is not None:
            found[pending] = ".".join(name for depth, name in stack if depth < indent)
            pending = None
        if i in names:
            while stack and stack[-1][0] >= indent:
                stack.pop()
            stack.append((indent, names[i]))
    return found
