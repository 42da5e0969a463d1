"""Positions in documents: between the core's lines and characters and those that the client counts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from muninn_server.lsp.server import Document, Server

MAX_CHARS = 1_000_000
"""The text of a longer document is not kept: each key that is typed would cost a copy of it."""

TOP = types.Range(types.Position(0, 0), types.Position(0, 0))
"""The empty range at the start of a document."""

_NAME = re.compile(r"[^\W\d]\w*")


def line_range(document: Document, line: int, start: int = 0, end: int | None = None) -> types.Range:
    """Return the client's range on a line (1-based) from character `start` to `end` (0-based).

    Without `end` the range covers the line without its indentation. A line past the end means the last one.
    """
    lines = document.lines
    number = min(max(line, 1), max(len(lines), 1)) - 1
    text = lines[number].rstrip("\r\n") if number < len(lines) else ""
    if end is None:
        start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    units = document.position_codec.client_num_units
    begin, stop = min(start, len(text)), min(max(start, end), len(text))
    return types.Range(types.Position(number, units(text[:begin])), types.Position(number, units(text[:stop])))


def name_at(document: Document, position: types.Position) -> str:
    """Return the identifier at a position, "" if there is none."""
    lines = document.lines
    if position.line >= len(lines):
        return ""
    text = lines[position.line].rstrip("\r\n")
    at = document.index_on(text, position.character)
    return next((found[0] for found in _NAME.finditer(text) if found.start() <= at <= found.end()), "")


def location(server: Server, uri: str, line: int, column: int = 1, end: int = 1) -> types.Location:
    """Return the location of a stretch of a line, all 1-based. Reads the file if the client's columns need it."""
    if column == 1 and end <= 1:
        start = types.Position(max(line - 1, 0), 0)
        return types.Location(uri, types.Range(start, start))
    return types.Location(uri, line_range(server.document(uri), line, column - 1, end - 1))
