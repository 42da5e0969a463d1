"""BM25 over PostgreSQL: the index of words finds candidates, the code of the local index computes their scores.

All documents with a word of the question are candidates while they are at most `MOST`; then the result is exact. Of
more, the candidates are those with the rarest words of the question, and those with several of the frequent ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, Literal, NamedTuple

from muninn_core.index.term_counts import Term, scores
from muninn_core.model.chunk import SOURCE_KINDS, SourceKind
from muninn_core.org.database import Connection
from muninn_core.org.statistics import WordStatistics
from muninn_core.retrieval.reader import Asked

MOST = 4_000
"""The most chunks that one condition finds, whose scores are then computed. Of whole files, which are larger, half."""

_MOST_LISTED = 50_000
"""The most chunks of a caller whose files are listed, so that the database need not read those of others."""

_RARE = 8
"""Files are listed of a caller who may read less than this part of the tenant."""

_MOST_FREQUENT = 6
"""The frequent words that are combined, the rarest of them."""

CHUNK_WEIGHTS: Mapping[str, float] = {"body": 1.0, "symbol": 1.0, "title": 1.0, "path": 0.1}
FILE_WEIGHTS: Mapping[str, float] = {"whole": 1.0}

Table = Literal["chunk", "file"]
Match = tuple[int, float]


class Conditions(NamedTuple):
    """What documents a search admits: of a kind, with one of some ids, with all of some words. None admits all."""

    kind: SourceKind | None = None
    only: Sequence[int] | None = None
    every: Sequence[str] = ()


class LexicalSearch:
    """Searches the rows of one table in one transaction."""

    def __init__(self, connection: Connection, tenant: int, words: WordStatistics) -> None:
        self._connection = connection
        self._tenant = tenant
        self._words = words
        self._known_files: list[int] | None = None

    def search(self, table: Table, asked: Asked, limit: int, conditions: Conditions) -> list[Match]:
        """Return (id, score) of the best documents and all ties with the last, best first, ties by id."""
        factors = dict(asked.items()) if isinstance(asked, Mapping) else dict.fromkeys(asked, 1.0)
        self._words.load([*factors, *conditions.every])
        weights = _weights(table)
        terms = [
            Term(field, word, factor * weight * self._words.rarity(word, field))
            for word, factor in factors.items()
            for field, weight in weights.items()
            if self._words.frequency(word, field)
        ]
        if limit < 1 or not terms:
            return []
        found = self._scored(self._candidates(table, terms, limit, conditions), terms)
        best = sorted(found.items(), key=lambda hit: (-hit[1], hit[0]))
        return [hit for hit in best if hit[1] >= best[limit - 1][1]] if len(best) > limit else best

    def _candidates(self, table: Table, terms: Sequence[Term], limit: int, conditions: Conditions) -> dict[int, bytes]:
        """Return {id: term counts} of the documents to compute scores of."""
        words = list(dict.fromkeys(term.word for term in sorted(terms, key=lambda term: (-term.weight, term.word))))
        if conditions.only is not None or conditions.every:
            return self._documents(table, _any_of(words), conditions)
        rarest = self._rarest(table, words)
        frequent = words[len(rarest) :][:_MOST_FREQUENT]
        found = self._documents(table, _any_of(rarest), conditions) if rarest else {}
        for together in (3, 2):
            if len(found) <= _most(table) and len(frequent) >= together:
                found |= self._documents(table, _several_of(frequent, together), conditions)
        if len(found) < limit and frequent:
            found |= self._documents(table, _any_of(words), conditions)
        return found

    def _rarest(self, table: Table, words: Sequence[str]) -> Sequence[str]:
        """Return the first words that together stand in at most `MOST` documents."""
        total = 0
        for place, word in enumerate(words):
            total += max(self._words.frequency(word, field) for field in _weights(table))
            if total > _most(table):
                return words[:place]
        return words

    def _documents(self, table: Table, condition: str, conditions: Conditions) -> dict[int, bytes]:
        """Return {id: term counts} of documents that match a tsquery, at most `MOST`, or as many as `only` has."""
        values = (
            table,
            " & ".join([f"({condition})", *map(_quoted, conditions.every)]),
            None if conditions.kind is None else SOURCE_KINDS.index(conditions.kind),
            self._files(),
            None if conditions.only is None else list(conditions.only),
            max(_most(table), len(conditions.only or ())),
        )
        sql = "SELECT id, counts FROM matching(%s, %s::tsquery, %s, %s::bigint[], %s::bigint[], %s)"
        rows: Iterable[Any] = self._connection.execute(sql, values, binary=True)
        return {number: bytes(counts) for number, counts in rows}

    def _files(self) -> list[int] | None:
        """Return the ids of all files that may be read, None when the index of words meets few others."""
        chunks = self._words.chunks
        if chunks > _MOST_LISTED or chunks * _RARE > self._words.of_tenant:
            return None
        if self._known_files is None:
            sql = "SELECT DISTINCT file FROM place WHERE tenant = %s"
            self._known_files = [row[0] for row in self._connection.execute(sql, (self._tenant,))]
        return self._known_files

    def _scored(self, documents: Mapping[int, bytes], terms: Sequence[Term]) -> dict[int, float]:
        if not documents:
            return {}
        found = scores(terms, list(documents.values()), self._words.totals)
        return dict(zip(documents, found.tolist(), strict=True))


def _weights(table: Table) -> Mapping[str, float]:
    return CHUNK_WEIGHTS if table == "chunk" else FILE_WEIGHTS


def _most(table: Table) -> int:
    return MOST if table == "chunk" else MOST // 2


def _any_of(words: Sequence[str]) -> str:
    return " | ".join(map(_quoted, words))


def _several_of(words: Sequence[str], count: int) -> str:
    """Return the condition that a document has at least `count` of some words."""
    return " | ".join(f"({' & '.join(map(_quoted, some))})" for some in combinations(words, count))


def _quoted(word: str) -> str:
    return "'" + word.replace("\\", "\\\\").replace("'", "''") + "'"
