"""The candidate chunks of one repository of an organisation, in memory, with the interface of an index.

The interface is that of `index.snapshot.Snapshot` as far as `federation.reader` uses it. Chunks have numbers below
`_FILES`, whole files above.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from muninn_core.federation.importers import ListedDependencies, ListedImporter
from muninn_core.federation.listing import ListedNames
from muninn_core.index.file_list import FileList
from muninn_core.index.vectors.quantise import SCALE, quantise
from muninn_core.index.words.term_counts import FIELDS, Term, Totals, scores
from muninn_core.model.chunk import Among

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from muninn_core.federation.remote_candidates import RemoteChunk, RemoteFile
    from muninn_core.index.words.reader import AnyField
    from muninn_core.model.chunk import Chunk, Only, SourceKind
    from muninn_core.protocol.families.code import CodeSymbol

_FILES = 1 << 20
_UNBOUNDED = 1e9
"""The approximate score of each match: all are scored exactly, since they are few."""

_ABSENT = (0,) * len(FIELDS)

Found = list[tuple[int, float]]


class WordTotals(NamedTuple):
    """Word statistics of all asked branches of the organisation."""

    documents: int
    lengths: tuple[int, ...]
    frequencies: Mapping[str, tuple[int, ...]]


NO_TOTALS = WordTotals(0, _ABSENT, {})
"""For all repositories but the first, so that its statistics count once."""


class RemoteWords:
    """The words of the chunks and files: what `MergedWords` needs of an index."""

    def __init__(self, chunks: Sequence[RemoteChunk], files: Sequence[RemoteFile], totals: WordTotals) -> None:
        self._chunks = {number: (each.chunk.kind, each.counts) for number, each in enumerate(chunks)}
        self._files = {_FILES + number: (each.kind, each.counts) for number, each in enumerate(files)}
        self._known = totals
        self.documents = totals.documents
        self.totals = Totals(totals.documents, totals.lengths)

    def count(self, field: AnyField, word: str) -> int:
        """Return the number of documents of the organisation in which a field holds a word."""
        return self._known.frequencies.get(word, _ABSENT)[FIELDS.index(field)]

    def candidates(
        self,
        terms: Sequence[Term],
        limit: int,
        kind: SourceKind | None = None,
        *,
        only: Only | None = None,
        every: Iterable[str] = (),
    ) -> Found:
        """Return all documents with any of the terms, with a score that is never exceeded."""
        documents = self._files if terms and terms[0].field == "whole" else self._chunks
        within = {
            number: counts
            for number, (tier, counts) in documents.items()
            if kind in (None, tier) and _may_be_found(number, tier, only)
        }
        matching = self._matching(within, [terms, *(_anywhere(word) for word in every)])
        return [(number, _UNBOUNDED) for number in matching]

    def excess(self, terms: Sequence[Term], totals: Totals | None = None) -> float:
        """Return 1: the scores of `candidates` are not exceeded."""
        return 1.0

    def scored(self, ids: Sequence[int], terms: Sequence[Term], totals: Totals | None = None) -> dict[int, float]:
        """Return {id: BM25 score} of documents with the terms' weights."""
        every = {**self._chunks, **self._files}
        found = {number: every[number][1] for number in ids}
        if not found:
            return {}
        return dict(zip(found, scores(terms, list(found.values()), totals or self.totals).tolist(), strict=True))

    def _matching(self, documents: Mapping[int, bytes], groups: Sequence[Sequence[Term]]) -> Sequence[int]:
        """Return the documents with a term of each group."""
        left = dict(documents)
        for terms in groups:
            if not left:
                break
            known = scores([term._replace(weight=1.0) for term in terms], list(left.values()), self.totals)
            left = {number: left[number] for number, score in zip(left, known.tolist(), strict=True) if score > 0}
        return list(left)


def _may_be_found(number: int, kind: SourceKind, only: Only | None) -> bool:
    if isinstance(only, Among):
        return kind in only.kinds or any(number in ids for ids in only.ids)
    return only is None or number in only


