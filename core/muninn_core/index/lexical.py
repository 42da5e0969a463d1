"""The index of words. The only importer of tantivy.

Texts arrive as words that `source.identifiers` has split; they are not stored. One document a chunk, and one more for
each file as a whole, since a question is often answered by a file whose parts each hold a piece of it. The index never
decides what is true: the manifest does, and `generation` says which state of it the last commit belongs to.
"""

from __future__ import annotations

import math
import shutil
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

import tantivy

from muninn_core.errors import BusyError, StorageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from muninn_core.model.chunk import SourceKind

Field = Literal["body", "symbol", "title", "path"]

WEIGHTS: Mapping[Field, float] = {"body": 1.0, "symbol": 1.0, "title": 1.0, "path": 0.1}
"""What a word counts in each field, unless the caller says otherwise. Signatures and comments are in the body; counting
them once more did not pay. A path makes a file a candidate, little more: its name is weighed by retrieval."""

_GONE = "the word index's folder was deleted under it"
_HEAP = 50_000_000
"""Bytes that the writer may fill before it writes a segment."""

_FREQ = "freq"
_MOST_TIES = 4
_ASKED = 4_096
"""Words whose frequency is remembered: several parts of an answer ask for it."""


class Words:
    """A fixed state of the index, for reading. Safe to use from several threads."""

    def __init__(self, searcher: tantivy.Searcher, schema: tantivy.Schema) -> None:
        self._searcher = searcher
        self._schema = schema
        self._frequency = lru_cache(maxsize=_ASKED)(searcher.doc_freq)

    @property
    def documents(self) -> int:
        """The number of chunks and whole files."""
        return int(self._searcher.num_docs)

    def search(
        self,
        words: Iterable[str],
        limit: int,
        kind: SourceKind | None = None,
        weights: Mapping[Field, float] = WEIGHTS,
        *,
        only: Sequence[int] | None = None,
        every: Iterable[str] = (),
    ) -> list[tuple[int, float]]:
        """Return (chunk id, BM25 score) of the best chunks that hold any of the words, best first, ties by id.

        A tie at the limit is not cut (up to four times the limit), so that the caller can break it by something that
        means the same in every build of the index. A kind filters, as does `only`, the ids that may be found; a chunk
        has to hold `every` one of some words. A field of weight 0 is not searched.
        """
        terms = [
            (tantivy.Occur.Should, tantivy.Query.boost_query(self._term(field, word), weight))
            for word in dict.fromkeys(words)
            for field, weight in weights.items()
            if weight > 0
        ]
        return self._ranked(terms, limit, [*self._among(only), *(self._anywhere(word) for word in every)], kind)

    def frequency(self, word: str, field: Literal["body", "whole"] = "body") -> int:
        """Return in how many chunks, or whole files, a word stands."""
        return int(self._frequency(field, word))

    def rarity(self, word: str, field: Literal["body", "whole"] = "body") -> float:
        """Return how rare a word is among all documents: the factor that BM25 gives it, 0 for one in all of them."""
        total, found = self.documents, self.frequency(word, field)
        return math.log(1 + (max(total - found, 0) + 0.5) / (found + 0.5))

    def search_files(
        self, words: Iterable[str], limit: int, kind: SourceKind | None = None, *, only: Sequence[int] | None = None
    ) -> list[tuple[int, float]]:
        """Return (file id, BM25 score) of the best whole files, in the manner of `search`."""
        terms = [(tantivy.Occur.Should, self._term("whole", word)) for word in dict.fromkeys(words)]
        return self._ranked(terms, limit, self._among(only), kind)

    def _ranked(
        self,
        terms: list[tuple[tantivy.Occur, tantivy.Query]],
        limit: int,
        conditions: list[tantivy.Query],
        kind: SourceKind | None,
    ) -> list[tuple[int, float]]:
        """Return what holds any of the terms and meets all conditions, which count nothing."""
        if not terms or limit < 1:
            return []
        query = tantivy.Query.boolean_query(terms)
        if kind is not None:
            conditions.append(self._term("kind", kind, "basic"))
        if conditions:
            must = [(tantivy.Occur.Must, tantivy.Query.const_score_query(each, 0.0)) for each in conditions]
            query = tantivy.Query.boolean_query([(tantivy.Occur.Must, query), *must])
        found = self._run(query, limit + 1)
        if len(found) > limit and found[limit][1] == found[limit - 1][1]:
            found = self._run(query, limit * _MOST_TIES)
            last = found[limit - 1][1]
            found = [hit for hit in found if hit[1] >= last]
        else:
            found = found[:limit]
        return sorted(found, key=lambda hit: (-hit[1], hit[0]))

    def _run(self, query: tantivy.Query, limit: int) -> list[tuple[int, float]]:
        hits = self._searcher.search(query, limit, count=False).hits
        ids = self._searcher.fast_field_values("id", [address for _, address in hits])
        return [(int(number), float(score)) for number, (score, _) in zip(ids, hits, strict=True) if number is not None]

    def _among(self, ids: Sequence[int] | None) -> list[tantivy.Query]:
        """Return the condition that a document is one of some chunks; none where all are."""
        return [] if ids is None else [tantivy.Query.term_set_query(self._schema, "id", list(ids))]

    def _anywhere(self, word: str) -> tantivy.Query:
        """Return the condition that a chunk holds a word in any of its fields."""
        return tantivy.Query.boolean_query([(tantivy.Occur.Should, self._term(field, word)) for field in WEIGHTS])

    def _term(self, field: str, value: str, option: str = _FREQ) -> tantivy.Query:
        return tantivy.Query.term_query(self._schema, field, value, index_option=option)


