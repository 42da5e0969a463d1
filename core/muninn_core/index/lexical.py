"""The word index. The only importer of tantivy.

Texts arrive split into words by `source.identifiers` and are not stored. Each chunk is a document, and so is each file
as a whole, because the words of a query are often spread over several chunks of a file. The manifest is authoritative;
it stores the `stamp` of the commit that belongs to it.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
import tantivy

from muninn_core.errors import BusyError, StorageError
from muninn_core.index.by_identity import ByIdentity
from muninn_core.index.integrity import DamagedIndex, check_words, delete_strangers, discard, is_shortage
from muninn_core.index.term_counts import Term, Totals, inverse_frequency, scores
from muninn_core.model.chunk import SOURCE_KINDS, Among

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from muninn_core.model.chunk import Only, SourceKind

log = logging.getLogger("muninn.index")

Field = Literal["body", "symbol", "title", "path"]
AnyField = Literal["body", "symbol", "title", "path", "whole"]

Asked = Iterable[str] | Mapping[str, float]
"""The words of a question, or {word: factor} where some count more than others."""

WEIGHTS: Mapping[Field, float] = {"body": 1.0, "symbol": 1.0, "title": 1.0, "path": 0.1}
"""The default weight of each field. Signatures and comments are in the body; fields of their own gained nothing. The
low weight of the path makes a file a candidate; retrieval ranks its name."""

_GONE = "the folder of the word index was deleted"
_HEAP = 50_000_000
"""Bytes of memory after which the writer writes a segment."""

_FREQ = "freq"
_MARGIN = 5
_LEAST_MARGIN = 10
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
        self._sets = ByIdentity[tantivy.Query]()
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
        asked = limit + _LEAST_MARGIN + (0 if self._written == self.documents else limit // _MARGIN)
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


class Lexical:
    """Writes the word index of a folder. Only one process can hold it open. Changes are visible after `commit`."""

    def __init__(self, folder: Path, heap: int = _HEAP) -> None:
        """Open the index in a folder. `heap`: bytes of memory after which a segment is written."""
        self._schema = _schema()
        self._closed = False
        self._folder = folder
        self._meta = folder / "meta.json"
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
            self._index = tantivy.Index(self._schema, str(folder))
            self._index.config_reader("manual")
        except OSError as error:
            raise StorageError(f"the word index in {folder} can't be opened: {error}") from error
        try:
            self._writer = self._index.writer(heap, 1)
        except ValueError as error:
            if "LockBusy" not in str(error):
                raise
            raise BusyError(
                f"another process writes the word index in {folder}", hint="only one daemon may serve a repository"
            ) from error
        self.stamp = int(self._writer.commit_opstamp)
        """Tantivy's number of the last commit; it differs for each commit."""

    @property
    def intact(self) -> bool:
        """Whether the folder still exists with the committed index."""
        return self._meta.exists()

    def add(self, number: int, kind: SourceKind, key: str, fields: Mapping[Field, str]) -> None:
        """Add a chunk. `delete` takes its `key`. The texts of the fields are words separated by blanks."""
        document = self._document(number, kind, key)
        for field, text in fields.items():
            document.add_text(field, text)
        self._put(document)

    def add_file(self, number: int, kind: SourceKind, key: str, words: Sequence[str]) -> None:
        """Add a whole file."""
        document = self._document(number, kind, key)
        for part in words:
            document.add_text("whole", part)
        self._put(document)

    def delete(self, key: str) -> None:
        """Delete the chunks and the whole file of a key. Raises StorageError."""
        try:
            self._writer.delete_documents_by_term("key", key)
        except (ValueError, RuntimeError) as error:
            raise _unwritable(error) from error

    def clear(self) -> None:
        """Delete all documents with the next commit. Raises StorageError."""
        try:
            self._writer.delete_all_documents()
        except (ValueError, RuntimeError) as error:
            raise _unwritable(error) from error

    def commit(self) -> None:
        """Write all changes since the last commit to disk and make them visible. Raises StorageError."""
        try:
            self.stamp = int(self._writer.commit())
        except (ValueError, RuntimeError, OSError) as error:
            raise _unwritable(error) from error

    def check(self) -> None:
        """Compare the files with their checksums, and delete those that a killed writer left.

        Call it before the first change. Raises DamagedIndex, StorageError.
        """
        try:
            check_words(self._folder)
            delete_strangers(self._folder)
        except OSError as error:
            raise _unwritable(error) from error

    def rollback(self) -> None:
        """Discard all changes since the last commit. Raises StorageError when the folder was deleted."""
        try:
            self._writer.rollback()
        except BaseException as error:
            if not _lost(error):
                raise
            if self.intact:
                raise _unwritable(error) from None
            raise StorageError(_GONE, hint="The next change builds it again.") from None

    def read(self) -> Words:
        """Return the last committed state. Raises DamagedIndex, StorageError."""
        try:
            self._index.reload()
            return Words(self._index.searcher(), self._schema)
        except (ValueError, OSError) as error:
            if is_shortage(error) or not self.intact:
                raise _unwritable(error) from error
            raise DamagedIndex(f"the word index can't be read: {error}", hint="It is rebuilt; try again.") from error

    def close(self) -> None:
        """Release the folder. States that were read stay readable. A second call does nothing."""
        if not self._closed:
            self._closed = True
            try:
                self._writer.wait_merging_threads()
            except BaseException as error:
                if not _lost(error):  # a lost folder needs no release
                    raise

    def _put(self, document: tantivy.Document) -> None:
        try:
            self._writer.add_document(document)
        except (ValueError, RuntimeError) as error:  # an earlier write of tantivy's thread failed
            raise _unwritable(error) from error

    def _document(self, number: int, kind: SourceKind, key: str) -> tantivy.Document:
        document = tantivy.Document()
        document.add_unsigned("id", number)
        document.add_text("kind", kind)
        document.add_text("key", key)
        return document


