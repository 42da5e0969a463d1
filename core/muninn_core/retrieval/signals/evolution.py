"""Churn and evolutionary coupling from a repository's history.

Files that changed together tend to change together again (Zimmermann, Weissgerber, Diehl and Zeller, "Mining version
histories to guide software changes", 2005). The input is commits as lists of paths; this module does not run git.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

MAX_FILES = 12
"""Commits with more files are ignored: they couple unrelated files."""

HALF_LIFE_DAYS = 180.0
"""The age at which a change counts half in `churn`, relative to the newest commit."""

MUCH = 20.0
"""The number of recent changes at which `churn` reaches 1."""

DOUBT = 2.0
"""Added to a file's number of commits, so that 2 common changes of 2 count less than 20 of 20."""

_MAX_CACHED = 16
"""The most cached results of `together`. The files in focus rarely change between questions."""


class CommitFiles(NamedTuple):
    """A commit: when it was made, in seconds since 1970, and the paths of its files."""

    time: float
    files: tuple[str, ...]


class Together(NamedTuple):
    """The coupling of a file with `file`, 0..1."""

    value: float
    file: str


class Evolution:
    """Churn and coupling of the newest commits of a history. Safe to use from several threads."""

    def __init__(self, commits: Iterable[CommitFiles] = ()) -> None:
        self.commits = tuple(commits)
        """The commits, newest first."""
        self._files_of = [one.files if len(one.files) <= MAX_FILES else () for one in self.commits]
        self._commits_of: dict[str, list[int]] = {}
        self._known: dict[frozenset[str], Mapping[str, Together]] = {}
        sums: dict[str, float] = {}
        newest = max((one.time for one in self.commits), default=0.0)
        for number, files in enumerate(self._files_of):
            weight = 0.5 ** ((newest - self.commits[number].time) / 86_400 / HALF_LIFE_DAYS)
            for path in files:
                self._commits_of.setdefault(path, []).append(number)
                sums[path] = sums.get(path, 0.0) + weight
        self.churn: Mapping[str, float] = {
            path: round(min(1.0, math.log1p(value) / math.log1p(MUCH)), 6) for path, value in sums.items()
        }
        """How much each file changed recently, by path, 0..1."""

    def together(self, files: Collection[str]) -> Mapping[str, Together]:
        """Return {path: strongest coupling} of the files that changed together with any of `files`.

        The coupling is the share of a given file's commits that also touched the other file.
        """
        asked = frozenset(files)
        if not asked or not self.commits:
            return {}
        known = self._known.get(asked)
        if known is None:
            known = self._together(asked)
            if len(self._known) >= _MAX_CACHED:
                self._known = {}
            self._known[asked] = known
        return known

    def changed_with(self, file: str) -> list[tuple[str, int, int]]:
        """Return the files that changed with `file` more than once, most often first.

        Each is (path, commits that changed both, commits that changed `file`).
        """
        numbers = self._commits_of.get(file, ())
        counts = Counter(path for number in numbers for path in self._files_of[number] if path != file)
        found = [(path, count, len(numbers)) for path, count in counts.items() if count > 1]
        return sorted(found, key=lambda each: (-each[1], each[0]))

    def _together(self, files: frozenset[str]) -> dict[str, Together]:
        best: dict[str, Together] = {}
        for file in sorted(files):
            numbers = self._commits_of.get(file, ())
            counts = Counter(path for number in numbers for path in self._files_of[number])
            for path, count in counts.items():
                value = count / (len(numbers) + DOUBT)
                if path != file and (path not in best or value > best[path].value):
                    best[path] = Together(value, file)
        return best


UNKNOWN = Evolution()
"""An empty history."""
