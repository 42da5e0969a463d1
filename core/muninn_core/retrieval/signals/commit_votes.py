"""Which files earlier commits with similar titles changed.

Each commit is compared with a question by the words of its title. The best commits vote for the files that they
changed. The input is titles and lists of paths; this module does not run git.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from muninn_core.retrieval.query.query_terms import significant_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from muninn_core.index.file_list import FileList

VOTERS = 30
"""The most commits that vote."""

MAX_FILES = 20
"""Commits with more files are ignored: their titles describe none of them."""

SHARPNESS = 3
"""The power of a commit's score that counts. Files of nearly equal titles come before those of many distant ones."""

LENGTH = 3.0
"""Added to the number of a title's words, so that titles of one word do not win."""


class CommitTitle(NamedTuple):
    """A commit: its id, its time (RFC 3339 in UTC), its title, and the paths of its files."""

    sha: str
    time: str
    title: str
    files: tuple[str, ...]


class FileVote(NamedTuple):
    """The votes for a file relative to the file with the most, 0..1, and the commit that contributes most."""

    value: float
    commit: CommitTitle

    @property
    def note(self) -> str:
        """The short id and the title of the commit."""
        return f"{self.commit.sha[:8]} {self.commit.title}"


class CommitVotes:
    """The titles of a history as postings of their words. It never changes.

    Votes do not depend on the order of the commits.
    """

    def __init__(self, commits: Iterable[CommitTitle] = (), before: CommitVotes | None = None) -> None:
        """Take commits in addition to those of `before`."""
        self._commits: list[CommitTitle] = [*before._commits] if before is not None else []
        self._rows: dict[str, array[int]] = dict(before._rows) if before is not None else {}
        self._sizes: array[float] = array("d", before._sizes if before is not None else ())
        fresh: dict[str, array[int]] = {}
        for commit in commits:
            if 0 < len(commit.files) <= MAX_FILES:
                words = significant_words(commit.title)
                for word in words:
                    fresh.setdefault(word, array("i")).append(len(self._commits))
                self._commits.append(commit)
                self._sizes.append(len(words))
        for word, rows in fresh.items():
            self._rows[word] = self._rows[word] + rows if word in self._rows else rows

    @property
    def commits(self) -> Sequence[CommitTitle]:
        """The commits that may vote."""
        return self._commits

    @cached_property
    def ids(self) -> Set[str]:
        """The ids of the commits that may vote."""
        return frozenset([commit.sha for commit in self._commits])

    @cached_property
    def _roots(self) -> NDArray[np.float64]:
        """What divides the score of each commit."""
        return np.sqrt(np.array(self._sizes) + LENGTH)

    def lookup(self, words: Sequence[str], files: Callable[[], FileList]) -> Mapping[str, FileVote]:
        """Return {path: vote} of those files of code that have one, from the distinct words of a question.

        A commit's score is the sum of the inverse document frequencies of the shared words, divided by the square root
        of its title's length plus `LENGTH`. Each of its files gets the score to the power `SHARPNESS`, divided by the
        square root of their number. A file that is in another folder now is found by the end of its path.
        """
        best = self._best(words)
        if not best:
            return {}
        sums: dict[str, float] = {}
        first: dict[str, CommitTitle] = {}
        listed = files()
        present = listed.present_code
        for score, row in best:
            commit = self._commits[row]
            share = score**SHARPNESS / math.sqrt(len(commit.files))
            for given in commit.files:
                path = present[given]
                if path is None:
                    continue
                sums[path] = sums.get(path, 0.0) + share
                first.setdefault(path, commit)
        most = max(sums.values(), default=1.0)
        return {path: tuple.__new__(FileVote, (value / most, first[path])) for path, value in sums.items()}

    def _best(self, words: Sequence[str]) -> list[tuple[float, int]]:
        """Return (score, row) of the `VOTERS` best commits, best first, the newer of equal ones first."""
        found = [np.frombuffer(self._rows[word], np.int32) for word in words if word in self._rows]
        if not found:
            return []
        count = len(self._commits)
        rarity = [math.log(1 + (count - len(rows) + 0.5) / (len(rows) + 0.5)) for rows in found]
        weights = np.repeat(rarity, [len(rows) for rows in found])
        weighed = np.bincount(np.concatenate(found), weights, count)
        touched = weighed.nonzero()[0]
        scores = weighed[touched] / self._roots[touched]
        if len(scores) > VOTERS:
            best_ones = scores >= np.partition(scores, -VOTERS)[-VOTERS]
            touched, scores = touched[best_ones], scores[best_ones]
        commits = self._commits
        best = [
            (score, commits[row].time, commits[row].sha, row)
            for score, row in zip(scores.tolist(), touched.tolist(), strict=True)
        ]
        best.sort(reverse=True)
        return [(score, row) for score, _, _, row in best[:VOTERS]]


NO_VOTES = CommitVotes()
"""An empty history."""
