"""A second, small index of memory and knowledge that are not in the work tree.

It serves queries at a revision or of other branches. Moving it to another revision costs as much as the revisions
differ. It is made by the same code as the index of the work tree, so that the ranking is the same.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from muninn_core.index.embedding.embed import Embedder, Encoder
from muninn_core.index.embedding.encodings import KnownEncodings
from muninn_core.index.file_list import FileList
from muninn_core.index.index import Index
from muninn_core.index.opening import open_index
from muninn_core.index.snapshot import Snapshot
from muninn_core.model.chunk import Chunk, SourceKind
from muninn_core.model.memory import Memory
from muninn_core.retrieval.reader import Asked, Source
from muninn_core.worktree.indexing.index_updater import text_of

Contents = Callable[[Iterable[str]], Iterator[tuple[str, bytes]]]
"""Yields (content id, content) of content ids."""


_MAX_BATCHES = 8
"""The most batches of memories that are encoded for one question. With more, memories are compared by the table."""


class AuxiliaryIndex:
    """One folder, one index, one state at a time; snapshots that were handed out stay as they were."""

    def __init__(
        self, folder: Path, embedder: Callable[[], Embedder], encoder: Encoder | None, encodings: KnownEncodings
    ) -> None:
        """`encodings` looks up the encodings that the work tree's index has."""
        self._folder = folder
        self._embedder = embedder
        self._encoder = encoder
        self._encodings = encodings
        self._lock = threading.Lock()
        self._index: Index | None = None
        self._made_with: Embedder | None = None
        self._key: object = None
        self._files: dict[str, str] = {}

    def snapshot(
        self,
        key: object,
        memories: Iterable[Memory],
        files: Callable[[], Mapping[str, str]] | None = None,
        contents: Contents | None = None,
        most: int = 0,
    ) -> tuple[Snapshot, Embedder]:
        """Return the index of these memories and files ({path: content id}), and its embedder.

        Files of more than `most` bytes are left out. `key` says what they are: with the same one nothing is looked at.
        Raises StorageError.
        """
        with self._lock:
            index, embedder = self._open()
            if key != self._key:
                self._key = None
                index.sync_memories(text_of(memory) for memory in memories)
                for _ in range(_MAX_BATCHES):
                    if not index.encode_some():
                        break
                if files is not None and contents is not None:
                    self._sync_files(index, files(), contents, most)
                index.compact()  # so that scores do not depend on what was asked about before
                self._key = key
            return index.snapshot(), embedder

    def close(self) -> None:
        """Close the index and delete its folder."""
        with self._lock:
            self._drop()

    def _open(self) -> tuple[Index, Embedder]:
        embedder = self._embedder()
        if self._index is not None and self._made_with is embedder:
            return self._index, embedder
        self._drop()
        shutil.rmtree(self._folder, ignore_errors=True)
        with suppress(OSError):  # opening reports it
            self._folder.parent.mkdir(mode=0o700, exist_ok=True)
        self._index, self._made_with = open_index(self._folder, embedder, self._encoder), embedder
        self._index.further_encodings = self._encodings
        return self._index, embedder

    def _drop(self) -> None:
        if self._index is not None:
            self._index.close()
            shutil.rmtree(self._folder, ignore_errors=True)
        self._index, self._key, self._files = None, None, {}

    def _sync_files(self, index: Index, files: Mapping[str, str], contents: Contents, most: int) -> None:
        """Give the index the files that differ; it reads them from a folder that is gone afterwards."""
        changed = {path: oid for path, oid in files.items() if self._files.get(path) != oid}
        removed = [path for path in self._files if path not in files]
        root = self._folder / "files"
        try:
            paths_of: dict[str, list[str]] = {}
            for path, oid in changed.items():
                paths_of.setdefault(oid, []).append(path)
            for oid, content in contents(paths_of):
                for path in paths_of[oid]:
                    (root / path).parent.mkdir(parents=True, exist_ok=True)
                    (root / path).write_bytes(content)
            index.apply(root, changed, removed, most=most, workers=1)
        finally:
            shutil.rmtree(root, ignore_errors=True)
        self._files = dict(files)


class JoinedReader:
    """The work tree's snapshot together with a second one that holds memories only.

    Files and word statistics are those of the first. A memory that the second holds (`ids`) is found there alone: after
    a checkout the first may not have dropped it yet.
    """

    def __init__(self, first: Snapshot, second: Snapshot, ids: frozenset[str]) -> None:
        self._first = first
        self.encoded = first.encoded and second.encoded
        self.sources: tuple[Source, ...] = (
            *(_WithoutMemories(source, ids) for source in first.sources),
            *second.sources,
        )

    @property
    def documents(self) -> int:
        """The number of chunks and whole files of the first snapshot."""
        return self._first.documents

    @property
    def generated(self) -> Collection[str]:
        """The files whose text says that a program generated them."""
        return self._first.generated

    def whole_files(self, words: Asked, limit: int, kind: SourceKind | None = None) -> Sequence[tuple[str, float]]:
        """Return (path, BM25) of whole files, best first."""
        return self._first.whole_files(words, limit, kind)

    def first_chunks(self, paths: Sequence[str]) -> Mapping[str, Chunk]:
        """Return {path: first chunk} of the given files."""
        return self._first.first_chunks(paths)

    def chunks_of(self, path: str) -> Mapping[int, Chunk]:
        """Return {id: chunk} of a file."""
        return self._first.chunks_of(path)

    def paths(self) -> FileList:
        """Return all files of the first snapshot."""
        return self._first.paths()

    def files(self) -> Iterable[str]:
        """Return the paths of the files that are indexed whole."""
        return self._first.files()

    def rarities(self, words: Iterable[str]) -> dict[str, float]:
        """Return {word: inverse document frequency} of words in the first snapshot."""
        return self._first.rarities(words)

    def frequency(self, word: str) -> int:
        """Return in how many chunks of the first snapshot a word stands."""
        return self._first.frequency(word)


class _WithoutMemories:
    """A source in which some memories are not found."""

    __slots__ = (
        "_ids",
        "_source",
        "cosines",
        "dense",
        "encoded_cosines",
        "encodings",
        "ids_of_files",
        "lexical",
        "nearest_encoded",
        "token_states",
    )

    def __init__(self, source: Source, ids: frozenset[str]) -> None:
        self._source = source
        self._ids = ids
        self.lexical = source.lexical
        self.dense = source.dense
        self.cosines = source.cosines
        self.nearest_encoded = source.nearest_encoded
        self.encoded_cosines = source.encoded_cosines
        self.encodings = source.encodings
        self.token_states = source.token_states
        self.ids_of_files = source.ids_of_files

    def chunks(self, ids: Sequence[int]) -> Mapping[int, Chunk]:
        """Return {id: chunk} without the memories."""
        found = self._source.chunks(ids)
        return {
            number: chunk for number, chunk in found.items() if chunk.kind != "memory" or chunk.path not in self._ids
        }

    def ids_of_memories(self, ids: Sequence[str]) -> Sequence[int]:
        """Return the ids of the chunks of the other memories."""
        return self._source.ids_of_memories([each for each in ids if each not in self._ids])

    def numbers_of_memories(self, ids: Sequence[str]) -> Mapping[str, int]:
        """Return {memory id: id of its chunk} of the other memories."""
        return self._source.numbers_of_memories([each for each in ids if each not in self._ids])

    def memories_of_numbers(self, ids: Sequence[int]) -> Mapping[int, str]:
        """Return {id of a chunk: memory id} of the other memories."""
        found = self._source.memories_of_numbers(ids)
        return {number: identity for number, identity in found.items() if identity not in self._ids}
