"""Finds the files of a large tree by their words before they are cut into chunks.

Cutting a file along its definitions takes several times as long as reading its words. So a long run begins with a
survey: a temporary word index with one document per file. A query during the run reads the best files and cuts them by
lines, for this query only. The survey is deleted at the end of the run.
"""

from __future__ import annotations

import shutil
import threading
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from muninn_core.index.words.writer import Lexical
from muninn_core.model.chunk import Among
from muninn_core.source.chunks.chunk import chunk_by_lines
from muninn_core.source.files.classify import classify
from muninn_core.source.files.exported import read_for_index
from muninn_core.source.files.text import Text
from muninn_core.source.identifiers import split_words

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    import numpy as np

    from muninn_core.index.extraction.extract import FileWords
    from muninn_core.index.words.reader import Asked, Words
    from muninn_core.model.chunk import Chunk, Only, SourceKind

SURVEYED = 2_000
"""New files above which a run begins with a survey. Fewer are cut before a user would wait for them."""

_FIRST_FILES = 1_000
_HEAP = 20_000_000

_CHUNK_BITS = 12
"""An id is (number of the file << _CHUNK_BITS) + number of the chunk in the file."""

_MAX_FILES = 24
"""Files that a query considers; those that are not cut yet are read for it."""

_MAX_CHARACTERS = 1_000_000
"""Characters of all files of a query, after which no further file is read."""

_PIECES = 3
"""Chunks per file."""

_KEPT = 1_000
"""Chunks that are cached until the query asks for their texts."""

_K1 = 1.2
_B = 0.75
"""The parameters of BM25, as in Tantivy."""


class _Piece(NamedTuple):
    number: int
    chunk: Chunk
    held: Counter[str]
    length: int


class Survey:
    """A fixed state of the surveyed files, for reading. Safe to use from several threads."""

    def __init__(self, state: Words, files: Mapping[str, SourceKind], root: Path, most: int) -> None:
        self._state = state
        self._kinds = files
        self._paths = list(files)
        self._numbers = {path: number for number, path in enumerate(self._paths)}
        self._root = root
        self._most = most
        self._lock = threading.Lock()
        self._cached: dict[int, Chunk] = {}

    @property
    def documents(self) -> int:
        """The number of files."""
        return self._state.documents

    def files(self) -> list[tuple[str, SourceKind, str]]:
        """Return (path, kind, language) of all files."""
        return [(path, kind, classify(path)[1]) for path, kind in self._kinds.items()]

    def ids_of_files(self, paths: Iterable[str]) -> list[int]:
        """Return an id for each surveyed file among the paths; `lexical` takes them as `only`."""
        return [self._numbers[path] << _CHUNK_BITS for path in paths if path in self._numbers]

    def frequency(self, word: str) -> int:
        """Return the number of files that hold a word."""
        return self._state.frequency(word, "whole")

    def rarities(self, words: Iterable[str]) -> dict[str, float]:
        """Return {word: inverse document frequency among the files}, as BM25 computes it."""
        return self._state.rarities(words, "whole")

    def whole_files(self, asked: Asked, limit: int, kind: SourceKind | None = None) -> list[tuple[str, float]]:
        """Return (path, BM25) of files, best first."""
        return [(self._paths[number], score) for number, score in self._state.search_files(asked, limit, kind)]

    def lexical(
        self,
        asked: Mapping[str, float],
        limit: int,
        kind: SourceKind | None,
        waiting: Callable[[Sequence[str]], Collection[str]],
        *,
        only: Only | None = None,
        every: Collection[str] = (),
    ) -> list[tuple[int, float]]:
        """Return (id, BM25 score) of chunks of the best files that are not cut yet, best first.

        `waiting` returns those of the given paths that are not cut yet. `only` restricts the files, by an id in each; a
        chunk must hold all words of `every`. The files are read now; unreadable ones are left out. The document
        frequencies are those of files and the mean length is that of the chunks read, so that the scores are nearly
        comparable to those of indexed chunks.
        """
        within = None if only is None else self._files_of(only)
        most = min(limit, _MAX_FILES)
        found = self._state.search_files(asked, most, kind, only=within)[:most] if within is None or within else []
        left = waiting([self._paths[number] for number, _ in found])
        numbers = [number for number, _ in found if self._paths[number] in left]
        pieces = [
            piece for piece in self._pieces(numbers, {*asked, *every}) if all(word in piece.held for word in every)
        ]
        if not pieces:
            return []
        mean = sum(piece.length for piece in pieces) / len(pieces)
        rarity = {word: asked.get(word, 1.0) * rarity for word, rarity in self.rarities({*asked, *every}).items()}
        scored = sorted(((_bm25(piece, rarity, mean), piece) for piece in pieces), key=lambda one: (-one[0], one[1][0]))
        taken: Counter[str] = Counter()
        best: dict[int, tuple[float, Chunk]] = {}
        for score, piece in scored:
            taken[piece.chunk.path] += 1
            if taken[piece.chunk.path] <= _PIECES:
                best[piece.number] = (score, piece.chunk)
        with self._lock:
            kept = self._cached if len(self._cached) < _KEPT else {}
            self._cached = {**kept, **{number: chunk for number, (_, chunk) in best.items()}}
        return [(number, score) for number, (score, _) in best.items()]

    def chunks(self, numbers: Sequence[int]) -> Mapping[int, Chunk]:
        """Return {id: chunk}. Chunks that are not cached from `lexical` are read, of as many files as a query reads."""
        cached = self._cached
        found = {number: cached[number] for number in numbers if number in cached}
        left = dict.fromkeys(self._file_of(number) for number in numbers if number not in found)
        wanted = set(numbers)
        found.update((number, chunk) for number, chunk in self._cut(list(left)[:_MAX_FILES]) if number in wanted)
        return found

    def _pieces(self, files: Iterable[int], asked: Collection[str]) -> Iterator[_Piece]:
        """Yield the chunks of files that hold any of the words."""
        for number, chunk in self._cut(files):
            own = split_words(f"{chunk.symbol} {chunk.text}").split()
            held = Counter(word for word in own if word in asked)
            if held:
                yield _Piece(number, chunk, held, len(own))

    def _cut(self, files: Iterable[int]) -> Iterator[tuple[int, Chunk]]:
        """Yield (id, chunk) of the current text of files, until _MOST_CHARACTERS are read."""
        characters = 0
        for file in files:
            path = self._paths[file]
            read = read_for_index(self._root, path, self._most)
            if isinstance(read, Text):
                chunks = chunk_by_lines(path, read.text)[: 1 << _CHUNK_BITS]
                yield from (((file << _CHUNK_BITS) + i, chunk) for i, chunk in enumerate(chunks))
                characters += len(read.text)
            if characters > _MAX_CHARACTERS:
                return

    def _files_of(self, only: Only) -> Only:
        if isinstance(only, Among):
            return only._replace(ids=tuple([sorted(set(map(self._file_of, ids))) for ids in only.ids]))
        return sorted(set(map(self._file_of, only)))

    @staticmethod
    def _file_of(number: int) -> int:
        return number >> _CHUNK_BITS


