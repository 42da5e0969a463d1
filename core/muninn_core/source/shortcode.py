"""Short codes of Metis documents, such as `MUNI-T-0042`: recognising them in text, and telling when two mean the same.

A code is a project's prefix, the letter of a level and a number. People leave the prefix out and mind no capitals.
It knows no documents; a task of another tracker is a text that equals itself, whatever the case.
"""

from __future__ import annotations

import re

LETTERS = {"V": "vision", "S": "strategy", "I": "initiative", "T": "task", "A": "adr"}
"""The level that the letter of a code stands for."""

_WHOLE = re.compile(r"(?<![A-Za-z0-9])[A-Z][A-Z0-9]*-[VSITA]-\d{3,}(?![A-Za-z0-9])")
_SHORT = re.compile(r"[vsita]-\d+")
_IN_NAMES = re.compile(r"(?<![A-Za-z0-9])(?:[A-Za-z][A-Za-z0-9]*-)?[VSITAvsita]-\d{3,}(?![A-Za-z0-9])")


def codes_in(text: str) -> tuple[str, ...]:
    """Return the whole codes that a text names, each once, in the order of the text."""
    return tuple(dict.fromkeys(_WHOLE.findall(text)))


def candidates_in(name: str) -> tuple[str, ...]:
    """Return what may be a code in a branch's name, longest first: of `fix/muni-t-0042-expiry` both forms of it."""
    found: dict[str, None] = {}
    for match in _IN_NAMES.findall(name):
        found[match] = None
        found["-".join(match.split("-")[-2:])] = None
    return tuple(sorted(found, key=len, reverse=True))


def same_code(one: str, other: str) -> bool:
    """Whether two ids mean the same task: equal whatever the case, or one is the other without its prefix."""
    first, second = sorted((one.strip().casefold(), other.strip().casefold()), key=len)
    if first == second:
        return bool(first)
    return _SHORT.fullmatch(first) is not None and second.endswith(f"-{first}")


def level_of(code: str) -> str:
    """Return the level that a code names by its letter, "" for none."""
    parts = code.upper().split("-")
    return LETTERS.get(parts[-2], "") if len(parts) > 1 and parts[-1].isdigit() else ""
