"""`<private>…</private>`: what an author does not want stored. Knows texts only, and nothing of secrets.

Spans nest. One that is not closed reaches to the end: what was meant to stay private is rather lost than kept.
"""

from __future__ import annotations

import re
from typing import Any

_TAG = re.compile(r"<\s*(/?)\s*private(?:\s[^<>]*)?>", re.IGNORECASE)


def strip_private(text: str) -> tuple[str, int]:
    """Return the text without its private spans, and how many there were; a closing tag without its begin is text.

    Blanks around a span become one: "a <private>b</private> c" is "a c".
    """
    kept: list[str] = []
    at = depth = spans = 0
    for tag in _TAG.finditer(text):
        if not tag[1]:
            if depth == 0:
                kept.append(text[at : tag.start()])
                spans += 1
            depth += 1
        elif depth:
            depth -= 1
            at = tag.end()
    if not spans:
        return text, 0
    if not depth:
        kept.append(text[at:])
    return _joined(kept), spans


def strip_all(value: Any) -> tuple[Any, int]:
    """Do that for every text in plain data, however deep; items and fields that were nothing but private go."""
    if isinstance(value, str):
        return strip_private(value)
    if isinstance(value, dict):
        pairs = [(strip_private(name), strip_all(item)) for name, item in value.items()]
        kept = {name: item for (name, _), (item, spans) in pairs if name and not (spans and item == "")}
        return kept, sum(one + other for (_, one), (_, other) in pairs)
    if isinstance(value, list | tuple):
        items = [strip_all(item) for item in value]
        return [item for item, spans in items if not (spans and item == "")], sum(spans for _, spans in items)
    return value, 0


def _joined(pieces: list[str]) -> str:
    text = pieces[0]
    for piece in pieces[1:]:
        if text[-1:].isspace() and piece[:1].isspace():
            piece = piece.lstrip(" \t")
        text += piece
    return text.rstrip() if len(pieces) == 1 or not pieces[-1].strip() else text
