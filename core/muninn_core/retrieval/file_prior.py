"""Which files memory says were relevant for questions like this one: what that is worth, and which memory says so.

A memory speaks for the files that it names or cites, by how well its question, title or text answers to the asked
words. It knows words and memories, not how the files themselves match.
"""

from __future__ import annotations

import math
import threading
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from muninn_core.retrieval import weights as w
from muninn_core.source.identifiers import words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from muninn_core.model.chunk import Chunk
    from muninn_core.model.memory import Memory


class FilePrior(NamedTuple):
    """What memory says of a file: 0..1, and the memory that says most of it."""

    value: float
    memory: Memory

    @property
    def note(self) -> str:
        """The memory, named."""
        return f"{self.memory.id} {self.memory.title}".rstrip()


class Files(Protocol):
    """The files of the index at one moment."""

    def first_chunks(self, paths: Sequence[str]) -> Mapping[str, Chunk]:
        """Return the first chunk of each of some files that are there, by path."""


def beyond(reader: Files, told: Mapping[str, FilePrior], known: Collection[str], kind: str | None) -> Iterator[Chunk]:
    """Yield the first chunk of each of the files that memory says most of, where they are not among the known ones."""
    ranked = sorted(told, key=lambda path: (-told[path].value, path))[: w.REMEMBERED_FOUND]
    wanted = [path for path in ranked if path not in known]
    found = reader.first_chunks(wanted) if wanted else {}
    yield from (found[path] for path in ranked if path in found and kind in (None, found[path].kind))


class _PriorSource(NamedTuple):
    """A memory and the files that it names."""

    memory: Memory
    files: tuple[str, ...]


class _PriorIndex:
    """Witnesses in rows, as arrays: thousands are compared in the time that a loop takes for fifty.

    A row is never used twice. `alive` says of each whether its memory is still there.
    """

    def __init__(self, memories: Iterable[Memory]) -> None:
        self.rows: list[_PriorSource] = []
        self.row_of: dict[str, int] = {}
        # An array can't grow while numpy looks at it: what is told of one must be a copy.
        self.by_word: dict[str, array[int]] = {}
        self.sizes = array("d")
        self.born = array("d")
        self.alive = array("b")
        for memory in memories:
            self.add(memory)

    def add(self, memory: Memory) -> None:
        """Add a memory if it is a witness: one that names files, and not so many that it is about none of them."""
        files = _files(memory)
        own = _words(memory) if 0 < len(files) <= w.REMEMBERED_FILES else ()
        if not own:
            return
        row = len(self.rows)
        self.rows.append(_PriorSource(memory, files))
        self.row_of[memory.id] = row
        self.sizes.append(len(own))
        self.born.append(_moment(memory.ts))
        self.alive.append(1)
        for word in own:
            self.by_word.setdefault(word, array("q")).append(row)

    def drop(self, identity: str) -> None:
        """Forget a memory's witness, if there is one."""
        row = self.row_of.pop(identity, None)
        if row is not None:
            self.alive[row] = 0

    @property
    def hollow(self) -> bool:
        """Whether most rows are of memories that are gone."""
        return len(self.rows) > 2 * len(self.row_of) + _SPARE

    def heard(self, asked: Sequence[str]) -> list[NDArray[np.int64]]:
        """Return the living rows of each asked word that some witness has."""
        alive = np.frombuffer(self.alive, bool)
        found = (np.frombuffer(self.by_word[word], np.int64) for word in asked if word in self.by_word)
        return [living for rows in found if len(living := rows[alive[rows]])]


_SPARE_BEST = 28
"""Witnesses that are put in order beyond those that are heard, in case that some may not be seen."""

_SPARE = 1_000
"""Dead rows that are not worth a new roll."""


