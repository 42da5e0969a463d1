"""Exact phrases: whether words stand side by side in a text, in prose or within identifiers.

The word index keeps no positions, so candidates are found by it and compared here. Letters are compared whatever
their case, and an identifier is its parts: "user name" is in `get_user_name`, `getUserName` and "the user, name of".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from muninn_core.model.chunk import Chunk
from muninn_core.source.identifiers import split_words

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
    return tuple(dict.fromkeys(word for part in _split(phrase) for word in split_words(part).split()))


def _split(text: str) -> list[str]:
    if text.isascii():
        return _PART.findall(text)
    return [part for run in _RUN.findall(text) for part in (_PART if run.isascii() else _OTHER).findall(run)]


def holding(phrases: Sequence[str]) -> Callable[[Chunk], bool]:
    """Return whether a chunk holds every one of some phrases, in its text or its title."""
    wanted = [_holds(phrase) for phrase in phrases]
    return lambda chunk: all(holds(chunk.text) or holds(chunk.title) for holds in wanted)


def _holds(phrase: str) -> Callable[[str], bool]:
    """Return whether a text holds a phrase. Only where its letters follow each other is a text taken apart."""
    wanted = parts(phrase)
    letters = re.compile(r"[\W_]*".join(map(re.escape, wanted.split())))

    def holds(text: str) -> bool:
        low = text.casefold()
        if not text.isascii():
            return letters.search(low) is not None and wanted in parts(text)
        at = looked_at = 0
        while (found := letters.search(low, at)) is not None:
            if found.end() > looked_at:
                start, looked_at = _around(text, *found.span())
                if wanted in parts(text[start:looked_at]):
                    return True
            at = found.start() + 1  # not behind it: the next one may begin within
        return False

    return holds


def _around(text: str, start: int, end: int) -> tuple[int, int]:
    """Return two places, moved apart to where the runs of letters and digits end that they lie in."""
    while start > 0 and text[start - 1].isalnum():
        start -= 1
    while end < len(text) and text[end].isalnum():
        end += 1
    return start, end
