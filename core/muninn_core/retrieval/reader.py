"""The index interface that search uses: the protocols `Reader` and `Source`.

A reader is a snapshot of everything that can be searched. Its chunks are in one or more sources: the index of the
work tree, files that wait to be indexed, memory of other branches. A chunk's key is its source and an id. The id is
opaque: only the source that returned it can resolve it. Results stay grouped by source, in the order of
`Reader.sources`, to avoid a key object per candidate.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np

    from muninn_core.index.file_list import FileList
    from muninn_core.model.chunk import Chunk, Only, SourceKind

Matches = Sequence[tuple[int, float]]
"""(id, score) of chunks of one source, best first."""

Ids = Sequence[Sequence[int]]
"""The ids of chunks, one sequence for each source of a reader."""


Asked = Iterable[str] | Mapping[str, float]
"""The words of a question, or {word: factor} where some count more than others."""


class Source(Protocol):
    """The chunks of one index."""

    def lexical(
        self,
        words: Asked,
        limit: int,
        kind: SourceKind | None = None,
        *,
        only: Only | None = None,
        every: Iterable[str] = (),
    ) -> Matches:
        """Return the `limit` best chunks with their BM25 scores, and ties with the last.

        `words` are those of `identifiers.split_words(query).split()`. `only` says what may be found. A chunk must
        contain all words of `every`.
        """

    def dense(self, vector: np.ndarray, limit: int, kind: SourceKind | None = None) -> Matches:
        """Return the nearest chunks with their cosines. `vector` is float32 [dim] of length 1."""

    def cosines(self, vector: np.ndarray, ids: Sequence[int], limit: int | None = None) -> Matches:
        """Return the cosines of the given chunks; chunks without a vector are left out.

        With `limit` only those of the nearest so many, and ties with the last.
        """

    def nearest_encoded(self, vector: np.ndarray, limit: int) -> Matches:
        """Return the memories whose encodings are nearest, with their cosines. `vector` is the text encoder's."""

    def encoded_cosines(self, vector: np.ndarray, ids: Sequence[int], limit: int | None = None) -> Matches:
        """Return the cosines of the given memories, as `cosines` does; those without an encoding are left out."""

    def encodings(self, ids: Sequence[int]) -> Mapping[int, np.ndarray]:
        """Return {id: encoding, int8 [dim]} of the given memories that have one."""

    def token_states(self, ids: Sequence[int]) -> Mapping[int, bytes]:
        """Return {id: states of the tokens} of the given memories that have them (`index.embedding.token_states`)."""

    def chunks(self, ids: Sequence[int]) -> Mapping[int, Chunk]:
        """Return {id: chunk}; unknown ids are left out. The chunk of a memory has the memory's id as path."""

    def ids_of_files(self, paths: Sequence[str]) -> Sequence[int]:
        """Return the ids of the chunks of the given files."""

    def ids_of_memories(self, ids: Sequence[str]) -> Sequence[int]:
        """Return the ids of the chunks of the given memories."""

    def numbers_of_memories(self, ids: Sequence[str]) -> Mapping[str, int]:
        """Return {id of the memory: id of its chunk} of those of the given memories that the source has."""

    def memories_of_numbers(self, ids: Sequence[int]) -> Mapping[int, str]:
        """Return {id: id of the memory} of those of the given chunks that are memories. No text is read."""


class Reader(Protocol):
    """A snapshot of an index: its sources of chunks, its files and its word statistics."""

    @property
    def sources(self) -> Sequence[Source]:
        """The sources of chunks. Ids grouped by source have this order."""

    @property
    def documents(self) -> int:
        """The number of chunks and whole files."""

    @property
    def encoded(self) -> bool:
        """Whether each memory has an encoding."""

    def whole_files(self, words: Asked, limit: int, kind: SourceKind | None = None) -> Sequence[tuple[str, float]]:
        """Return (path, BM25) of whole files, best first."""

    def first_chunks(self, paths: Sequence[str]) -> Mapping[str, Chunk]:
        """Return {path: first chunk} of the given files; files that are not indexed are left out."""

    def chunks_of(self, path: str) -> Mapping[int, Chunk]:
        """Return {id: chunk} of a file."""

    def paths(self) -> FileList:
        """Return all files without memories."""

    def files(self) -> Iterable[str]:
        """Return the paths of the files that are indexed whole."""

    @property
    def generated(self) -> Collection[str]:
        """The paths of files with a comment that marks them as generated."""

    def rarities(self, words: Iterable[str]) -> dict[str, float]:
        """Return {word: inverse document frequency, as BM25 computes it}; a word that is nowhere has the highest."""

    def frequency(self, word: str) -> int:
        """Return the number of chunks that contain a word."""


def ids_of_files(reader: Reader, paths: Sequence[str]) -> Ids:
    """Return the ids of the chunks of the given files, by source."""
    return [source.ids_of_files(paths) for source in reader.sources]


def ids_of_memories(reader: Reader, ids: Sequence[str]) -> Ids:
    """Return the ids of the chunks of the given memories, by source."""
    return [source.ids_of_memories(ids) for source in reader.sources]


def encodings_of_memories(reader: Reader, identities: Sequence[str]) -> Mapping[str, np.ndarray]:
    """Return {id of the memory: encoding, int8 [dim]} of those memories that have one."""
    found: dict[str, np.ndarray] = {}
    for source in reader.sources:
        numbers = source.numbers_of_memories(identities)
        rows = source.encodings(list(numbers.values())) if numbers else {}
        found |= {identity: rows[number] for identity, number in numbers.items() if number in rows}
    return found


def token_states_of_memories(reader: Reader, identities: Sequence[str]) -> Mapping[str, bytes]:
    """Return {id of the memory: states of its tokens, packed} of those memories that have them."""
    found: dict[str, bytes] = {}
    for source in reader.sources:
        numbers = source.numbers_of_memories(identities)
        states = source.token_states(list(numbers.values())) if numbers else {}
        found |= {identity: states[number] for identity, number in numbers.items() if number in states}
    return found


def read_chunks(reader: Reader, ids: Ids) -> list[Chunk]:
    """Return the chunks of the given ids that still exist."""
    return [
        chunk
        for source, wanted in zip(reader.sources, ids, strict=True)
        if wanted
        for chunk in source.chunks(wanted).values()
    ]
