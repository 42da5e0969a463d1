"""Files of a large tree, found by their words before they have been cut.

To cut a file along its definitions takes several times what it takes to read its words. So a long run begins with a
survey: an index of words of its own, a document a file, with nothing in it that cannot be thrown away. Who asks
meanwhile is answered from the files themselves: the best of them are read and cut by their lines, for that question
alone. When the run is over the survey goes, and nothing of it is left.
"""

from __future__ import annotations

import shutil
import threading
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from muninn_core.index.lexical import Lexical
from muninn_core.source.chunk import cut_by_lines
from muninn_core.source.classify import classify
from muninn_core.source.identifiers import words
from muninn_core.source.text import Text, read_text

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import numpy as np

    from muninn_core.index.extract import FileWords
    from muninn_core.index.lexical import Words
    from muninn_core.model.chunk import Chunk, SourceKind

SURVEYED = 2_000
"""Files that are new, from which on they are surveyed: fewer are cut in the time that somebody waits for them."""

_FIRST_FILES = 1_000
_HEAP = 20_000_000

_CHUNK_BITS = 12
"""An id is the number of a file, then the number of a chunk in the file."""

_GLIMPSED = 24
"""The best files for a question: those of them that still wait are read for it."""

_MOST_CHARACTERS = 1_000_000
"""Of all of them together, behind which no further one is read."""

_PIECES = 3
"""Chunks that each of them may give."""

_KEPT = 1_000
"""Glimpsed chunks that are kept until their question asks for their texts."""

_K1 = 1.2
_B = 0.75
"""BM25's parameters, as Tantivy has them."""


class _Piece(NamedTuple):
    number: int
    chunk: Chunk
    held: Counter[str]
    length: int


class Survey:
    """What has been surveyed, for reading: a fixed state of its words. Safe to use from several threads."""

    def __init__(self, state: Words, files: Mapping[str, SourceKind], root: Path, most: int) -> None:
        self._state = state
        self._kinds = files
        self._paths = list(files)
        self._numbers = {path: number for number, path in enumerate(self._paths)}
        self._root = root
        self._most = most
        self._lock = threading.Lock()
        self._glimpsed: dict[int, Chunk] = {}

    @property
    def documents(self) -> int:
        """The number of files."""
        return self._state.documents

    def files(self) -> list[tuple[str, SourceKind, str]]:
        """Return (path, kind, language) of all files."""
        return [(path, kind, classify(path)[1]) for path, kind in self._kinds.items()]

    def ids_of_files(self, paths: Iterable[str]) -> list[int]:
        """Return a number for each of the files among some paths, by which `lexical` can be bound to it."""
        return [self._numbers[path] << _CHUNK_BITS for path in paths if path in self._numbers]

    def frequency(self, word: str) -> int:
        """Return in how many files a word stands."""
        return self._state.frequency(word, "whole")

    def rarity(self, word: str) -> float:
        """Return how rare a word is among the files: the factor that BM25 gives it."""
        return self._state.rarity(word, "whole")

    def whole_files(self, asked: Iterable[str], limit: int, kind: SourceKind | None = None) -> list[tuple[str, float]]:
        """Return (path, BM25) of files, best first."""
        return [(self._paths[number], score) for number, score in self._state.search_files(asked, limit, kind)]

    def lexical(
        self,
        asked: Sequence[str],
        limit: int,
        kind: SourceKind | None,
        waiting: Callable[[Sequence[str]], Collection[str]],
        *,
        only: Sequence[int] | None = None,
        every: Collection[str] = (),
    ) -> list[tuple[int, float]]:
        """Return (number, BM25) of chunks of those of the best files that are still `waiting` to be cut.

        `only` are numbers in the files that may be found, `every` the words that a chunk has to hold. The files are
        read now; one that can't be is passed over. Rarity is that among files, the mean length that of the chunks that
        were looked at: beside scores of chunks in the index these are nearly comparable.
        """
        within = None if only is None else sorted(set(map(self._file_of, only)))
        most = min(limit, _GLIMPSED)
        found = self._state.search_files(asked, most, kind, only=within)[:most] if within is None or within else []
        left = waiting([self._paths[number] for number, _ in found])
        numbers = [number for number, _ in found if self._paths[number] in left]
        pieces = [
            piece for piece in self._pieces(numbers, {*asked, *every}) if all(word in piece.held for word in every)
        ]
        if not pieces:
            return []
        mean = sum(piece.length for piece in pieces) / len(pieces)
        rarity = {word: self.rarity(word) for word in {*asked, *every}}
        scored = sorted(((_bm25(piece, rarity, mean), piece) for piece in pieces), key=lambda one: (-one[0], one[1][0]))
        taken: Counter[str] = Counter()
        best: dict[int, tuple[float, Chunk]] = {}
        for score, piece in scored:
            taken[piece.chunk.path] += 1
            if taken[piece.chunk.path] <= _PIECES:
                best[piece.number] = (score, piece.chunk)
        with self._lock:
            kept = self._glimpsed if len(self._glimpsed) < _KEPT else {}
            self._glimpsed = {**kept, **{number: chunk for number, (_, chunk) in best.items()}}
        return [(number, score) for number, (score, _) in best.items()]

    def chunks(self, numbers: Sequence[int]) -> Mapping[int, Chunk]:
        """Return chunks that `lexical` has named a moment ago; others are read now, of as many files as a question."""
        glimpsed = self._glimpsed
        found = {number: glimpsed[number] for number in numbers if number in glimpsed}
        left = dict.fromkeys(self._file_of(number) for number in numbers if number not in found)
        wanted = set(numbers)
        found.update((number, chunk) for number, chunk in self._cut(list(left)[:_GLIMPSED]) if number in wanted)
        return found

    def _pieces(self, files: Iterable[int], asked: Collection[str]) -> Iterator[_Piece]:
        """Yield the chunks of some files that hold any of the words."""
        for number, chunk in self._cut(files):
            own = words(f"{chunk.symbol} {chunk.text}").split()
            held = Counter(word for word in own if word in asked)
            if held:
                yield _Piece(number, chunk, held, len(own))

    def _cut(self, files: Iterable[int]) -> Iterator[tuple[int, Chunk]]:
        """Yield the chunks of some files as they are now, with their numbers, until enough has been read."""
        characters = 0
        for file in files:
            path = self._paths[file]
            read = read_text(self._root, path, self._most)
            if isinstance(read, Text):
                chunks = cut_by_lines(path, read.text)[: 1 << _CHUNK_BITS]
                yield from (((file << _CHUNK_BITS) + i, chunk) for i, chunk in enumerate(chunks))
                characters += len(read.text)
            if characters > _MOST_CHARACTERS:
                return

    @staticmethod
    def _file_of(number: int) -> int:
        return number >> _CHUNK_BITS


