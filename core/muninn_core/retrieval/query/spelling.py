"""Corrects misspelt words of a question: words that are neither in the dictionary nor in the index.

A correction has Damerau distance 1 (Damerau, 1964): one letter inserted, deleted or changed, or two adjacent letters
swapped. The first letter is seldom mistyped and never changes. Short words have too many neighbours and are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import chain
from operator import itemgetter
from string import ascii_lowercase
from typing import TYPE_CHECKING

from muninn_core.retrieval.text.snippet import Marker
from muninn_core.source.identifiers import stem, stems

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from muninn_core.model.chunk import SourceKind
    from muninn_core.retrieval.reader import Reader
    from muninn_core.retrieval.text.informative_terms import Frequency

MIN_WORD_LENGTH = 6
"""The fewest letters of a word that is corrected."""

MAX_CORRECTED = 4
"""The most unknown words of a question that are corrected. Each costs some hundred index lookups."""

Spelt = Callable[[str], bool]
"""Returns whether a lower-case word is in the dictionary: `prompt` is not a misspelt `promote`."""

Load = Callable[["Iterable[str]"], None]
"""Called with the words whose frequencies are asked for next, for indexes that read many at once."""


def no_load(_words: Iterable[str]) -> None:
    """Do nothing: each frequency is cheap."""


_MAX_WORD_LENGTH = 24
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def corrections(text: str, reader: Reader, spelt: Spelt, load: Load = no_load) -> dict[str, str]:
    """Return {misspelt word: correction} for a question. Corrections are spelt as in the indexed text."""
    found = misspellings(text, reader.frequency, spelt, load)
    return {word: _as_written(near, reader) for word, near in found.items()}


def misspellings(text: str, frequency: Frequency, spelt: Spelt, load: Load = no_load) -> dict[str, str]:
    """Return {misspelt word: stem of the nearest indexed word}.

    Of several neighbours the most frequent wins. Words without a neighbour are left out.
    """
    parts = dict.fromkeys(
        part.lower() for part in _PART.findall(text) if MIN_WORD_LENGTH <= len(part) <= _MAX_WORD_LENGTH
    )
    load(map(stem, parts))
    unknown = [word for word in parts if not frequency(stem(word)) and not spelt(word)][:MAX_CORRECTED]
    neighbours = {word: set(stems(_neighbours(word))) for word in unknown}
    load(chain.from_iterable(neighbours.values()))
    found = {word: _most_frequent(near, frequency) for word, near in neighbours.items()}
    return {word: near for word, near in found.items() if near}


def _most_frequent(stemmed: Iterable[str], frequency: Frequency) -> str:
    """Return the most frequent indexed stem, alphabetically first among equals; "" for none."""
    found = [(-count, each) for each in stemmed if (count := frequency(each))]
    return min(found)[1] if found else ""


def _as_written(word: str, reader: Reader) -> str:
    """Return a stem as it is spelt in the chunk with the highest BM25 score; unchanged if no chunk has it.

    Memories are not read, because some are private.
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


def _neighbours(word: str) -> Iterator[str]:
    for at in range(1, len(word) + 1):
        head, tail = word[:at], word[at:]
        yield from (head + letter + tail for letter in ascii_lowercase)
        if tail:
            yield head + tail[1:]
            yield from (head + letter + tail[1:] for letter in ascii_lowercase if letter != tail[0])
        if len(tail) > 1 and tail[0] != tail[1]:
            yield head + tail[1] + tail[0] + tail[2:]
