"""Exact phrases: whether words stand side by side in a text, in prose or within identifiers.

The word index keeps no positions, so candidates are found by it and compared here. Letters are compared whatever
their case, and an identifier is its parts: "user name" is in `get_user_name`, `getUserName` and "the user, name of".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from muninn_core.model.chunk import Chunk
from muninn_core.source.identifiers import words

_RUN = re.compile(r"\w+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
# Scripts without blanks between words: each character stands for itself, as it does in the word index.
_SIGNS = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
_OTHER = re.compile(f"[{_SIGNS}]|[^\\W_{_SIGNS}]+")


def parts(text: str) -> str:
    """Return the words of a text and the parts of its identifiers, in order, each between blanks."""
    return f" {' '.join(_split(text))} ".casefold()


def index_words(phrase: str) -> tuple[str, ...]:
    """Return words of the index that every text with the phrase holds."""
    return tuple(dict.fromkeys(word for part in _split(phrase) for word in words(part).split()))


def _split(text: str) -> list[str]:
    if text.isascii():
        return _PART.findall(text)
    return [part for run in _RUN.findall(text) for part in (_PART if run.isascii() else _OTHER).findall(run)]


def holding(phrases: Sequence[str]) -> Callable[[Chunk], bool]:
    """Return whether a chunk holds every one of some phrases, in its text or its title."""
    wanted = [parts(phrase) for phrase in phrases]

    def holds(chunk: Chunk) -> bool:
        text, title = parts(chunk.text), parts(chunk.title)
        return all(each in text or each in title for each in wanted)

    return holds
