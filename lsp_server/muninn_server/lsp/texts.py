"""Places in open documents, between our lines and characters and those that the client counts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from muninn_server.lsp.server import TextDocument

MOST_CHARS = 1_000_000
"""A larger document is not kept: nobody reads it, and each key that is typed would cost a copy of it."""

_NAME = re.compile(r"[^\W\d]\w*")


def line_range(document: TextDocument, line: int, start: int = 0, end: int | None = None) -> types.Range:
    """Return the range of a line (1-based) from one character to another as the client counts; by default its words.

    A line that is not there is the last one.
    """
    lines = document.lines
    number = min(max(line, 1), max(len(lines), 1)) - 1
    text = lines[number].rstrip("\r\n") if number < len(lines) else ""
    if end is None:
        start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    units = document.position_codec.client_num_units
    begin, stop = min(start, len(text)), min(max(start, end), len(text))
    return types.Range(types.Position(number, units(text[:begin])), types.Position(number, units(text[:stop])))


def name_at(document: TextDocument, position: types.Position) -> str:
    """Return the name that stands at a position, "" for none."""
    lines = document.lines
    if position.line >= len(lines):
        return ""
    text = lines[position.line].rstrip("\r\n")
    at = document.position_codec.position_from_client_units([text], types.Position(0, position.character)).character
    return next((found[0] for found in _NAME.finditer(text) if found.start() <= at <= found.end()), "")
