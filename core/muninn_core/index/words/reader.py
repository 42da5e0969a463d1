"""Reading the word index: search with exact BM25 scores, and counts of words.

Each chunk is a document, and so is each file as a whole, because the words of a query are often spread over several
chunks of a file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
import tantivy

from muninn_core.index.identity_cache import IdentityCache
from muninn_core.index.words.term_counts import Term, Totals, inverse_frequency, scores
from muninn_core.model.chunk import SOURCE_KINDS, Among

if TYPE_CHECKING:
    from collections.abc import Sequence

    from muninn_core.model.chunk import Only, SourceKind

Field = Literal["body", "symbol", "title", "path"]
AnyField = Literal["body", "symbol", "title", "path", "whole"]

Asked = Iterable[str] | Mapping[str, float]
"""The words of a question, or {word: factor} where some count more than others."""

WEIGHTS: Mapping[Field, float] = {"body": 1.0, "symbol": 1.0, "title": 1.0, "path": 0.1}
"""The default weight of each field. Signatures and comments are in the body; fields of their own gained nothing. The
low weight of the path makes a file a candidate; retrieval ranks its name."""

_FREQ = "freq"
_MARGIN = 5
_MIN_MARGIN = 10
"""Ten more candidates than asked for are compared, since tantivy's scores differ a little, and a fifth more while its
statistics count deleted documents."""

_MANY = 1_000
"""So many candidates are mostly equal documents, whose scores are equal."""

_WIDER = 3
_ROUNDING = 1.0001
"""Tantivy adds scores with 24 bits."""

_MEAN = re.compile(r'"value": ([0-9.e+-]+),\s*"description": "avgdl')
_CACHED_WORDS = 4_096
"""Words whose frequency is cached; an answer needs each several times."""


_Measure = tuple[int, float, float]
"""Of a word in a field: the number of documents that hold it, its inverse document frequency, and the one that tantivy
gives it, which counts deleted documents."""


class Counts(Protocol):
    """The term counts of documents, and their totals."""

    def terms(self, ids: Sequence[int], *, whole: bool = False) -> Mapping[int, bytes]:
        """Return {id: term counts} of chunks, or of whole files by their file ids."""

    def lengths(self) -> tuple[int, ...]:
        """Return the number of words in each field of all documents."""


class Words:
    """A fixed state of the index, for reading. Safe to use from several threads.

    With `counts`, scores depend on the present documents only. Without, they are tantivy's.
    """

    def __init__(self, searcher: tantivy.Searcher, schema: tantivy.Schema, counts: Counts | None = None) -> None:
        self._searcher = searcher
        self._schema = schema
        self._counts = counts
        self._sets = IdentityCache[tantivy.Query]()
        self._measured: dict[tuple[str, str], _Measure] = {}

    def exact(self, counts: Counts) -> Words:
        """Return the same state, with scores from term counts."""
        return Words(self._searcher, self._schema, counts)

    @cached_property
    def documents(self) -> int:
        """The number of chunks and whole files."""
        return int(self._searcher.num_docs)

    def search(
        self,
        words: Asked,
        limit: int,
        kind: SourceKind | None = None,
        weights: Mapping[Field, float] = WEIGHTS,
        *,
        only: Only | None = None,
        every: Iterable[str] = (),
    ) -> list[tuple[int, float]]:
        """Return (chunk id, BM25 score) of the best chunks that hold any of the words, best first, ties by id.

        A tie at the limit is returned whole, so that the caller can break it by a key that is the same in every build
        of the index. `kind` and `only` filter. A chunk must hold all words of `every`. A field of weight 0 is not
        searched.
        """
        terms = [
            (field, word, factor * weight)
            for word, factor in _factors(words)
            for field, weight in weights.items()
            if weight > 0
        ]
        conditions = [*self._among(only), *(self._anywhere(word) for word in every)]
        return self._ranked(terms, limit, conditions, kind)

    def frequency(self, word: str, field: Literal["body", "whole"] = "body") -> int:
        """Return the number of chunks (`body`) or files (`whole`) that hold a word."""
        return self.count(field, word)

    def rarities(self, words: Iterable[str], field: Literal["body", "whole"] = "body") -> dict[str, float]:
        """Return {word: inverse document frequency, as BM25 computes it}: near 0 for a word in all documents."""
        asked = list(words)
        measures = self._measures([(field, word) for word in asked])
        return {word: rarity for word, (_, rarity, _) in zip(asked, measures, strict=True)}

    def count(self, field: str, word: str) -> int:
        """Return the number of documents that hold a word in a field."""
        known = self._measured.get((field, word))
        if known is not None:
            return known[0]
        # A word that is nowhere is not kept: spelling asks for hundreds of them.
        return self._measures([(field, word)])[0][0] if self._searcher.doc_freq(field, word) else 0

    def _measures(self, asked: Iterable[tuple[str, str]]) -> list[_Measure]:
        """Return the measures of words in fields. They are kept, because an answer needs each several times."""
        known, searcher, written = self._measured, self._searcher, self._written
        if len(known) > _CACHED_WORDS:
            known = self._measured = {}
        found = []
        for key in asked:
            measure = known.get(key)
            if measure is None:
                field, word = key
                listed = count = int(searcher.doc_freq(field, word))
                own = rarity = inverse_frequency(written, listed)
                if written != self.documents:  # some are deleted
                    if listed:
                        every = tantivy.Query.const_score_query(self._term(field, word, "basic"), 1.0)
                        count = int(searcher.search(every, 1, count=True).count or 0)  # type: ignore[attr-defined]
                    rarity = inverse_frequency(self.documents, count)
                measure = known[key] = (count, rarity, own)
            found.append(measure)
        return found

    def search_files(
        self, words: Asked, limit: int, kind: SourceKind | None = None, *, only: Only | None = None
    ) -> list[tuple[int, float]]:
        """Return (file id, BM25 score) of the best whole files; order, ties and filters as in `search`."""
        terms: list[tuple[AnyField, str, float]] = [("whole", word, factor) for word, factor in _factors(words)]
        return self._ranked(terms, limit, self._among(only), kind)

    def _ranked(
        self,
        terms: Sequence[tuple[AnyField, str, float]],
        limit: int,
        conditions: list[tantivy.Query],
        kind: SourceKind | None,
    ) -> list[tuple[int, float]]:
        """Return the documents with any of the terms that meet all conditions. Conditions add nothing to a score."""
        if limit < 1:
            return []
        measures = self._measures([(field, word) for field, word, _ in terms])
        exact = [
            tuple.__new__(Term, (field, word, weight * rarity))  # the constructor is a Python function
            for (field, word, weight), (count, rarity, _) in zip(terms, measures, strict=True)
            if count
        ]
        if not exact:
            return []
        query = self._query(exact, [own for count, _, own in measures if count], conditions, kind)
        best = self._best(query, exact, limit)
        if len(best) > limit:
            last = best[limit - 1][1]
            best = [hit for hit in best if hit[1] >= last]
        return best

    def candidates(
        self,
        terms: Sequence[Term],
        limit: int,
        kind: SourceKind | None = None,
        *,
        only: Only | None = None,
        every: Iterable[str] = (),
    ) -> list[tuple[int, float]]:
        """Return (id, approximate score) of at most `limit` documents, best first, scored with the terms' weights.

        An exact score is at most `excess(terms)` times the approximate one. Filters are those of `search`.
        """
        present = [term for term in terms if self.count(term.field, term.word)]
        if not present or limit < 1:
            return []
        conditions = [*self._among(only), *(self._anywhere(word) for word in every)]
        own = [each for _, _, each in self._measures([(term.field, term.word) for term in present])]
        return list(zip(*self._found(self._query(present, own, conditions, kind), limit), strict=True))

    def _query(
        self, terms: Sequence[Term], own: Sequence[float], conditions: list[tantivy.Query], kind: SourceKind | None
    ) -> tantivy.Query:
        """Return the query whose scores are sums of the terms' weights. Conditions add nothing to a score.

        `own` is the inverse document frequency that tantivy gives each term.
        """
        should, make, schema = tantivy.Occur.Should, tantivy.Query.term_query, self._schema
        query = tantivy.Query.boolean_query(
            [
                (should, tantivy.Query.boost_query(make(schema, field, word, index_option=_FREQ), weight / given))
                for (field, word, weight), given in zip(terms, own, strict=True)
            ]
        )
        if kind is not None:
            conditions.append(self._term("kind", kind, "basic"))
        if conditions:
            must = [(tantivy.Occur.Must, tantivy.Query.const_score_query(each, 0.0)) for each in conditions]
            query = tantivy.Query.boolean_query([(tantivy.Occur.Must, query), *must])
        return query

    def _best(self, query: tantivy.Query, terms: Sequence[Term], limit: int) -> list[tuple[int, float]]:
        """Return the documents with the best scores, at least `limit` and all ties with the last, best first."""
        # Without deleted documents, tantivy's statistics are nearly exact.
        asked = limit + _MIN_MARGIN + (0 if self._written == self.documents else limit // _MARGIN)
        known: dict[int, float] = {}
        while True:
            numbers, approximate = self._found(query, asked)
            if self._counts is None:
                known = dict(zip(numbers, approximate, strict=True))
            else:
                known |= self.scored([number for number in numbers if number not in known] if known else numbers, terms)
            every, values = np.fromiter(known, np.int64, len(known)), np.fromiter(known.values(), float, len(known))
            order = np.lexsort((every, -values))
            scored = list(zip(every[order].tolist(), values[order].tolist(), strict=True))
            if len(numbers) < asked or asked >= self.documents:
                return scored
            # No document that was not found can have a better score than this.
            bound = approximate[-1] * self.excess(terms)
            if len(scored) >= limit and scored[limit - 1][1] > bound:
                return scored
            asked *= _WIDER

    @property
    def totals(self) -> Totals:
        """The totals of the present documents; without `counts` of none."""
        return Totals(self.documents, self._counts.lengths() if self._counts is not None else ())

    def scored(self, ids: Sequence[int], terms: Sequence[Term], totals: Totals | None = None) -> dict[int, float]:
        """Return {id: exact score} of documents with the terms' weights. The terms are of chunks, or of whole files.

        `totals` are those of several indexes, None for those of this one. Equal documents are scored once.
        """
        assert self._counts is not None
        counts = self._counts.terms(ids, whole=terms[0].field == "whole")
        if not counts:
            return {}
        totals = totals or self.totals
        if len(counts) < _MANY:
            return dict(zip(counts, scores(terms, list(counts.values()), totals).tolist(), strict=True))
        distinct = list(dict.fromkeys(counts.values()))
        score = dict(zip(distinct, scores(terms, distinct, totals).tolist(), strict=True))
        return {number: score[each] for number, each in counts.items()}

    def excess(self, terms: Sequence[Term], totals: Totals | None = None) -> float:
        """Return the greatest possible ratio of a document's exact score, with `totals`, to tantivy's.

        Both differ by the mean length of the fields, and by rounding. A score grows at most in proportion to the mean.
        """
        if self._counts is None:
            return 1.0
        totals = totals or self.totals
        ratios = [
            totals.mean(field) / mean for field in {term.field for term in terms} if (mean := self._mean(field, terms))
        ]
        return max([1.0, *ratios]) * _ROUNDING

    def _mean(self, field: str, terms: Sequence[Term]) -> float:
        """Return tantivy's mean length of a field, 0 when no document has one of its terms."""
        if field not in self._means:
            for term in terms:
                if term.field == field:
                    query = self._term(field, term.word)
                    hits = self._searcher.search(query, 1, count=False).hits
                    if hits and (said := _MEAN.search(query.explain(self._searcher, hits[0][1]).to_json())):
                        self._means[field] = float(said[1])
                        break
        return self._means.get(field, 0.0)

    @cached_property
    def _means(self) -> dict[str, float]:
        return {}

    @cached_property
    def _written(self) -> int:
        """The number of documents that tantivy counts: those that exist, and deleted ones in segments to be merged."""
        return sum(int(self._searcher.doc_freq("kind", kind)) for kind in SOURCE_KINDS)

    def _found(self, query: tantivy.Query, limit: int) -> tuple[list[int], list[float]]:
        """Return the ids and tantivy's scores of the best documents, best first."""
        hits = self._searcher.search(query, limit, count=False).hits
        ids: Any = self._searcher.fast_field_values("id", [address for _, address in hits])
        return ids, [score for score, _ in hits]

    def _among(self, only: Only | None) -> list[tantivy.Query]:
        """Return the condition that a document may be found; no condition for None."""
        if only is None:
            return []
        if not isinstance(only, Among):
            return [self._with_id(only)]
        either = [*map(self._with_id, only.ids), *(self._term("kind", kind, "basic") for kind in only.kinds)]
        return [tantivy.Query.boolean_query([(tantivy.Occur.Should, each) for each in either])]

    def _with_id(self, ids: Sequence[int]) -> tantivy.Query:
        return self._sets.get(ids, lambda: tantivy.Query.term_set_query(self._schema, "id", list(ids)))

    def _anywhere(self, word: str) -> tantivy.Query:
        """Return the condition that a chunk holds a word in any of its fields."""
        return tantivy.Query.boolean_query([(tantivy.Occur.Should, self._term(field, word)) for field in WEIGHTS])

    def _term(self, field: str, value: str, option: str = _FREQ) -> tantivy.Query:
        return tantivy.Query.term_query(self._schema, field, value, index_option=option)


def _factors(words: Asked) -> Iterable[tuple[str, float]]:
    """Return the distinct words with their factors."""
    return words.items() if isinstance(words, Mapping) else dict.fromkeys(words, 1.0).items()


def word_schema() -> tantivy.Schema:
    """Return the fields of a document."""
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("id", indexed=True, fast=True)
    for name in ("kind", "key"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    for name in ("body", "symbol", "title", "path", "whole"):
        builder.add_text_field(name, tokenizer_name="whitespace", index_option=_FREQ)
    return builder.build()
