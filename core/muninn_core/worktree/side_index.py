"""A second, small index: of memory and knowledge that are not in the work tree, while somebody asks about them.

It follows what it is asked about: going from one revision to the next costs what differs between them. It is made by
the same code as the index of the work tree, so that an answer about the past is ranked like one about now.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from muninn_core.index.embed import Embedder
from muninn_core.index.index import Index, open_index
from muninn_core.index.snapshot import Snapshot
from muninn_core.model.chunk import Chunk, SourceKind
from muninn_core.model.memory import Memory
from muninn_core.worktree.index_updater import text_of

Contents = Callable[[Iterable[str]], Iterator[tuple[str, bytes]]]
"""Yields (content id, content) of content ids."""


class SideIndex:
    """One folder, one index, one state at a time; snapshots that were handed out stay as they were."""

    def __init__(self, folder: Path, embedder: Callable[[], Embedder]) -> None:
        self._folder = folder
        self._embedder = embedder
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
                if files is not None and contents is not None:
                    self._sync_files(index, files(), contents, most)
                index.compact()  # so that scores do not depend on what was asked about before
                self._key = key
            return index.snapshot(), embedder

    def close(self) -> None:
        """Release the folder; what is in it is of use to nobody else."""
        with self._lock:
            self._drop()

    def _open(self) -> tuple[Index, Embedder]:
        embedder = self._embedder()
        if self._index is not None and self._made_with is embedder:
            return self._index, embedder
        self._drop()
        shutil.rmtree(self._folder, ignore_errors=True)
        self._index, self._made_with = open_index(self._folder, embedder), embedder
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
    """Two snapshots read as one. Chunks of the second have negative numbers.

    A memory that the second holds (`ids`) counts there only: the first may not have dropped it yet after a checkout.
    """

    def __init__(self, first: Snapshot, second: Snapshot, ids: frozenset[str]) -> None:
        self._first = first
        self._second = second
        self._ids = ids
        self.generation = first.generation

    @property
    def documents(self) -> int:
        """The number of chunks and whole files of the first one, by far the larger."""
        return self._first.documents

    def lexical(
        self,
        words: Iterable[str],
        limit: int,
        kind: SourceKind | None = None,
        *,
        only: Sequence[int] | None = None,
        every: Iterable[str] = (),
    ) -> Sequence[tuple[int, float]]:
        """Return (chunk id, BM25), best first. Each has statistics of its own: scores are nearly comparable."""
        wanted, needed = list(words), list(every)
        own, others = (None, None) if only is None else _parted(only)
        return _merged(
            self._first.lexical(wanted, limit, kind, only=own, every=needed),
            self._second.lexical(wanted, limit, kind, only=others, every=needed),
        )

    def dense(
        self, vector: NDArray[np.float32], limit: int, kind: SourceKind | None = None
    ) -> Sequence[tuple[int, float]]:
        """Return (chunk id, cosine), best first."""
        return _merged(self._first.dense(vector, limit, kind), self._second.dense(vector, limit, kind))

    def whole_files(
        self, words: Iterable[str], limit: int, kind: SourceKind | None = None
    ) -> Sequence[tuple[str, float]]:
        """Return (path, BM25) of the first one's files, best first."""
        return self._first.whole_files(words, limit, kind)

    def rarity(self, word: str) -> float:
        """Return how rare a word is in the first one, by far the larger."""
        return self._first.rarity(word)

    def chunks(self, ids: Sequence[int]) -> Mapping[int, Chunk]:
        """Return the chunks of the ids that are still there."""
        ours, theirs = _parted(ids)
        first, second = self._first.chunks(ours), self._second.chunks(theirs)
        own = {
            number: chunk for number, chunk in first.items() if chunk.kind != "memory" or chunk.path not in self._ids
        }
        return {**own, **{-1 - number: chunk for number, chunk in second.items()}}

    def near(self, vector: NDArray[np.float32], ids: Sequence[int]) -> Sequence[tuple[int, float]]:
        """Return (chunk id, cosine) of some chunks, best first."""
        own, others = _parted(ids)
        return _merged(self._first.near(vector, own), self._second.near(vector, others))

    def frequency(self, word: str) -> int:
        """Return in how many chunks of the first a word stands: it is by far the larger one."""
        return self._first.frequency(word)

    def paths(self) -> Sequence[tuple[str, SourceKind, str]]:
        """Return (path, kind, language) of the first one's files."""
        return self._first.paths()

    def ids_of_files(self, paths: Sequence[str]) -> list[int]:
        """Return the ids of the chunks of some files."""
        return self._first.ids_of_files(paths)

    def ids_of_memories(self, ids: Sequence[str]) -> list[int]:
        """Return the ids of the chunks of some memories, whichever has them."""
        second = self._second.ids_of_memories([each for each in ids if each in self._ids])
        own = self._first.ids_of_memories([each for each in ids if each not in self._ids])
        return sorted([*own, *(-1 - number for number in second)])

    def files(self) -> Iterable[str]:
        """Return the paths of the first one's files; the second holds memories only."""
        return self._first.files()

    def first_chunks(self, paths: Sequence[str]) -> Mapping[str, Chunk]:
        """Return the first chunk of each of some of the first one's files."""
        return self._first.first_chunks(paths)

    @property
    def generated(self) -> Collection[str]:
        """The first one's files that say that a program made them."""
        return self._first.generated

    def chunks_of(self, path: str) -> Mapping[int, Chunk]:
        """Return the chunks of a file."""
        return self._first.chunks_of(path)


def _parted(ids: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return the ids of the first, and those of the second as it knows them."""
    return [number for number in ids if number >= 0], [-1 - number for number in ids if number < 0]


def _merged(first: Sequence[tuple[int, float]], second: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
    found = [*first, *((-1 - number, score) for number, score in second)]
    return sorted(found, key=lambda hit: (-hit[1], hit[0]))