def _lost(error: BaseException) -> bool:
    """Whether an error means that the folder, or a file being written to it, is gone.

    Tantivy panics when its lock file is gone. PanicException is a BaseException, which would end the thread.
    """
    return isinstance(error, ValueError) or type(error).__name__ == "PanicException"


def _unwritable(error: BaseException) -> StorageError:
    return StorageError(f"the word index can't be written: {error}", hint="is the disk full? the cache can be deleted")


def open_lexical(folder: Path) -> Lexical:
    """Open the word index in a folder. A damaged index, or one of another format, is replaced by an empty one.

    Raises BusyError while another process has it open, StorageError when the folder can't be written.
    """
    try:
        opened = Lexical(folder)
    except ValueError as error:
        if is_shortage(error):
            raise _unwritable(error) from error
        return renew_lexical(folder)
    try:
        opened.check()
    except DamagedIndex as error:
        log.warning("the word index is rebuilt: %s", error.message)
        opened.close()
        return renew_lexical(folder)
    except BaseException:
        opened.close()
        raise
    return opened


def read_words(folder: Path) -> Words:
    """Return the committed state of a word index that another process may be writing. Nothing is written.

    Raises DamagedIndex when it can't be read, which may also mean that its files were just replaced.
    """
    try:
        return Words(tantivy.Index.open(str(folder)).searcher(), _schema())
    except (ValueError, OSError) as error:
        raise DamagedIndex(f"the word index can't be read: {error}") from error


def renew_lexical(folder: Path) -> Lexical:
    """Open an empty word index in the place of the one in a folder, which must be closed. Raises StorageError."""
    try:
        discard(folder)
        return Lexical(folder)
    except (OSError, ValueError) as error:
        raise _unwritable(error) from error


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("id", indexed=True, fast=True)
    for name in ("kind", "key"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    for name in ("body", "symbol", "title", "path", "whole"):
        builder.add_text_field(name, tokenizer_name="whitespace", index_option=_FREQ)
    return builder.build()
