"""BM25 over the inverted lists of the caller's branches. All documents with a word of a question are scored.

A list has the counts and lengths that scores need, so that a search reads no document, and nothing of branches that
the caller may not read.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from muninn_core.index.vectors.vector_index import KIND_BITS
from muninn_core.index.words.term_counts import FIELDS, LIST_BITS, Term, listed_scores
from muninn_core.model.chunk import SOURCE_KINDS, Among, Only, SourceKind
from muninn_core.org.database.connections import Connection
from muninn_core.org.reading.statistics import WordStatistics
from muninn_core.retrieval.reader import Asked

CHUNK_WEIGHTS: Mapping[str, float] = {"body": 1.0, "symbol": 1.0, "title": 1.0, "path": 0.1}
FILE_WEIGHTS: Mapping[str, float] = {"whole": 1.0}

Table = Literal["chunk", "file"]
Match = tuple[int, float]
Entries = NDArray[np.int64]
_NO_ENTRIES = np.zeros(0, np.int64)

_SPARSE = 8
"""Ids that span more than so many numbers for each entry are sorted; others index an array."""

RUNNING = (1 << KIND_BITS) - 1
"""The bits of an id below its kind."""


class Conditions(NamedTuple):
    """What documents a search admits: of a kind, with one of some ids, with all of some words. None admits all."""

    kind: SourceKind | None = None
    only: Only | None = None
    every: Sequence[str] = ()


class LexicalSearch:
    """Searches in one transaction. Each list is read once."""

    def __init__(self, connection: Connection, words: WordStatistics) -> None:
        self._connection = connection
        self._words = words
        self._lists: dict[tuple[Table, str], Entries] = {}
        self._reading = threading.Lock()

    def search(self, table: Table, asked: Asked, limit: int, conditions: Conditions) -> list[Match]:
        """Return (id, score) of the best documents and all ties with the last, best first, ties by id."""
        factors = dict(asked.items()) if isinstance(asked, Mapping) else dict.fromkeys(asked, 1.0)
        self._words.load([*factors, *conditions.every])
        weights = CHUNK_WEIGHTS if table == "chunk" else FILE_WEIGHTS
        terms = [
            Term(field, word, factor * weight * self._words.rarity(word, field))
            for word, factor in factors.items()
            for field, weight in weights.items()
            if self._words.frequency(word, field)
        ]
        if limit < 1 or not terms:
            return []
        self._read([*factors, *conditions.every])
        ids, scores = self._scored(table, terms, conditions)
        if len(ids) > limit:
            best = scores >= np.partition(scores, len(scores) - limit)[len(scores) - limit]
            ids, scores = ids[best], scores[best]
        order = np.lexsort((ids, -scores))
        return list(zip(ids[order].tolist(), scores[order].tolist(), strict=True))

    def _read(self, words: Iterable[str]) -> None:
        with self._reading:  # both searches of a question read the same words, in two threads
            unknown = [word for word in dict.fromkeys(words) if ("chunk", word) not in self._lists]
            wanted = [word for word in unknown if "\0" not in word]
            found: dict[tuple[Table, str], Entries] = {
                (table, word): _NO_ENTRIES for word in unknown for table in ("chunk", "file")
            }
            if wanted:
                sql = "SELECT word, chunks, files FROM lists(%s)"
                rows: Iterable[Any] = self._connection.execute(sql, (wanted,), binary=True)
                for word, chunks, files in rows:
                    found["chunk", word], found["file", word] = (
                        np.frombuffer(chunks, "<i8"),
                        np.frombuffer(files, "<i8"),
                    )
            self._lists |= found

    def _scored(
        self, table: Table, terms: Sequence[Term], conditions: Conditions
    ) -> tuple[Entries, NDArray[np.float64]]:
        """Return the ids and scores of all documents that hold a term and pass the conditions."""
        lists = {term.word: self._admitted(self._lists[table, term.word], conditions.kind) for term in terms}
        ids = _Ids([entries >> LIST_BITS for entries in lists.values()])
        places = dict(zip(lists, ids.places, strict=True))
        total = np.zeros(ids.size)
        fields = {word: (entries >> 16).astype(np.int8) & 7 for word, entries in lists.items()}
        for term in terms:  # in their order, since sums of floats depend on it
            entries = lists[term.word]
            mine = np.flatnonzero(fields[term.word] == FIELDS.index(term.field))
            # A document that several branches hold has equal entries, of which one counts.
            total[places[term.word][mine]] += listed_scores(term, entries[mine], self._words.totals)
        found = np.flatnonzero(total)
        known, scores = ids.at(found), total[found]
        for word in conditions.every:
            holds = np.isin(known, self._lists[table, word] >> LIST_BITS)
            known, scores = known[holds], scores[holds]
        if conditions.only is not None:
            admitted = _may_be_found(known, conditions.only)
            known, scores = known[admitted], scores[admitted]
        return known, scores

    @staticmethod
    def _admitted(entries: Entries, kind: SourceKind | None) -> Entries:
        return entries if kind is None else entries[entries >> LIST_BITS + KIND_BITS == SOURCE_KINDS.index(kind)]


def _may_be_found(ids: Entries, only: Only) -> NDArray[np.bool_]:
    """Return whether each document may be found."""
    lists = only.ids if isinstance(only, Among) else (only,)
    found = np.isin(ids, np.concatenate([np.array(each, np.int64) for each in lists] or [_NO_ENTRIES]))
    if isinstance(only, Among):
        found |= np.isin(ids >> KIND_BITS, [SOURCE_KINDS.index(kind) for kind in only.kinds])
    return found


class _Ids:
    """Places in an array for the ids of some lists. Running numbers are unique over all kinds."""

    def __init__(self, lists: Sequence[Entries]) -> None:
        """`places` has an array for each list, `size` is the length of the array that they index."""
        joined = np.concatenate(lists)
        numbers = joined & RUNNING
        self._first = int(np.min(numbers)) if len(numbers) else 0
        self.size = int(np.max(numbers)) + 1 - self._first if len(numbers) else 0
        if self.size > _SPARSE * len(numbers):
            self._ids, places = np.unique(joined, return_inverse=True)
            self.size = len(self._ids)
        else:
            places = numbers - self._first
            self._ids = np.zeros(self.size, np.int64)
            self._ids[places] = joined
        self.places = np.split(places, np.cumsum([len(each) for each in lists])[:-1])

    def at(self, places: NDArray[np.intp]) -> Entries:
        """Return the ids at some places."""
        found: Entries = self._ids[places]
        return found
