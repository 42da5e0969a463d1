"""Slips of the pen in a question: what is no word and stands nowhere, where a word that differs by a single slip does.

A slip is a letter too many, too few, another one, or two that changed places (the distance of Damerau, 1964), but never
the first letter, which is seldom mistaken. Short words are left alone: too many others are near to them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from operator import itemgetter
from string import ascii_lowercase
from typing import TYPE_CHECKING

from muninn_core.retrieval.snippet import Marker
from muninn_core.source.identifiers import stem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from muninn_core.model.chunk import SourceKind
    from muninn_core.retrieval.informative_terms import Frequency
    from muninn_core.retrieval.reader import Reader

SHORTEST = 6
"""Letters of a word that is looked at."""

MOST_LOOKED_AT = 4
"""Unknown words of a question that are looked at: each costs some hundred looks into the index."""

Spelt = Callable[[str], bool]
"""Says whether a word, in lower case, is one: somebody who asks for `prompt` does not mean `promote`."""

_LONGEST = 24
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def meant(text: str, reader: Reader, spelt: Spelt) -> dict[str, str]:
    """Return {word: what it was most likely meant as, as somebody wrote it} of the slips in a question."""
    found = slips(text, reader.frequency, spelt)
    return {word: _as_written(near, reader) for word, near in found.items()}


def slips(text: str, frequency: Frequency, spelt: Spelt) -> dict[str, str]:
    """Return {word: the word of the index that is near to it} of a question's words that stand nowhere and are none.

    Of several near words the commonest is taken. Words for which there is none are left out.
    """
    parts = dict.fromkeys(part.lower() for part in _PART.findall(text) if SHORTEST <= len(part) <= _LONGEST)
    unknown = [word for word in parts if not frequency(stem(word)) and not spelt(word)][:MOST_LOOKED_AT]
    found = {word: _nearest(word, frequency) for word in unknown}
    return {word: near for word, near in found.items() if near}


def _nearest(word: str, frequency: Frequency) -> str:
    """Return the commonest word of the index at one slip's distance, the first by the alphabet; "" for none."""
    best = min({stem(each) for each in _one_slip_off(word)}, key=lambda each: (-frequency(each), each))
    return best if frequency(best) else ""


def _as_written(word: str, reader: Reader) -> str:
    """Return a word of the index as it is written in the chunk where it weighs most; unchanged if no text has it.

    Memories are left out, since some are private.
    """
    kinds: tuple[SourceKind, ...] = ("code", "knowledge")
    for kind in kinds:
        best = [
            (-score, source, number) for source in reader.sources for number, score in source.lexical([word], 1, kind)
        ]
        for _, source, number in sorted(best, key=itemgetter(0)):
            for chunk in source.chunks([number]).values():
                for line in Marker({word: 1.0}).snippet(chunk.text):
                    for mark in line.marks:
                        return line.text[mark.start : mark.end].lower()
    return word


def _one_slip_off(word: str) -> Iterator[str]:
    for at in range(1, len(word) + 1):
        head, tail = word[:at], word[at:]
        yield from (head + letter + tail for letter in ascii_lowercase)
        if tail:
            yield head + tail[1:]
            yield from (head + letter + tail[1:] for letter in ascii_lowercase if letter != tail[0])
        if len(tail) > 1 and tail[0] != tail[1]:
            yield head + tail[1] + tail[0] + tail[2:]
