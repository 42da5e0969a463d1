"""How likely memory makes a file the answer to a question.

A memory contributes to the files that it names or cites, by how well its title or text, or one of the questions that
it answers, matches the words of the question.
"""

from __future__ import annotations

import math
import threading
from array import array
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence, Set
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from muninn_core.retrieval import weights as w
from muninn_core.source.files.qualified import qualified
from muninn_core.source.identifiers import split_words
from muninn_core.store.folding.lazy_mapping import each_value, getter

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from muninn_core.model.memory import Memory
    from muninn_core.retrieval.results.ranking import Candidate
    from muninn_core.retrieval.signals.commit_votes import FileVote


class FilePrior(NamedTuple):
    """How likely memory makes a file, 0..1, and the id of the memory that contributes most, which is in `memories`."""

    value: float
    identity: str
    memories: Mapping[str, Memory]

    @property
    def note(self) -> str:
        """The id and the title of the memory."""
        memory = self.memories.get(self.identity)
        return f"{self.identity} {memory.title}".rstrip() if memory is not None else self.identity


def likely_files(priors: Mapping[str, FilePrior] | Mapping[str, FileVote], known: Collection[str]) -> list[str]:
    """Return those of the files with the highest priors that are not among the known ones."""
    best = sorted([(-prior.value, path) for path, prior in priors.items()])[: w.REMEMBERED_MOST_FOUND]
    return [path for _, path in best if path not in known]


def with_matching(
    priors: Mapping[str, FilePrior], ranked: Iterable[Candidate], memories: Mapping[str, Memory]
) -> Mapping[str, FilePrior]:
    """Return the priors, raised for the files of ranked memories whose tokens match those of the question.

    This finds a file by a question in other words than those of the memory and the code. Memories from commits are left
    out: a title of a commit is near to many questions. Paths of another repository name it, as those of its chunks do.
    """
    raised: dict[str, FilePrior] = {}
    for candidate in ranked:
        memory, match = candidate.memory, candidate.interaction
        if memory is None or match is None or match <= w.REMEMBERED_FROM or _commit(memory) is not None:
            continue
        files = _files(memory)
        value = min(w.MOST_REMEMBERED, (match - w.REMEMBERED_FROM) / w.REMEMBERED_SPAN)
        repository = memory.repository.replace("/", ":")
        for file in files if len(files) <= w.REMEMBERED_MOST_FILES else ():
            path = qualified(repository, file)
            known = raised.get(path) or priors.get(path)
            if known is None or known.value < value:
                raised[path] = FilePrior(value, memory.id, memories)
    return {**priors, **raised} if raised else priors


_Memories = Mapping[str, "Memory"]


class _PriorIndex:
    """The phrases of memories as rows of arrays, so that numpy compares thousands at once.

    Rows are never reused. `alive` is 1 for the rows whose memory still exists, `lasting` for those whose memory is of
    the scope `project` and does not expire. Rows have ids, not memories: a memory that is replaced by an equal one does
    not stay in use.
    """

    def __init__(self, memories: Iterable[Memory]) -> None:
        self.ids: list[str] = []
        self.files: list[tuple[str, ...]] = []
        self.commits: list[str | None] = []
        self.rows_of: dict[str, range] = {}
        self.living = 0
        # An array cannot grow while a numpy view of it exists, so callers get copies.
        self.by_word: dict[str, array[int]] = {}
        self.sizes = array("d")
        self.weights_of_time = array("d")
        self.alive = array("b")
        self.lasting = array("b")
        self._counted: Container[str] = ()
        self._uncounted = array("b")
        for memory in memories:
            self.add(memory)

    def add(self, memory: Memory) -> None:
        """Add a memory if it names files, at most `REMEMBERED_MOST_FILES`."""
        files = _files(memory)
        phrases = _phrases(memory) if 0 < len(files) <= w.REMEMBERED_MOST_FILES else []
        if not phrases:
            return
        first = len(self.ids)
        shared = memory.files if files == memory.files else files
        commit, lasting = _commit(memory), memory.scope == "project" and not memory.expires
        weight = _weight_of_time(_moment(memory.ts))
        for row, own in enumerate(phrases, first):
            self.ids.append(memory.id)
            self.files.append(shared)
            self.commits.append(commit)
            self.sizes.append(len(own))
            self.weights_of_time.append(weight)
            self.alive.append(1)
            self.lasting.append(lasting)
            for word in own:
                rows = self.by_word.get(word)
                if rows is None:
                    self.by_word[word] = array("i", (row,))
                else:
                    rows.append(row)
        self.rows_of[memory.id] = range(first, len(self.ids))
        self.living += len(phrases)

    def drop(self, identity: str) -> None:
        """Drop the rows of a memory, if it has some."""
        rows = self.rows_of.pop(identity, range(0))
        for row in rows:
            self.alive[row] = 0
        self.living -= len(rows)

    def uncounted(self, counted: Container[str]) -> NDArray[np.bool_]:
        """Return for each row whether its memory is not made from one of the `counted` commits."""
        if counted is not self._counted:
            self._counted, self._uncounted = counted, array("b")
        fresh = self.commits[len(self._uncounted) :]
        self._uncounted.extend([commit not in counted for commit in fresh])
        return np.frombuffer(bytes(self._uncounted), bool)

    @property
    def needs_compaction(self) -> bool:
        """Whether most rows belong to memories that are gone."""
        return len(self.ids) > 2 * self.living + _SPARE

    def rows_with(self, asked: Sequence[str], counted: Container[str]) -> list[NDArray[np.int32]]:
        """Return, for each word that any memory has, the rows that have it, are alive and not `counted`."""
        alive = np.frombuffer(self.alive, bool)
        if counted:
            alive = alive & self.uncounted(counted)
        found = (np.frombuffer(self.by_word[word], np.int32) for word in asked if word in self.by_word)
        return [living for rows in found if len(living := rows[alive[rows]])]


