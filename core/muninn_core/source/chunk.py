"""Cuts a file's text into chunks, the pieces that are indexed, found and shown, and reads what it defines and uses.

The chunks of a file tile it: their texts, put together, are the file's text again. Code is cut along its definitions;
where no grammar tells them, where a definition or a paragraph seems to begin; prose at its headings (`prose.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from muninn_core.model.chunk import Chunk
from muninn_core.source import prose, symbols
from muninn_core.source.classify import PROSE, classify
from muninn_core.source.definition import Definition, Syntax
from muninn_core.source.extent import Outline
from muninn_core.source.line_runs import LONGEST_LINE, MOST, split_lines, tile
from muninn_core.source.partition import divide
from muninn_core.source.syntax import read_syntax

if TYPE_CHECKING:
    from collections.abc import Sequence

_ATTACHED = ("@", "#", "//", "/*", "*", "--", '"""', "'''", "[")

_COMMENT = 600
"""Characters of comments that a chunk carries."""

_MOST_GUESSED = 500
"""Definitions that lines alone tell of one file: more of them are no definitions."""


class Cut(NamedTuple):
    """A file in pieces, and what it defines, imports and calls."""

    chunks: list[Chunk]
    syntax: Syntax


def chunk(path: str, text: str) -> list[Chunk]:
    """Cut the text of `path` (POSIX, relative to the root) into chunks. A blank file has none."""
    return cut(path, text).chunks


def cut(path: str, text: str, *, by_grammar: bool = True) -> Cut:
    """Cut a file, and say what it defines and uses; of code, as far as lines tell where no grammar may be asked."""
    if not text.strip():
        return Cut([], Syntax())
    _, language = classify(path)
    lines = split_lines(text)
    if language in PROSE:
        pieces, syntax = _prose(text)
    elif by_grammar and (syntax_found := read_syntax(path, language, text, lines)) is not None:
        pieces, syntax = _along(lines, syntax_found), syntax_found
    else:
        names = symbols.definitions(lines, language)
        pieces, syntax = _by_lines(lines, names), Syntax(definitions=_guessed(text, lines, language, len(names)))
    return Cut(_chunks(path, pieces), syntax)


def cut_by_lines(path: str, text: str) -> list[Chunk]:
    """Cut a file as `cut` does where no grammar may be asked; what it defines is not said."""
    if not text.strip():
        return []
    _, language = classify(path)
    if language in PROSE:
        return _chunks(path, _prose(text)[0])
    lines = split_lines(text)
    return _chunks(path, _by_lines(lines, symbols.definitions(lines, language)))


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
        for part in ([piece.text] if len(piece.text) <= LONGEST_LINE else _slices(piece.text))
    ]


class _Piece(NamedTuple):
    """First and last line, text, what is around it, and what it defines."""

    start: int
    end: int
    text: str
    title: str
    symbol: str = ""
    signature: str = ""
    comment: str = ""


def _slices(body: str) -> list[str]:
    return [body[i : i + MOST] for i in range(0, len(body), MOST)]


def _prose(text: str) -> tuple[list[_Piece], Syntax]:
    page = prose.read(text)
    pieces = [_Piece(one.start, one.end, one.text, one.title) for one in page.sections]
    return pieces, Syntax(definitions=prose.outline(page))


def _along(lines: Sequence[str], syntax: Syntax) -> list[_Piece]:
    """Cut along definitions. A piece of the middle of one carries its head as its signature."""
    ranges = divide(lines, syntax.definitions, lambda start, end: _merits_of(lines[start:end]))
    waiting = list(syntax.definitions)[::-1]
    open_: list[Definition] = []
    found: list[_Piece] = []
    for start, end in ranges:
        # What is around a piece is around its first definition, or else around its first line.
        own: list[Definition] = []
        while open_ and open_[-1].end <= start:
            open_.pop()
        around = [one for one in open_ if one.start <= start < one.end]
        while waiting and waiting[-1].start <= end:
            one = waiting.pop()
            own.append(one)
            open_ = [each for each in open_ if each.end >= one.start]
            open_.append(one)
        signatures = [around[-1].signature] if around and not (own and own[0].lead == start + 1) else []
        signatures += [one.signature for one in own if one.kind != "variant"]
        comments = [one.comment for one in own]
        if start == 0:
            comments.insert(0, syntax.comment)
        found.append(
            _Piece(
                start + 1,
                end,
                "".join(lines[start:end]),
                around[-1].qualified if around else "",
                " ".join(dict.fromkeys(one.name for one in own if one.kind != "variant")),  # their enum speaks for them
                "\n".join(filter(None, signatures)),
                "\n".join(filter(None, dict.fromkeys(comments)))[:_COMMENT],
            )
        )
    return found


def _by_lines(lines: list[str], names: dict[int, str]) -> list[_Piece]:
    """Cut where a line looks like the beginning of a definition or of a paragraph. `names` are what lines define."""
    indents = [_indent(line) for line in lines]
    cuts = tile([len(line) for line in lines], _merits(lines, indents, names))
    enclosing = _enclosing(cuts, indents, names)
    pieces = []
    for (start, end), outer in zip(cuts, enclosing, strict=True):
        inside = dict.fromkeys(names[i] for i in range(start, end) if i in names)
        pieces.append(_Piece(start + 1, end, "".join(lines[start:end]), outer, " ".join(inside)))
    return pieces


def _guessed(text: str, lines: list[str], language: str, count: int) -> tuple[Definition, ...]:
    """Return the definitions that lines and their indentation tell of."""
    if not 0 < count <= _MOST_GUESSED:
        return ()
    found = []
    # An outline counts from the newlines of the text: its lines are without them.
    for one in Outline(text, text.split("\n"), language).extents:
        container, _, name = one.name.rpartition(".")
        signature = lines[one.start - 1].strip()[:240].rstrip(" {:=;")
        found.append(Definition(name, "definition", container, one.start, one.end, one.start, signature))
    return tuple(found)


def _merits_of(lines: Sequence[str]) -> list[float]:
    return _merits(lines, [_indent(line) for line in lines], {})


def _merits(lines: Sequence[str], indents: list[int], names: dict[int, str]) -> list[float]:
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
