"""Matches exact phrases in prose and within identifiers.

The word index has no positions, so its candidates are compared here. The comparison ignores case and splits
identifiers: "user name" is in `get_user_name`, `getUserName` and "the user, name of".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from muninn_core.model.chunk import Chunk
from muninn_core.source.identifiers import split_words

_RUN = re.compile(r"\w+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
# Scripts without spaces between words: each character is a word, as in the word index.
_SIGNS = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
_OTHER = re.compile(f"[{_SIGNS}]|[^\\W_{_SIGNS}]+")


def parts(text: str) -> str:
    """Return the casefolded words and parts of identifiers of a text, in order, each surrounded by spaces."""
    return f" {' '.join(_split(text))} ".casefold()


def index_words(phrase: str) -> tuple[str, ...]:
    """Return the index words that every text with the phrase contains."""
    return tuple(dict.fromkeys(word for part in _split(phrase) for word in split_words(part).split()))


def _split(text: str) -> list[str]:
    if text.isascii():
        return _PART.findall(text)
    return [part for run in _RUN.findall(text) for part in (_PART if run.isascii() else _OTHER).findall(run)]


def holding(phrases: Sequence[str]) -> Callable[[Chunk], bool]:
    """Return a predicate: whether a chunk contains all of the phrases, each in its text or its title."""
    wanted = [_holds(phrase) for phrase in phrases]
    return lambda chunk: all(holds(chunk.text) or holds(chunk.title) for holds in wanted)


def _holds(phrase: str) -> Callable[[str], bool]:
    """Return a predicate: whether a text contains a phrase. Only text around matching letters is split into words."""
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
            at = found.start() + 1  # matches may overlap
        return False

    return holds


def _around(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span extended to the ends of the alphanumeric runs at its start and end."""
    while start > 0 and text[start - 1].isalnum():
        start -= 1
    while end < len(text) and text[end].isalnum():
        end += 1
    return start, end