_SPARE_BEST = 28
"""Rows that are sorted beyond the wanted ones, since the caller may not see some."""

_ERA = 1_750_000_000
"""The time of weight 1, in seconds since 1970."""

_SPARE = 1_000
"""The number of dead rows that is not worth a new index."""


class FilePriors:
    """The file priors of all memories. Safe to use from several threads.

    `memories` returns all memories; `update` applies changes after the first lookup.
    """

    def __init__(self, memories: Callable[[], _Memories]) -> None:
        self._all = memories
        self._lock = threading.Lock()
        self._index: _PriorIndex | None = None

    def update(self, changed: Mapping[str, Memory | None]) -> None:
        """Apply changed memories; None is a removed one. Does nothing before the first lookup."""
        with self._lock:
            index = self._index
            if index is None:
                return
            for identity, memory in changed.items():
                index.drop(identity)
                if memory is not None:
                    index.add(memory)
            if index.needs_compaction:
                self._index = None

    def lookup(
        self,
        asked: Sequence[str],
        now: datetime,
        seen: Callable[[Memory], bool] = lambda _memory: True,
        counted: Set[str] = frozenset(),
        *,
        project: bool = False,
    ) -> dict[str, FilePrior]:
        """Return {path: prior} from the memories that may be `seen`. `asked` are a question's distinct words.

        Memories made from the `counted` commits are left out, since these commits vote by their titles. With `project`
        all memories of that scope may be seen, and `seen` is not called for them.

        The value of a memory is that of its best phrase: the mean of the share of the question's words that the phrase
        has, weighted by their rarity among phrases, and of the share of its own words that the question has. It halves
        every `REMEMBERED_DAYS`. Several memories of a file combine as independent evidence: 1 - the product of
        (1 - value).
        """
        with self._lock:
            memories = self._all()
            if self._index is None:
                self._index = _PriorIndex(each_value(memories))
            index = self._index
            rows, values = _compared(index, index.rows_with(asked, counted), now)
        best: list[tuple[float, str, tuple[str, ...]]] = []
        taken: set[str] = set()
        # Most of the best rows may be seen, so few more are sorted.
        memory_of = getter(memories)
        for part in _ordered(index, rows, values):
            for value, row in part:
                identity = index.ids[row]
                if identity in taken:  # by another phrase, which matches better
                    continue
                if project and index.lasting[row]:  # the memory itself, which may have to be created, is not needed
                    if identity not in memories:
                        continue
                else:
                    memory = memory_of(identity)
                    if memory is None or not ((project and memory.scope == "project") or seen(memory)):
                        continue
                    if memory.expires and _is_expired(memory, now):
                        continue
                taken.add(identity)
                best.append((value, identity, index.files[row]))
                if len(best) == w.REMEMBERED_MOST_MEMORIES:
                    return _joined(best, memories)
        return _joined(best, memories)


