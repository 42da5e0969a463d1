"""Reads answers that have the form of `NAME: value` lines. A model may write anything; what does not fit is refused."""

from __future__ import annotations

import re
from collections.abc import Sequence

from muninn_core.errors import ModelError
from muninn_core.model.counting import number_of

MAX_CHARS = 4_000
"""A longer answer is no answer to a question that asks for a few lines."""

_HIDDEN = re.compile(
    r"[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]"
)
"""Control characters and characters without a width, which a person does not see."""

_WORD = re.compile(r"\w{3,}")
_STEM = 5
"""Letters by which two forms of a word are compared."""


def lines_of(text: str) -> list[str]:
    """Return the lines of an answer that are not empty, stripped. Raises ModelError for a long or a hidden text."""
    if len(text) > MAX_CHARS:
        raise ModelError(f"the answer has {len(text):,} characters; the limit is {MAX_CHARS:,}")
    if _HIDDEN.search(text) is not None:
        raise ModelError("the answer has hidden characters")
    return [line.strip() for line in text.strip().splitlines() if line.strip()]


def read_fields(text: str, names: Sequence[str]) -> dict[str, str]:
    """Return the values of an answer that has each name once, in any order, and nothing else. Raises ModelError."""
    found: dict[str, str] = {}
    for line in lines_of(text):
        name, colon, value = line.partition(":")
        if not colon or name not in names:
            raise ModelError(f"the answer has a line that is not asked for: {line[:80]!r}")
        if name in found:
            raise ModelError(f"the answer has {name} twice")
        found[name] = value.strip()
    missing = [name for name in names if not found.get(name)]
    if missing:
        raise ModelError(f"the answer lacks {', '.join(missing)}")
    return found


def read_list(value: str, name: str, least: int, most: int, divider: str = ",") -> tuple[str, ...]:
    """Return the items between dividers, each once. Raises ModelError when there are too few or too many."""
    items = tuple(dict.fromkeys(item.strip() for item in value.split(divider) if item.strip()))
    if not least <= len(items) <= most:
        raise ModelError(f"{name} has {number_of(len(items), 'item')} instead of {least} to {most}")
    return items


def share_in(text: str, source: str) -> float:
    """Return the share of a text's words that also occur in its source; 1 for a text without words."""
    known = {word[:_STEM].lower() for word in _WORD.findall(source)}
    words = _WORD.findall(text)
    return sum(word[:_STEM].lower() in known for word in words) / len(words) if words else 1.0
