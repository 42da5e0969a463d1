"""A number with its noun, for texts that people and models read."""

from __future__ import annotations

_PLURALS = {"memory": "memories", "bug_fix": "bug fixes", "entity": "entities", "session_summary": "session summaries"}


def number_of(number: int, thing: str, things: str = "") -> str:
    """Return '1 file', '2,000 files'; `things` is a plural that does not end with a mere s, or a phrase."""
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"


def number_of_kind(number: int, kind: str) -> str:
    """Return '1 decision', '2 bug fixes', for a kind of memory."""
    return number_of(number, kind.replace("_", " "), _PLURALS.get(kind, ""))
