"""Finds which texts contain which words of a question.

Texts are searched for the beginnings of the words, and only the runs of letters around them are split: the texts of
hundreds of candidates take a tenth of the time of splitting all of them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

import numpy as np

from muninn_core.source.identifiers import ascii_runs, beginning_of, words_of_each, words_of_run

if TYPE_CHECKING:
    from numpy.typing import NDArray


def containing(texts: Sequence[str], words: Sequence[str]) -> NDArray[np.bool_]:
    """Return whether each text holds each word: [texts, words]. Words are those of `split_words`."""
    held = np.zeros((len(texts), len(words)), bool)
    plain = [position for position, text in enumerate(texts) if text.isascii()]
    asked = [(column, word) for column, word in enumerate(words) if word.isascii()]
    if plain and asked:
        search = _Search([texts[position] for position in plain])
        for column, word in asked:
            held[[plain[row] for row in search.rows_with(word)], column] = True
    if len(plain) < len(texts):
        others = [position for position, text in enumerate(texts) if not text.isascii()]
        for position, own in zip(others, words_of_each([texts[position] for position in others]), strict=True):
            held[position] = list(map(frozenset(own).__contains__, words))
    return held


class _Search:
    """Texts of ASCII, joined: runs of letters with a blank for each other sign. Words are searched in lower case."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._text = ascii_runs("\n".join(["", *texts, ""]))
        self._starts = list(accumulate([len(text) + 1 for text in texts], initial=0))
        """Where each text begins, and the end of the last."""
        self._low = self._text.lower()
        self._flat = self._low.replace(b"_", b"")
        self._flat_starts: list[int] = []
        self._underscored: dict[int, frozenset[str]] = {}

    def rows_with(self, word: str) -> set[int]:
        """Return the rows of the texts that hold a word."""
        text, low, starts = self._text, self._low, self._starts
        beginning = beginning_of(word).encode()
        anywhere = not beginning[:1].isalpha()
        found: set[int] = set()
        at = low.find(beginning)
        while at >= 0:
            end = at + 1
            # A part of a name begins after another sign than a letter, or with a capital letter.
            if anywhere or not low[at - 1 : at].isalpha() or text[at : at + 1].isupper():
                end = text.find(b" ", at)
                if word in words_of_run(text[text.rfind(b" ", 0, at) + 1 : end]):
                    row = bisect_right(starts, at) - 1
                    found.add(row)
                    end = starts[row + 1]
            at = low.find(beginning, end)
        whole = b" " + beginning
        if self._flat.count(whole) > low.count(whole):  # get_user_name holds getusername
            self._find_joined(word, whole, found)
        return found

    def _find_joined(self, word: str, whole: bytes, found: set[int]) -> None:
        """Add the rows with a name that holds a word across its underscores. `whole` begins such names."""
        if not self._flat_starts:
            rows = [self._low[begin:end] for begin, end in pairwise(self._starts)]
            self._flat_starts = list(accumulate([len(row.replace(b"_", b"")) for row in rows], initial=0))
        flat, starts = self._flat, self._flat_starts
        at = flat.find(whole)
        while at >= 0:
            row = bisect_right(starts, at) - 1
            if row not in found and word in self._words_with_underscores(row):
                found.add(row)
            at = flat.find(whole, starts[row + 1])

    def _words_with_underscores(self, row: int) -> frozenset[str]:
        """Return the words of the names with underscores of a text."""
        known = self._underscored.get(row)
        if known is None:
            begin, end = self._starts[row], self._starts[row + 1]
            runs = [run for run in self._text[begin:end].split() if b"_" in run]
            known = self._underscored[row] = frozenset([word for run in runs for word in words_of_run(run)])
        return known
