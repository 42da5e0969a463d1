"""Splits a message into units (paragraphs and list items) and sentences, without code, quotations and tables."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_FENCE = re.compile(r"(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)")
_ITEM = re.compile(r"^\s*(?:[-*+\u2022]|\d{1,3}[.)]|#{1,6})\s+(?:\[[ xX]\]\s+)?")
_QUOTED = re.compile(r"^\s*(?:>|\|)|^(?: {4,}|\t)\S")
_MARKUP = re.compile(r"\*\*")
_END = re.compile(r"(?<=[.!?])[\"')\]*_]*\s+(?=\S)")
ABBREVIATION_CHARS = 12
"""Characters before the end of a sentence in which an abbreviation or a number is looked for."""

_NO_END = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|resp|incl|fig|mr|ms|dr|st)|\b[A-Z]|^\d+)\.$", re.IGNORECASE)


def split_units(prose: str) -> Iterator[str]:
    """Yield paragraphs and list items, without code blocks, quotations, tables and markup."""
    lines: list[str] = []
    for line in [*_FENCE.sub("\n\n", prose).splitlines(), ""]:
        item = _ITEM.match(line)
        quoted = _QUOTED.match(line) is not None and item is None
        if lines and (item or quoted or not line.strip()):
            yield " ".join(lines)
            lines = []
        if line.strip() and not quoted:
            lines.append(_MARKUP.sub("", line[item.end() :] if item else line).strip())


def split_sentences(unit: str) -> list[str]:
    """Split a paragraph into sentences, but not after abbreviations, versions or file names.

    A sentence may begin with a small letter, as in chats.
    """
    found: list[str] = []
    start = 0
    for match in _END.finditer(unit):
        if _NO_END.search(unit[max(start, match.start() - ABBREVIATION_CHARS) : match.start()].rstrip("\"')]*_")):
            continue
        found.append(unit[start : match.end()].strip())
        start = match.end()
    found.append(unit[start:].strip())
    return [sentence for sentence in found if sentence]