class RemoteSnapshot:
    """The candidate chunks of one repository."""

    def __init__(
        self,
        chunks: Sequence[RemoteChunk],
        files: Sequence[RemoteFile],
        totals: WordTotals,
        generation: int,
        symbols: Sequence[CodeSymbol] = (),
        importers: Sequence[ListedImporter] = (),
    ) -> None:
        self.words = RemoteWords(chunks, files, totals)
        self.generation = generation
        self.code = ListedNames(symbols)
        self.dependencies = ListedDependencies(importers)
        self._chunks = [each.chunk for each in chunks]
        self._files = files
        self._vectors = _rows({number: each.vector for number, each in enumerate(chunks)})
        self._encodings = _rows({number: each.encoding for number, each in enumerate(chunks)})
        self._states = {number: each.states for number, each in enumerate(chunks) if each.states is not None}

    def dense(self, vector: NDArray[np.float32], limit: int, kind: SourceKind | None = None) -> Found:
        """Return the nearest chunks with their cosines."""
        ids = [number for number in self._vectors if kind in (None, self._chunks[number].kind)]
        return _cosines(self._vectors, vector, ids, limit)

    def cosines(self, vector: NDArray[np.float32], ids: Sequence[int], limit: int | None = None) -> Found:
        """Return the cosines of those chunks that have a vector."""
        return _cosines(self._vectors, vector, ids, limit)

    def nearest_encoded(self, vector: NDArray[np.float32], limit: int) -> Found:
        """Return the memories whose encodings are nearest."""
        return _cosines(self._encodings, vector, list(self._encodings), limit)

    def encoded_cosines(self, vector: NDArray[np.float32], ids: Sequence[int], limit: int | None = None) -> Found:
        """Return the cosines of those memories that have an encoding."""
        return _cosines(self._encodings, vector, ids, limit)

    def encodings(self, ids: Sequence[int]) -> dict[int, NDArray[np.int8]]:
        """Return {id: encoding} of those memories that have one."""
        return {number: self._encodings[number] for number in ids if number in self._encodings}

    def token_states(self, ids: Sequence[int]) -> dict[int, bytes]:
        """Return {id: states of the tokens} of those memories that have them."""
        return {number: self._states[number] for number in ids if number in self._states}

    def chunks(self, ids: Sequence[int]) -> dict[int, Chunk]:
        """Return {id: chunk}."""
        return {number: self._chunks[number] for number in ids if number < len(self._chunks)}

    def by_place(self, ids: Sequence[int]) -> list[int]:
        """Return the ids by path and line."""
        return sorted(ids, key=lambda number: (self._chunks[number].path, self._chunks[number].start))

    def paths_by_id(self, ids: Sequence[int]) -> dict[int, str]:
        """Return {file id: path}."""
        return {number: self._files[number - _FILES].path for number in ids}

    def ids_of_files(self, paths: Sequence[str]) -> list[int]:
        """Return the ids of the chunks of files."""
        wanted = set(paths)
        return [number for number, each in enumerate(self._chunks) if each.path in wanted and each.kind != "memory"]

    def ids_of_memories(self, ids: Sequence[str]) -> list[int]:
        """Return the ids of the chunks of memories."""
        wanted = set(ids)
        return [number for number, each in enumerate(self._chunks) if each.path in wanted and each.kind == "memory"]

    def numbers_of_memories(self, ids: Sequence[str]) -> dict[str, int]:
        """Return {memory id: id of its chunk}."""
        return {self._chunks[number].path: number for number in self.ids_of_memories(ids)}

    def memories_of_numbers(self, ids: Sequence[int]) -> dict[int, str]:
        """Return {id of a chunk: memory id} of the chunks of memories."""
        return {number: each.path for number, each in self.chunks(ids).items() if each.kind == "memory"}

    def first_chunks(self, paths: Sequence[str]) -> dict[str, Chunk]:
        """Return {path: first chunk}."""
        found = [self._chunks[number] for number in self.by_place(self.ids_of_files(paths))]
        return {chunk.path: chunk for chunk in reversed(found)}

    def chunks_of(self, path: str) -> dict[int, Chunk]:
        """Return {id: chunk} of a file."""
        return self.chunks(self.by_place(self.ids_of_files([path])))

    def paths(self) -> FileList:
        """Return the files of the chunks."""
        return FileList(sorted((each.path, each.kind, each.language) for each in self._files))

    @cached_property
    def generated(self) -> frozenset[str]:
        """The files that a program generated."""
        return frozenset(each.path for each in self._files if each.generated)

    def file(self, path: str) -> None:
        """Return None: no file of the organisation is on this machine."""
        return


def _anywhere(word: str) -> list[Term]:
    return [Term(field, word, 1.0) for field in FIELDS[:-1]]


def _rows(given: Mapping[int, bytes | None]) -> dict[int, NDArray[np.int8]]:
    return {number: np.frombuffer(row, np.int8) for number, row in given.items() if row is not None}


def _cosines(
    rows: Mapping[int, NDArray[np.int8]], vector: NDArray[np.float32], ids: Sequence[int], limit: int | None
) -> Found:
    """Return the cosines of some rows, best first, with `limit` the nearest and ties: exact sums of 8-bit numbers."""
    known = [number for number in ids if number in rows]
    if not known or not np.any(vector):
        return []
    scale = 127.0 / float(np.max(np.abs(vector)))
    query = quantise(vector, scale).astype(np.int64)
    products = np.stack([rows[number] for number in known]).astype(np.int64) @ query
    found = sorted(zip(known, (products / (SCALE * scale)).tolist(), strict=True), key=lambda hit: (-hit[1], hit[0]))
    return found if limit is None or len(found) <= limit else [hit for hit in found if hit[1] >= found[limit - 1][1]]
