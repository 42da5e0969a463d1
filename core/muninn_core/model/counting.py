"""A number with its noun, for texts that people and models read."""

from __future__ import annotations


def number_of(number: int, thing: str, things: str = "") -> str:
    """Return '1 file', '2,000 files'; `things` is a plural that does not end with a mere s, or a phrase."""
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"