class Lexical:
    """The writing side: one object a folder, one writer a machine. Nothing is visible before `commit`."""

    def __init__(self, folder: Path, heap: int = _HEAP) -> None:
        """Open the index in a folder; `heap` bytes may be filled before a segment is written."""
        self._schema = _schema()
        self._closed = False
        self._meta = folder / "meta.json"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._index = tantivy.Index(self._schema, str(folder))
            self._index.config_reader("manual")
        except OSError as error:
            raise StorageError(f"the word index in {folder} can't be opened: {error}") from error
        try:
            self._writer = self._index.writer(heap, 1)
        except ValueError as error:
            if "LockBusy" not in str(error) and "lock" not in str(error).lower():
                raise
            raise BusyError(
                f"another process writes the word index in {folder}", hint="only one daemon may serve a repository"
            ) from error
        self.stamp = int(self._writer.commit_opstamp)
        """What tells the last commit from all earlier ones: tantivy counts its operations."""

    @property
    def intact(self) -> bool:
        """Whether its folder still holds what was committed."""
        return self._meta.exists()

    def add(self, number: int, kind: SourceKind, key: str, fields: Mapping[Field, str]) -> None:
        """Add a chunk. `key` is what it is deleted by; the fields' texts are words separated by blanks."""
        document = self._document(number, kind, key)
        for field, text in fields.items():
            document.add_text(field, text)
        self._put(document)

    def add_file(self, number: int, kind: SourceKind, key: str, words: Sequence[str]) -> None:
        """Add a file as a whole."""
        document = self._document(number, kind, key)
        for part in words:
            document.add_text("whole", part)
        self._put(document)

    def delete(self, key: str) -> None:
        """Delete the chunks and the whole file of a key."""
        self._writer.delete_documents_by_term("key", key)

    def clear(self) -> None:
        """Delete everything; as all changes, from the next commit on."""
        self._writer.delete_all_documents()

    def commit(self) -> None:
        """Make all changes since the last commit durable and visible at once. Raises StorageError when that fails."""
        try:
            self.stamp = int(self._writer.commit())
        except (ValueError, OSError) as error:
            raise _unwritable(error) from error

    def collect(self) -> None:
        """Delete the files of segments that no state uses any more."""
        self._writer.garbage_collect_files()

    def rollback(self) -> None:
        """Forget all changes since the last commit. Raises StorageError where the folder was deleted meanwhile."""
        try:
            self._writer.rollback()
        except BaseException as error:
            if not _lost(error):
                raise
            if self.intact:
                raise _unwritable(error) from None
            raise StorageError(_GONE, hint="It is made anew with the next change.") from None

    def read(self) -> Words:
        """Return the last committed state."""
        self._index.reload()
        return Words(self._index.searcher(), self._schema)

    def close(self) -> None:
        """Release the folder; a second time does nothing. States that were read stay readable."""
        if not self._closed:
            self._closed = True
            try:
                self._writer.wait_merging_threads()
            except BaseException as error:
                if not _lost(error):  # else there is nothing left to release
                    raise

    def _put(self, document: tantivy.Document) -> None:
        try:
            self._writer.add_document(document)
        except ValueError as error:  # what its own thread could not write before
            raise _unwritable(error) from error

    def _document(self, number: int, kind: SourceKind, key: str) -> tantivy.Document:
        document = tantivy.Document()
        document.add_unsigned("id", number)
        document.add_text("kind", kind)
        document.add_text("key", key)
        return document


def _lost(error: BaseException) -> bool:
    """Whether an error says that the folder is gone, or what was being written to it.

    tantivy panics when its lock file is gone, and the exception of a panic is none that threads survive.
    """
    return isinstance(error, ValueError) or type(error).__name__ == "PanicException"


def _unwritable(error: BaseException) -> StorageError:
    return StorageError(f"the word index can't be written: {error}", hint="is the disk full? the cache can be deleted")


def open_lexical(folder: Path) -> Lexical:
    """Open the word index in a folder; one that can't be read (torn files, another format) is replaced by an empty one.

    Raises BusyError while another process writes it.
    """
    try:
        return Lexical(folder)
    except ValueError:
        shutil.rmtree(folder, ignore_errors=True)
        return Lexical(folder)


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("id", indexed=True, fast=True)
    for name in ("kind", "key"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    for name in ("body", "symbol", "title", "path", "whole"):
        builder.add_text_field(name, tokenizer_name="whitespace", index_option=_FREQ)
    return builder.build()
