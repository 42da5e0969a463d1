"""Slips of the pen in a question: what is no word and stands nowhere, where a word that differs by a single slip does.

A slip is a letter too many, too few, another one, or two that changed places (the distance of Damerau, 1964), but never
the first letter, which is seldom mistaken. Short words are left alone: too many others are near to them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from string import ascii_lowercase
from typing import TYPE_CHECKING, Protocol

from muninn_core.retrieval.snippet import Marker
from muninn_core.source.identifiers import stem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from muninn_core.model.chunk import Chunk, SourceKind
    from muninn_core.retrieval.informative_terms import Frequency

SHORTEST = 6
"""Letters of a word that is looked at."""

MOST_LOOKED_AT = 4
"""Unknown words of a question that are looked at: each costs some hundred looks into the index."""

Spelt = Callable[[str], bool]
"""Says whether a word, in lower case, is one: somebody who asks for `prompt` does not mean `promote`."""

_LONGEST = 24
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


class Reader(Protocol):
    """The index at one moment, as this module needs it."""

    def frequency(self, word: str) -> int:
        """Return in how many chunks a word of the index stands."""

    def lexical(self, words: Iterable[str], limit: int, kind: SourceKind | None = None) -> Sequence[tuple[int, float]]:
        """Return (chunk id, BM25), best first."""

    def chunks(self, ids: Sequence[int]) -> Mapping[int, Chunk]:
        """Return the chunks of the ids that are still there."""


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
    """Return a word of the index as it is written where it tells most; as it is where no file has it in its text.

    Memories are not looked at: some are not for everybody.
    """
    kinds: tuple[SourceKind, ...] = ("code", "knowledge")
    best = [number for kind in kinds for number, _ in reader.lexical([word], 1, kind)]
    for chunk in reader.chunks(best).values():
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
