"""Word search over several indexes with one ranking.

A word's weight comes from its frequency in all indexes together, and the length of a document counts relative to the
mean of all, so that a score means the same in each of them. Each index first returns a few documents by
approximate scores; it is asked for more only while one that it has not returned could still be among the best.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from muninn_core.index.words.reader import WEIGHTS
from muninn_core.index.words.term_counts import Term, Totals, inverse_frequency

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from muninn_core.index.words.reader import AnyField, Words
    from muninn_core.model.chunk import Only, SourceKind

_MIN_DOCUMENTS = 10
"""The fewest documents that an index returns at first."""

_SHARES = 3
"""How many times its share of the limit an index returns at first."""

_WIDER = 3

Place = tuple[int, int]
"""(place of the index, id of the document)."""


class Filter(NamedTuple):
    """Conditions of a search: the kind, the ids of each index (None: all), and words that a chunk must contain."""

    kind: SourceKind | None = None
    only: Sequence[Only | None] | None = None
    every: Sequence[str] = ()

    def ids(self, place: int) -> Only | None:
        """Return what may be found of one index, None for all."""
        return None if self.only is None else self.only[place]


ALL = Filter()
"""No conditions."""


class MergedWords:
    """The word indexes of several repositories at one moment."""

    def __init__(self, parts: Sequence[Words]) -> None:
        self._parts = parts
        self.documents = sum(part.documents for part in parts)
        lengths = zip(*(part.totals.words for part in parts), strict=True)
        self._totals = Totals(self.documents, tuple(map(sum, lengths)))
        self.frequency = lru_cache(maxsize=None)(self._counted)
        """Returns in how many documents of all indexes a field holds a word."""

    def rarity(self, word: str, field: AnyField = "body") -> float:
        """Return the inverse document frequency of a word in all indexes, as BM25 computes it."""
        return inverse_frequency(self.documents, self.frequency(word, field))

    def search(self, words: Mapping[str, float], limit: int, filters: Filter = ALL) -> list[tuple[Place, float]]:
        """Return the best chunks with their BM25 scores, best first, and all ties with the last."""
        terms = [
            Term(field, word, factor * weight * self.rarity(word, field))
            for word, factor in words.items()
            for field, weight in WEIGHTS.items()
            if self.frequency(word, field)
        ]
        return _Search(self._parts, self._totals, terms, limit, filters).run()

    def search_files(
        self, words: Mapping[str, float], limit: int, kind: SourceKind | None = None
    ) -> list[tuple[Place, float]]:
        """Return the best whole files by (place, file id), in the same way."""
        terms = [
            Term("whole", word, factor * self.rarity(word, "whole"))
            for word, factor in words.items()
            if self.frequency(word, "whole")
        ]
        return _Search(self._parts, self._totals, terms, limit, Filter(kind)).run()

    def _counted(self, word: str, field: AnyField = "body") -> int:
        return sum(part.count(field, word) for part in self._parts)


class _Search:
    """One search. `run` may be called once."""

    def __init__(
        self, parts: Sequence[Words], totals: Totals, terms: Sequence[Term], limit: int, filters: Filter
    ) -> None:
        self._parts = parts
        self._totals = totals
        self._terms = terms
        self._limit = limit
        self._filters = filters
        self._asked = [max(_MIN_DOCUMENTS, -(-_SHARES * limit // len(parts)))] * len(parts)
        self._bounds: list[list[tuple[int, float]]] = [[] for _ in parts]
        """For each index (id, upper bound of the score) of what it returned, best first."""
        self._scores: dict[Place, float] = {}

    def run(self) -> list[tuple[Place, float]]:
        """Return the best documents, best first, ties by place; all ties with the last."""
        if not self._terms or self._limit < 1:
            return []
        wanting: Iterable[int] = range(len(self._parts))
        while wanting:
            for place in wanting:
                self._fetch(place)
            while self._score_likely():
                pass
            wanting = self._wanting()
        least = self._least()
        found = [(place, score) for place, score in self._scores.items() if score >= least]
        return sorted(found, key=lambda hit: (-hit[1], hit[0]))

    def _fetch(self, place: int) -> None:
        ids = self._filters.ids(place)
        if ids is not None and not ids:
            return
        part, filters = self._parts[place], self._filters
        found = part.candidates(self._terms, self._asked[place], filters.kind, only=ids, every=filters.every)
        excess = part.excess(self._terms, self._totals) if found else 1.0
        self._bounds[place] = [(number, score * excess) for number, score in found]

    def _score_likely(self) -> bool:
        """Score the documents that may be among the best; return whether there were any."""
        least = self._least()
        likely = [
            (-bound, place, number)
            for place, bounds in enumerate(self._bounds)
            for number, bound in bounds
            if bound >= least and (place, number) not in self._scores
        ]
        if len(self._scores) < self._limit:
            likely = sorted(likely)[: self._limit]
        by_place: dict[int, list[int]] = {}
        for _, place, number in likely:
            by_place.setdefault(place, []).append(number)
        for place, numbers in by_place.items():
            known = self._parts[place].scored(numbers, self._terms, self._totals)
            self._scores |= {(place, number): known.get(number, 0.0) for number in numbers}
        return bool(likely)

    def _least(self) -> float:
        """Return the score of the last of the best documents so far, minus infinity while there are fewer."""
        if len(self._scores) < self._limit:
            return float("-inf")
        return sorted(self._scores.values(), reverse=True)[self._limit - 1]

    def _wanting(self) -> list[int]:
        """Return the indexes that may have further documents among the best, and let them return more."""
        least, found = self._least(), []
        for place, bounds in enumerate(self._bounds):
            more = len(bounds) >= self._asked[place] and self._asked[place] < self._parts[place].documents
            if more and bounds[-1][1] >= least:
                self._asked[place] *= _WIDER
                found.append(place)
        return found
