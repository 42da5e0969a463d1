"""The value of a detail of a memory, as people and models read it."""

from __future__ import annotations

from typing import Any


def detail_text(value: Any) -> str:
    """Return a JSON value in words: the items of a list, and the names and values of an object, separated by commas."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{name} {detail_text(each)}" for name, each in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(map(detail_text, value))
    return "" if value is None else str(value)
