"""The words of texts as rows of numbers, so that many texts are compared with the words of a question at once.

Successive questions meet the same memories. A row has the numbers of a text's runs of letters, four bytes for each. The
words of a run are split once, however many texts have it.
"""

from __future__ import annotations

import threading
from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from muninn_core.source.identifiers import runs_of_each, words_of_runs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from muninn_core.source.identifiers import Run

_MOST_ROWS = 10_000
"""The texts whose rows are kept, about 2 MB."""

_MOST_RUNS = 80_000
"""The runs whose words are kept, some 15 MB until the daemon rests. Texts about Django have 55,000."""


class WordRows:
    """The rows of some texts. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._numbers: dict[Run, int] = {}
        self._having: dict[str, list[int]] = {}
        """The numbers of the runs that have each word."""
        self._rows: dict[str, bytes] = {}

    @property
    def full(self) -> bool:
        """Whether there are so many runs that new rows are due."""
        return len(self._numbers) > _MOST_RUNS

    def holding(self, texts: Sequence[str], words: Sequence[str]) -> NDArray[np.bool_]:
        """Return whether each text holds each word: [texts, words]. Words are those of `split_words`."""
        rows = self._rows_of(texts)
        numbers = np.frombuffer(b"".join(rows), np.int32)
        ends = np.cumsum(np.fromiter(map(len, rows), np.intp, len(rows)) // 4)
        found = np.zeros((len(texts), len(words)), bool)
        for column, word in enumerate(words):
            having = np.array(self._having.get(word, ()), np.intp)
            if len(having):
                has = np.zeros(len(self._numbers), bool)  # after `having`, which another thread may extend
                has[having] = True
                (places,) = has[numbers].nonzero()
                found[ends.searchsorted(places, "right"), column] = True
        return found

    def _rows_of(self, texts: Sequence[str]) -> list[bytes]:
        if len(self._rows) > _MOST_ROWS:
            self._rows = {}
        known = self._rows
        missing = list(dict.fromkeys([text for text in texts if text not in known]))
        if missing:
            runs = runs_of_each(missing)
            self._learn(set().union(*runs))
            number = self._numbers.__getitem__
            for text, each in zip(missing, runs, strict=True):
                known[text] = array("i", map(number, set(each))).tobytes()
        return [known[text] for text in texts]

    def _learn(self, runs: set[Run]) -> None:
        """Give the unknown ones of some runs their numbers. A row is made when the words of all its runs are known."""
        with self._lock:
            unknown = [*runs.difference(self._numbers)]
            for run, words in zip(unknown, words_of_runs(unknown), strict=True):
                number = self._numbers[run] = len(self._numbers)
                for word in set(words):
                    self._having.setdefault(word, []).append(number)


_kept = WordRows()


def kept_rows() -> WordRows:
    """Return the rows of the process. They are replaced when there are too many; questions that run keep theirs."""
    global _kept
    if _kept.full:
        _kept = WordRows()
    return _kept


def release_memory() -> None:
    """Forget the rows of the process."""
    global _kept
    _kept = WordRows()