class FilePriors:
    """The memories that speak for files, by their words; safe to use from several threads.

    `memories` returns all memories as they are; it is called at the first question. `take` keeps up with what changes.
    """

    def __init__(self, memories: Callable[[], Mapping[str, Memory]]) -> None:
        self._all = memories
        self._lock = threading.Lock()
        self._roll: _PriorIndex | None = None

    def update(self, changed: Mapping[str, Memory | None]) -> None:
        """Take in memories that changed; None is one that is gone. Nothing is done before the first question."""
        with self._lock:
            roll = self._roll
            if roll is None:
                return
            for identity, memory in changed.items():
                roll.drop(identity)
                if memory is not None:
                    roll.add(memory)
            if roll.hollow:
                self._roll = _PriorIndex(one.memory for row, one in enumerate(roll.rows) if roll.alive[row])

    def lookup(
        self, asked: Sequence[str], now: datetime, seen: Callable[[Memory], bool] = lambda _memory: True
    ) -> dict[str, FilePrior]:
        """Return what memories that may be `seen` say of files, by path. `asked` are a question's distinct words.

        A memory's value is the share of the question's words that it has, weighed by their rarity among memories, and
        the share of its own words that the question has; less for an old one. Several memories of a file add up as
        independent witnesses do: 1 - the product of what each leaves open.
        """
        with self._lock:
            if self._roll is None:
                self._roll = _PriorIndex(self._all().values())
            roll = self._roll
            rows, values = _compared(roll, roll.heard(asked), now)
        best: list[tuple[float, _PriorSource]] = []
        # Most of the best may be seen: so many more are put in order only where they may not.
        for value, one in _ordered(roll, rows, values):
            if seen(one.memory) and not _over(one.memory, now):
                best.append((value, one))
                if len(best) == w.REMEMBERED_WITNESSES:
                    break
        return _joined(best)


def _compared(
    roll: _PriorIndex, heard: Sequence[NDArray[np.int64]], now: datetime
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the rows that have any of the words, and their values."""
    if not heard:
        return np.zeros(0, np.int64), np.zeros(0)
    count = len(roll.row_of)
    rarity = [math.log(1 + (count - len(rows) + 0.5) / (len(rows) + 0.5)) for rows in heard]
    every = np.concatenate(heard)
    weights = np.repeat(rarity, [len(rows) for rows in heard])
    weighed = np.bincount(every, weights, len(roll.rows))
    shared = np.bincount(every, minlength=len(roll.rows))
    rows = np.flatnonzero(shared)
    own = shared[rows] / np.frombuffer(roll.sizes)[rows]
    alike = (1 - w.REMEMBERED_OWN) * weighed[rows] / sum(rarity) + w.REMEMBERED_OWN * own
    days = np.maximum(now.timestamp() - np.frombuffer(roll.born)[rows], 0.0) / 86_400
    # An age that nobody knows counts a half.
    return rows, alike * np.where(np.isnan(days), 0.5, 0.5 ** (days / w.REMEMBERED_DAYS))


def _ordered(
    roll: _PriorIndex, rows: NDArray[np.int64], values: NDArray[np.float64]
) -> Iterator[tuple[float, _PriorSource]]:
    """Yield witnesses with their values, greatest first, ties by id; all are put in order only when all are wanted."""
    wanted = w.REMEMBERED_WITNESSES + _SPARE_BEST
    start = 0
    while start < len(rows):
        least = -np.partition(-values, wanted - 1)[wanted - 1] if wanted < len(rows) else -1.0
        chosen = np.flatnonzero(values >= least)
        chosen = chosen[np.argsort(-values[chosen])]
        found = [
            (value, roll.rows[row]) for value, row in zip(values[chosen].tolist(), rows[chosen].tolist(), strict=True)
        ]
        if not np.all(np.diff(values[chosen])):  # equals: few memories are of one moment
            found = [one for _, equals in groupby(found, itemgetter(0)) for one in sorted(equals, key=_identity)]
        yield from found[start:]
        start, wanted = len(found), 8 * wanted


def _identity(one: tuple[float, _PriorSource]) -> str:
    return one[1].memory.id


def _files(memory: Memory) -> tuple[str, ...]:
    """Return the files that a memory speaks for."""
    return tuple(dict.fromkeys((*memory.files, *(cite.path for cite in memory.cites)))) if memory.witness else ()


def _words(memory: Memory) -> frozenset[str]:
    """Return what a memory is compared by: the words of its question, title or text."""
    query = memory.details.get("query")
    said = query if isinstance(query, str) and query else memory.title or memory.text
    return frozenset(words(said).split())


def _over(memory: Memory, now: datetime) -> bool:
    try:
        return bool(memory.expires) and datetime.fromisoformat(memory.expires or "") < now
    except (ValueError, TypeError):
        return False


def _moment(ts: str) -> float:
    """Return a time in seconds since 1970; not a number where it can't be read."""
    try:
        return datetime.fromisoformat(ts).timestamp()
    except (ValueError, TypeError):
        return math.nan


def _joined(values: Sequence[tuple[float, _PriorSource]]) -> dict[str, FilePrior]:
    """Return what witnesses, the best first, say of each file together."""
    left: dict[str, float] = {}
    first: dict[str, Memory] = {}
    for value, one in values:
        for path in one.files:
            left[path] = left.get(path, 1.0) * (1 - min(value, w.REMEMBERED_MOST))
            first.setdefault(path, one.memory)
    return {path: FilePrior(1 - open_, first[path]) for path, open_ in left.items()}
