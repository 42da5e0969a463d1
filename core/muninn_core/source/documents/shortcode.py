"""Short codes of Metis documents, such as `MUNI-T-0042`.

A code has a project's prefix, the letter of a level and a number. People omit the prefix and ignore case. Ids of other
trackers are equal when their text is, ignoring case.
"""

from __future__ import annotations

import re

LETTERS = {"V": "vision", "S": "strategy", "I": "initiative", "T": "task", "A": "adr"}
"""The level of each letter."""

_WHOLE = re.compile(r"(?<![A-Za-z0-9])[A-Z][A-Z0-9]*-[VSITA]-\d{3,}(?![A-Za-z0-9])")
_SHORT = re.compile(r"[vsita]-\d+")
_IN_NAMES = re.compile(r"(?<![A-Za-z0-9])(?:[A-Za-z][A-Za-z0-9]*-)?[VSITAvsita]-\d{3,}(?![A-Za-z0-9])")


def find_codes(text: str) -> tuple[str, ...]:
    """Return the full codes in a text, each once, in order."""
    return tuple(dict.fromkeys(_WHOLE.findall(text)))


def find_code_candidates(name: str) -> tuple[str, ...]:
    """Return possible codes in a branch name, longest first; `fix/muni-t-0042-expiry` gives both forms."""
    found: dict[str, None] = {}
    for match in _IN_NAMES.findall(name):
        found[match] = None
        found["-".join(match.split("-")[-2:])] = None
    return tuple(sorted(found, key=len, reverse=True))


def same_code(one: str, other: str) -> bool:
    """Whether two ids mean the same task: equal ignoring case, or one is the other without its prefix."""
    first, second = sorted((one.strip().casefold(), other.strip().casefold()), key=len)
    if first == second:
        return bool(first)
    return _SHORT.fullmatch(first) is not None and second.endswith(f"-{first}")


def level_of(code: str) -> str:
    """Return the level of a code by its letter, "" for none."""
    parts = code.upper().split("-")
    return LETTERS.get(parts[-2], "") if len(parts) > 1 and parts[-1].isdigit() else ""