class UncutFiles:
    """A source of chunks for search: the surveyed files that are not indexed yet.

    `waiting` returns those of the given paths that are not cut yet. Such files have no vectors.
    """

    __slots__ = ("_survey", "_waiting")

    def __init__(self, survey: Survey, waiting: Callable[[Sequence[str]], Collection[str]]) -> None:
        self._survey = survey
        self._waiting = waiting

    def lexical(
        self,
        words: Asked,
        limit: int,
        kind: SourceKind | None = None,
        *,
        only: Only | None = None,
        every: Iterable[str] = (),
    ) -> list[tuple[int, float]]:
        """Return (chunk id, BM25 score), best first."""
        if kind == "memory":
            return []
        asked = words if isinstance(words, Mapping) else dict.fromkeys(words, 1.0)
        needed = list(dict.fromkeys(every))
        return self._survey.lexical(asked, limit, kind, self._waiting, only=only, every=needed)

    def dense(self, vector: np.ndarray, limit: int, kind: SourceKind | None = None) -> list[tuple[int, float]]:
        """Return nothing: these files have no vectors."""
        return []

    def cosines(self, vector: np.ndarray, ids: Sequence[int], limit: int | None = None) -> list[tuple[int, float]]:
        """Return nothing: these files have no vectors."""
        return []

    def nearest_encoded(self, vector: np.ndarray, limit: int) -> list[tuple[int, float]]:
        """Return nothing: files have no encodings."""
        return []

    def encoded_cosines(
        self, vector: np.ndarray, ids: Sequence[int], limit: int | None = None
    ) -> list[tuple[int, float]]:
        """Return nothing: files have no encodings."""
        return []

    def encodings(self, ids: Sequence[int]) -> dict[int, np.ndarray]:
        """Return nothing: files have no encodings."""
        return {}

    def token_states(self, ids: Sequence[int]) -> dict[int, bytes]:
        """Return nothing: files have no encodings."""
        return {}

    def chunks(self, ids: Sequence[int]) -> Mapping[int, Chunk]:
        """Return {id: chunk}, in the order of the ids."""
        found = self._survey.chunks(ids)
        return {number: found[number] for number in ids if number in found}

    def ids_of_files(self, paths: Sequence[str]) -> list[int]:
        """Return an id for each of the files that is not cut yet."""
        return self._survey.ids_of_files(sorted(self._waiting(paths)))

    def ids_of_memories(self, ids: Sequence[str]) -> list[int]:
        """Return nothing: memories are never surveyed."""
        return []

    def numbers_of_memories(self, ids: Sequence[str]) -> dict[str, int]:
        """Return nothing: memories are never surveyed."""
        return {}

    def memories_of_numbers(self, ids: Sequence[int]) -> dict[int, str]:
        """Return nothing: memories are never surveyed."""
        return {}


class SurveyBuilder:
    """Makes a survey in a folder of its own. `close` deletes the folder; surveys that were read stay readable."""

    def __init__(self, folder: Path, root: Path, most: int) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        self._folder = folder
        self._root = root
        self._most = most
        self._files: dict[str, SourceKind] = {}
        self._next = _FIRST_FILES
        self._lexical = Lexical(folder, _HEAP)

    def add(self, part: Iterable[FileWords]) -> bool:
        """Add files; return whether to read the survey now: after 1,000 files, 3,000, 9,000 and so on."""
        for one in part:
            self._lexical.add_file(len(self._files), one.kind, one.path, [split_words(one.path), one.words])
            self._files[one.path] = one.kind
        due = len(self._files) >= self._next
        if due:
            self._next *= 3
        return due

    def read(self) -> Survey:
        """Return a survey of the files so far. Raises StorageError."""
        self._lexical.commit()
        return Survey(self._lexical.read(), dict(self._files), self._root, self._most)

    def close(self) -> None:
        """Delete the survey's folder."""
        self._lexical.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def _bm25(piece: _Piece, rarity: Mapping[str, float], mean: float) -> float:
    spread = _K1 * (1 - _B + _B * piece.length / mean)
    return sum(rarity[word] * count * (_K1 + 1) / (count + spread) for word, count in sorted(piece.held.items()))
