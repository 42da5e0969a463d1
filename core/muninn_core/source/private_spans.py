"""Removes `<private>…</private>` spans, which an author does not want stored.

Spans nest. An unclosed one reaches to the end of the text.
"""

from __future__ import annotations

import re
from typing import Any

_TAG = re.compile(r"<\s*+(/?)\s*+private(?:\s[^<>]*)?>", re.IGNORECASE)


def strip_private(text: str) -> tuple[str, int]:
    """Return a text without its private spans, and their number. An unmatched closing tag is text.

    Blanks around a span become one: "a <private>b</private> c" gives "a c".
    """
    pieces: list[str] = []
    at = depth = spans = 0
    for tag in _TAG.finditer(text):
        if not tag[1]:
            if depth == 0:
                pieces.append(text[at : tag.start()])
                spans += 1
            depth += 1
        elif depth:
            depth -= 1
            at = tag.end()
    if not spans:
        return text, 0
    if not depth:
        pieces.append(text[at:])
    return _join(pieces), spans


def strip_private_values(value: Any) -> tuple[Any, int]:
    """Strip all texts of plain data, at any depth. Items and fields that were entirely private are removed."""
    if isinstance(value, str):
        return strip_private(value)
    if isinstance(value, dict):
        pairs = [(strip_private(name), strip_private_values(item)) for name, item in value.items()]
        pieces = {name: item for (name, _), (item, spans) in pairs if name and not (spans and item == "")}
        return pieces, sum(own + nested for (_, own), (_, nested) in pairs)
    if isinstance(value, list | tuple):
        items = [strip_private_values(item) for item in value]
        return [item for item, spans in items if not (spans and item == "")], sum(spans for _, spans in items)
    return value, 0


def _join(pieces: list[str]) -> str:
    text = pieces[0]
    for piece in pieces[1:]:
        if text[-1:].isspace() and piece[:1].isspace():
            piece = piece.lstrip(" \t")
        text += piece
    return text.rstrip() if len(pieces) == 1 or not pieces[-1].strip() else text
