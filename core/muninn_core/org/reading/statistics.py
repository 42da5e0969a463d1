"""Word statistics of the branches that a question reads. No other branch has an effect on them, or on a score."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from functools import cached_property

from muninn_core.index.words.term_counts import FIELDS, Totals, inverse_frequency
from muninn_core.org.database.connections import Connection

_NONE = (0,) * len(FIELDS)


class WordStatistics:
    """Frequencies of words in one transaction. Each word is read once. Safe to use from several threads."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._connection = connection
        self._tenant = tenant
        self._known: dict[str, tuple[int, ...]] = {}
        self._reading = threading.Lock()

    @cached_property
    def totals(self) -> Totals:
        """The numbers of documents and of their words, and of chunks."""
        return Totals(self._sums[1], tuple(self._sums[2:]))

    @property
    def chunks(self) -> int:
        """The number of chunks. A chunk that two branches hold counts twice."""
        return self._sums[0]

    @cached_property
    def _sums(self) -> tuple[int, ...]:
        of_fields = ", ".join(f"coalesce(sum(lengths[{number}]), 0)" for number in range(1, len(FIELDS) + 1))
        sql = f"SELECT coalesce(sum(chunks), 0), coalesce(sum(documents), 0), {of_fields} FROM branch WHERE tenant = %s"
        row = self._connection.execute(sql.encode(), (self._tenant,)).fetchone()
        assert row is not None
        return tuple(map(int, row))

    def load(self, words: Iterable[str]) -> None:
        """Read the frequencies of words that are not known yet, in one query."""
        wanted = [word for word in dict.fromkeys(words) if "\0" not in word]
        with self._reading:  # two threads ask for one question; a word is known once its frequency is
            unknown = [word for word in wanted if word not in self._known]
            if not unknown:
                return
            sql = "SELECT word, body, symbol, title, path, whole FROM frequencies(%s)"
            read = {word: tuple(map(int, sums)) for word, *sums in self._connection.execute(sql, (unknown,))}
            self._known |= {word: read.get(word, _NONE) for word in unknown}

    def by_field(self, words: Iterable[str]) -> dict[str, tuple[int, ...]]:
        """Return {word: number of documents that hold it, by field} of the words that any document holds."""
        wanted = list(words)
        self.load(wanted)
        return {word: self._known[word] for word in wanted if any(self._known.get(word, _NONE))}

    def frequency(self, word: str, field: str = "body") -> int:
        """Return the number of documents that hold a word in a field."""
        self.load((word,))
        return self._known.get(word, _NONE)[FIELDS.index(field)]

    def rarity(self, word: str, field: str = "body") -> float:
        """Return the inverse document frequency of a word, as BM25 computes it."""
        return inverse_frequency(self.totals.documents, self.frequency(word, field))