class UncutFiles:
    """A source of chunks for search: the surveyed files that are not in the index yet.

    `waiting` returns those of the given paths that wait to be cut. Such files have no vectors and are no memories.
    """

    __slots__ = ("_survey", "_waiting")

    def __init__(self, survey: Survey, waiting: Callable[[Sequence[str]], Collection[str]]) -> None:
        self._survey = survey
        self._waiting = waiting

    def lexical(
        self,
        words: Iterable[str],
        limit: int,
        kind: SourceKind | None = None,
        *,
        only: Sequence[int] | None = None,
        every: Iterable[str] = (),
    ) -> list[tuple[int, float]]:
        """Return (chunk id, BM25), best first."""
        if kind == "memory":
            return []
        asked, needed = list(dict.fromkeys(words)), list(dict.fromkeys(every))
        return self._survey.lexical(asked, limit, kind, self._waiting, only=only, every=needed)

    def dense(self, vector: np.ndarray, limit: int, kind: SourceKind | None = None) -> list[tuple[int, float]]:
        """Return nothing: there are no vectors yet."""
        return []

    def near(self, vector: np.ndarray, ids: Sequence[int]) -> list[tuple[int, float]]:
        """Return nothing: there are no vectors yet."""
        return []

    def chunks(self, ids: Sequence[int]) -> Mapping[int, Chunk]:
        """Return {id: chunk}, in the order of the ids."""
        found = self._survey.chunks(ids)
        return {number: found[number] for number in ids if number in found}

    def ids_of_files(self, paths: Sequence[str]) -> list[int]:
        """Return an id for each of the given files that waits."""
        return self._survey.ids_of_files(sorted(self._waiting(paths)))

    def ids_of_memories(self, ids: Sequence[str]) -> list[int]:
        """Return nothing: memories are always indexed at once."""
        return []


class SurveyBuilder:
    """Makes a survey in a folder that nobody else uses. `close` throws it away; what was read of it stays readable."""

    def __init__(self, folder: Path, root: Path, most: int) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        self._folder = folder
        self._root = root
        self._most = most
        self._files: dict[str, SourceKind] = {}
        self._next = _FIRST_FILES
        self._lexical = Lexical(folder, _HEAP)

    def add(self, part: Iterable[FileWords]) -> bool:
        """Take files in; say whether enough have come together to be read: few at first, then ever more."""
        for one in part:
            self._lexical.add_file(len(self._files), one.kind, one.path, [words(one.path), one.words])
            self._files[one.path] = one.kind
        due = len(self._files) >= self._next
        if due:
            self._next *= 3
        return due

    def read(self) -> Survey:
        """Return what has been taken in. Raises StorageError."""
        self._lexical.commit()
        return Survey(self._lexical.read(), dict(self._files), self._root, self._most)

    def close(self) -> None:
        """Throw it away."""
        self._lexical.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def _bm25(piece: _Piece, rarity: Mapping[str, float], mean: float) -> float:
    spread = _K1 * (1 - _B + _B * piece.length / mean)
    return sum(rarity[word] * count * (_K1 + 1) / (count + spread) for word, count in sorted(piece.held.items()))