def _compared(
    index: _PriorIndex, matching: Sequence[NDArray[np.int32]], now: datetime
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the rows that have any of the words, and their values."""
    if not matching:
        return np.zeros(0, np.int64), np.zeros(0)
    count = index.living
    rarity = [math.log(1 + (count - len(rows) + 0.5) / (len(rows) + 0.5)) for rows in matching]
    every = np.concatenate(matching)
    weights = np.repeat(rarity, [len(rows) for rows in matching])
    weighed = np.bincount(every, weights, len(index.ids))
    shared = np.bincount(every, minlength=len(index.ids))
    rows = np.flatnonzero(shared > 0)  # of booleans, an eighth of the time
    own = shared[rows] / np.frombuffer(index.sizes)[rows]
    alike = (1 - w.REMEMBERED_TEXT_SHARE) * weighed[rows] / sum(rarity) + w.REMEMBERED_TEXT_SHARE * own
    fresh = np.minimum(np.frombuffer(index.weights_of_time)[rows] / _weight_of_time(now.timestamp()), 1.0)
    # A memory without a readable time counts half.
    return rows, alike * np.where(np.isnan(fresh), 0.5, fresh)


def _ordered(
    index: _PriorIndex, rows: NDArray[np.int64], values: NDArray[np.float64]
) -> Iterator[list[tuple[float, int]]]:
    """Yield lists of values with their rows, greatest first, ties by id. The lists grow, and are made on demand."""
    wanted = w.REMEMBERED_MOST_MEMORIES + _SPARE_BEST
    start = 0
    while start < len(rows):
        least = np.partition(values, -wanted)[-wanted] if wanted < len(rows) else -1.0
        chosen = np.flatnonzero(values >= least)
        chosen = chosen[np.argsort(-values[chosen])]
        found = list(zip(values[chosen].tolist(), rows[chosen].tolist(), strict=True))
        if not np.all(np.diff(values[chosen])):  # ties are rare: few memories have the same time
            ranked = sorted([(-value, index.ids[row], row) for value, row in found])
            found = [(-value, row) for value, _, row in ranked]
        yield found[start:]
        start, wanted = len(found), 8 * wanted


def _files(memory: Memory) -> tuple[str, ...]:
    """Return the files that a memory contributes to."""
    return tuple(dict.fromkeys((*memory.files, *(cite.path for cite in memory.cites)))) if memory.witness else ()


def _phrases(memory: Memory) -> list[frozenset[str]]:
    """Return the words of each phrase that a memory is matched by.

    They are the question that it was made for, else its title, else its text; and the questions that it answers.
    """
    query = memory.details.get("query")
    source = query if isinstance(query, str) and query else memory.title or memory.text
    found = [frozenset(split_words(each).split()) for each in (source, *memory.questions)]
    return [words for words in found if words]


def _commit(memory: Memory) -> str | None:
    """Return the commit that a memory was made from."""
    commit = memory.details.get("commit")
    return None if commit is None else str(commit)


def _is_expired(memory: Memory, now: datetime) -> bool:
    try:
        return bool(memory.expires) and datetime.fromisoformat(memory.expires or "") < now
    except (ValueError, TypeError):
        return False


def _moment(ts: str) -> float:
    """Return a time in seconds since 1970; NaN for an unreadable time."""
    try:
        return datetime.fromisoformat(ts).timestamp()
    except (ValueError, TypeError):
        return math.nan


def _weight_of_time(seconds: float) -> float:
    """Return the weight of a time, in seconds since 1970. It doubles every `REMEMBERED_DAYS`; NaN has none.

    The ratio of two weights is how much a memory has faded in between: a division instead of a power for each row.
    """
    return float(2.0 ** min((seconds - _ERA) / 86_400 / w.REMEMBERED_DAYS, 1_000.0))


def _joined(values: Sequence[tuple[float, str, tuple[str, ...]]], memories: _Memories) -> dict[str, FilePrior]:
    """Return {path: prior} of the ids of memories with their values and files, the best first."""
    left: dict[str, float] = {}
    first: dict[str, str] = {}
    for value, identity, files in values:
        for path in files:
            left[path] = left.get(path, 1.0) * (1 - min(value, w.MOST_REMEMBERED))
            first.setdefault(path, identity)
    return {path: tuple.__new__(FilePrior, (1 - open_, first[path], memories)) for path, open_ in left.items()}
