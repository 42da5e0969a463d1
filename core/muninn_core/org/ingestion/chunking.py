"""Chunks files and memories for the database, with the code of the local index.

The rows have the same chunks, words, term counts and vectors as an index on one machine, so that the same question is
ranked the same. CPU-bound work on many files runs in worker processes.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from muninn_core.index.embedding.embed import Embedder
from muninn_core.index.embedding.encodings import encoded, encoder_text
from muninn_core.index.extraction.extract import (
    CHANGED,
    Extracted,
    Job,
    embedding_text,
    file_words,
    word_fields,
)
from muninn_core.index.extraction.workers import WorkerPool
from muninn_core.index.manifest.manifest import FEATURES
from muninn_core.index.manifest.memory_text import MemoryText
from muninn_core.index.manifest.reader import memory_key
from muninn_core.index.vectors.quantise import quantise
from muninn_core.index.vectors.vector_index import KIND_BITS
from muninn_core.index.words.term_counts import FIELDS, LIST_BITS, list_terms
from muninn_core.model.chunk import SOURCE_KINDS, Chunk, SourceKind
from muninn_core.org import models
from muninn_core.source.code.definition import Syntax
from muninn_core.source.identifiers import split_words

CUTTER = 100 * FEATURES + 3
"""The version of the cut rows: that of the index, and a number to raise for what only the database has.

Contents that another version cut are cut again.
"""

_BATCH = 64
"""Files of one job of a worker."""

Row = NDArray[np.int8]


class ChunkData(NamedTuple):
    """A chunk and what is stored of it.

    `extra` is text that is searched and not shown, `fields` are the words of each field. `vector` is None for a text
    without a known word, `encoding` and `states` (of the tokens) for code and without the text encoder.
    """

    chunk: Chunk
    extra: str
    fields: Mapping[str, str]
    vector: Row | None = None
    encoding: Row | None = None
    states: bytes | None = None


class ChunkedFile(NamedTuple):
    """A file or memory, cut. `content` identifies its bytes; the path of a memory is its key. `whole` has its words."""

    path: str
    content: bytes
    kind: SourceKind
    language: str
    generated: bool
    syntax: Syntax
    chunks: tuple[ChunkData, ...]
    whole: str


class Numbered(NamedTuple):
    """A file with its number in the database and those of its chunks, in their order."""

    number: int
    chunks: Sequence[int]
    file: ChunkedFile


class Statistics:
    """What files add to the statistics of a branch: documents, lengths, in how many documents each word stands, and
    the entries of its inverted lists.
    """

    def __init__(self) -> None:
        self.chunks = 0
        self.documents = 0
        self.lengths = [0] * len(FIELDS)
        self.gone: tuple[list[int], list[int]] = ([], [])
        """The ids of removed chunks and files."""
        self._frequencies: dict[str, list[int]] = {}
        self._lists: dict[str, tuple[list[int], list[int]]] = {}

    def add(self, item: Numbered, sign: int = 1) -> None:
        """Add a file, or with `sign` -1 remove it."""
        for number, piece in zip(item.chunks, item.file.chunks, strict=True):
            self._document(piece.fields, number, 0, sign)
        if item.file.kind != "memory":
            number = (SOURCE_KINDS.index(item.file.kind) << KIND_BITS) + item.number
            self._document({"whole": item.file.whole}, number, 1, sign)
        self.chunks += sign * len(item.file.chunks)

    def _document(self, fields: Mapping[str, str], number: int, table: int, sign: int) -> None:
        self.documents += sign
        if sign < 0:
            self.gone[table].append(number)
        for field, text in fields.items():
            self.lengths[FIELDS.index(field)] += sign * len(text.split())
        for word, entries in list_terms(fields).items():
            frequency = self._frequencies.setdefault(word, [0] * len(FIELDS))
            for entry in entries:
                frequency[entry >> 16] += sign
            lists = self._lists.setdefault(word, ([], []))
            if sign > 0:
                lists[table].extend([number << LIST_BITS | entry for entry in entries])

    def rows(self) -> Iterator[tuple[str, Sequence[int], Sequence[int], Sequence[int]]]:
        """Yield (word, difference of the number of documents by field, new entries of chunks, of files), by word.

        An entry is the document's id before `LIST_BITS` bits of `term_counts.list_terms`.
        """
        for word in sorted(self._lists):
            yield word, self._frequencies[word], *self._lists[word]


def chunk_files(contents: Iterable[tuple[str, bytes, bytes]], most: int, workers: int) -> Iterator[ChunkedFile]:
    """Yield the files that can be read as text from (path, id of the content, content), in batches of jobs.

    Files of more than `most` bytes and binary files are left out. `workers` is the number of processes.
    """
    embedder = models.embedder()
    with tempfile.TemporaryDirectory(prefix="muninn-org-") as folder, WorkerPool(workers, embedder) as pool:
        root = Path(folder)
        ids: dict[str, bytes] = {}

        def jobs() -> Iterator[Job]:
            batch: list[tuple[str, bytes | None]] = []
            for path, content_id, data in contents:
                if len(data) > most:
                    continue
                target = root / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
                ids[path] = content_id
                batch.append((path, None))
                if len(batch) >= _BATCH:
                    yield Job(folder, most, tuple(batch))
                    batch = []
            if batch:
                yield Job(folder, most, tuple(batch))

        for found in pool.extract(jobs()):
            yield from _cut(found, ids, embedder)
            for one in found:
                (root / one.path).unlink(missing_ok=True)


def _cut(found: Sequence[Extracted], ids: Mapping[str, bytes], embedder: Embedder) -> Iterator[ChunkedFile]:
    texts = [embedding_text(piece.chunk) for one in found for piece in one.pieces]
    vectors = quantise(embedder.embed(texts)) if texts else np.zeros((0, embedder.dim), np.int8)
    at = 0
    for one in found:
        rows = vectors[at : at + len(one.pieces)]
        at += len(one.pieces)
        if one.outcome != CHANGED:
            continue
        chunks = tuple(
            chunk_data(piece.chunk, "", piece.body, row) for piece, row in zip(one.pieces, rows, strict=True)
        )
        whole = " ".join(file_words(one.path, [piece.body for piece in one.pieces]))
        yield ChunkedFile(one.path, ids[one.path], one.kind, one.language, one.generated, one.syntax, chunks, whole)


def chunk_memories(memories: Iterable[MemoryText]) -> Iterator[ChunkedFile]:
    """Yield memories as files of one chunk, with encodings where the text encoder is installed."""
    embedder, encoder = models.embedder(), models.encoder()
    for item in memories:
        key = memory_key(item.id)
        chunk = item.chunk(key)
        row = quantise(embedder.embed([embedding_text(chunk, item.extra)]))[0]
        piece = chunk_data(chunk, item.extra, split_words(item.text), row)
        if encoder is not None:
            (encoding,) = encoded([encoder_text(chunk)], encoder)
            piece = piece._replace(encoding=np.frombuffer(encoding.vector, np.int8), states=encoding.states)
        yield ChunkedFile(key, item.digest(), "memory", "text", False, Syntax(), (piece,), "")


def chunk_data(chunk: Chunk, extra: str, body: str, row: Row | None = None) -> ChunkData:
    """Return a chunk with the words of its fields. `body` has the words of its text, `row` is its vector."""
    fields = {str(field): text for field, text in word_fields(chunk, body, extra).items()}
    return ChunkData(chunk, extra, fields, row if row is not None and row.any() else None)
