"""Finds where a value stands in the text of a JSON object, so that one value can change and every other byte stays."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


class Span(NamedTuple):
    """A value, and where its text starts and ends."""

    value: Any
    start: int
    end: int


def members(text: str, at: int = 0) -> dict[str, Span]:
    """Return the members of the object at a place. Of several with one name the last counts, as for parsers.

    Raises ValueError when the text is not JSON or the value is no object.
    """
    return dict(_members(text, at))


def items(text: str, at: int) -> list[Span]:
    """Return the items of the array at a place. Raises ValueError when there is none."""
    at = _expect(text, _skip(text, at), "[")
    found: list[Span] = []
    at = _skip(text, at)
    while text[at : at + 1] != "]":
        span = _value(text, at)
        found.append(span)
        at = _skip(text, span.end)
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
        elif text[at : at + 1] != "]":
            raise ValueError("no array")
    return found


def splice(text: str, changes: list[tuple[int, int, str]]) -> str:
    """Return a text with some spans replaced: (start, end, new text). The spans do not overlap."""
    for start, end, new in sorted(changes, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _members(text: str, at: int) -> Iterator[tuple[str, Span]]:
    at = _skip(text, _expect(text, _skip(text, at), "{"))
    while text[at : at + 1] != "}":
        name = _value(text, at)
        if not isinstance(name.value, str):
            raise ValueError("no object")
        at = _skip(text, _expect(text, _skip(text, name.end), ":"))
        span = _value(text, at)
        yield name.value, span
        at = _skip(text, span.end)
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
        elif text[at : at + 1] != "}":
            raise ValueError("no object")


def _value(text: str, at: int) -> Span:
    value, end = _DECODER.raw_decode(text, at)
    return Span(value, at, end)


def _skip(text: str, at: int) -> int:
    matched = _SPACE.match(text, at)
    return matched.end() if matched else at


def _expect(text: str, at: int, character: str) -> int:
    if text[at : at + 1] != character:
        raise ValueError(f"no {character!r}")
    return at + 1
