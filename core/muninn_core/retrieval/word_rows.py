"""The words of texts as rows of numbers, so that many texts are compared with the words of a question at once.

Successive questions meet the same memories. Their words are kept, four bytes for each, and split once.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from muninn_core.source.identifiers import words_of_each

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOST_ROWS = 10_000
"""The texts whose words are kept, about 3 MB with the words themselves."""


class WordRows:
    """The rows of some texts. Safe to use from several threads."""

    def __init__(self) -> None:
        self._next = count().__next__
        self._numbers: dict[str, int] = {}
        self._rows: dict[str, bytes] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def holding(self, texts: Sequence[str], words: Sequence[str]) -> NDArray[np.bool_]:
        """Return whether each text holds each word: [texts, words]. Words are those of `split_words`."""
        rows = self._rows_of(texts)
        numbers = np.frombuffer(b"".join(rows), np.int32)
        ends = np.cumsum(np.fromiter(map(len, rows), np.intp, len(rows)) // 4)
        found = np.zeros((len(texts), len(words)), bool)
        for column, word in enumerate(words):
            if word in self._numbers:
                (places,) = (numbers == self._numbers[word]).nonzero()
                found[ends.searchsorted(places, "right"), column] = True
        return found

    def _rows_of(self, texts: Sequence[str]) -> list[bytes]:
        known, numbers, following = self._rows, self._numbers, self._next
        missing = list(dict.fromkeys([text for text in texts if text not in known]))
        for text, words in zip(missing, words_of_each(missing), strict=True):
            row = array("i")
            for word in set(words):
                # `setdefault` gives a word one number, whatever other threads do. Numbers may have gaps.
                row.append(numbers[word] if word in numbers else numbers.setdefault(word, following()))
            known[text] = row.tobytes()
        return [known[text] for text in texts]


_kept = WordRows()


def kept_rows() -> WordRows:
    """Return the rows of the process. They are replaced when there are too many; questions that run keep theirs."""
    global _kept
    if len(_kept) > _MOST_ROWS:
        _kept = WordRows()
    return _kept
