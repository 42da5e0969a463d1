"""Entries of lists in a text, for its beginning or its whole on one line. The command line uses it, too."""

from __future__ import annotations

import re

_MARK = r"(?:[-*+]|\d{1,3}[.)])[^\S\n]+"
_ENTRY = re.compile(rf"(?:^|\n)[^\S\n]*(?=\S)(?={_MARK})")
_BULLET = re.compile(r"[-*+][^\S\n]+")
_BEGINS = re.compile(rf"\s*{_MARK}")


def begins_entry(line: str) -> bool:
    """Whether a line begins an entry of a list."""
    return bool(_BEGINS.match(line))


def split_entries(text: str) -> list[str]:
    """Return what precedes a list, "" for nothing, and each entry. A number stays, another mark does not."""
    first, *entries = _ENTRY.split(text)
    return [first, *(_BULLET.sub("", entry, count=1) for entry in entries)]
