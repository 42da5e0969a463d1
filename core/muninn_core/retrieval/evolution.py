"""What a repository's history says of its files: which of them change much, and which change together.

Who is at work in one file of a change will need the others, and files that changed together do so again: evolutionary
coupling (Zimmermann, Weissgerber, Diehl and Zeller, "Mining version histories to guide software changes", 2005). It
knows commits as lists of paths, not git.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

MOST_FILES = 12
"""A commit of more files is a sweep: it joins what has nothing to do with one another."""

HALF_LIFE_DAYS = 180.0
"""After how long a change says half as much of how lively a file is; counted back from the newest commit."""

MUCH = 20.0
"""So many changes of late are as many as count."""

DOUBT = 2.0
"""Commits that are added to those of a file: two changes in common of two are less than twenty of twenty."""

_KEPT = 16
"""Answers about files at hand that are kept: they stay the same from one question to the next."""


class Made(NamedTuple):
    """A commit: when it was made, in seconds since 1970, and the paths of its files."""

    time: float
    files: tuple[str, ...]


class Together(NamedTuple):
    """How much a file goes with one at hand, 0..1, and with which."""

    value: float
    file: str


class Evolution:
    """The newest commits of a history. It never changes; safe to use from several threads."""

    def __init__(self, commits: Iterable[Made] = ()) -> None:
        self.commits = tuple(commits)
        """The newest first."""
        self._told = [one.files if len(one.files) <= MOST_FILES else () for one in self.commits]
        self._of: dict[str, list[int]] = {}
        self._known: dict[frozenset[str], Mapping[str, Together]] = {}
        sums: dict[str, float] = {}
        newest = max((one.time for one in self.commits), default=0.0)
        for number, files in enumerate(self._told):
            weight = 0.5 ** ((newest - self.commits[number].time) / 86_400 / HALF_LIFE_DAYS)
            for path in files:
                self._of.setdefault(path, []).append(number)
                sums[path] = sums.get(path, 0.0) + weight
        self.churn: Mapping[str, float] = {
            path: round(min(1.0, math.log1p(value) / math.log1p(MUCH)), 6) for path, value in sums.items()
        }
        """How lively each file is, 0..1."""

    def together(self, files: Collection[str]) -> Mapping[str, Together]:
        """Return what has changed together with files at hand, by path: the most that any of them says.

        Of a file's commits it is the share that touched the other one, too.
        """
        asked = frozenset(files)
        if not asked or not self.commits:
            return {}
        known = self._known.get(asked)
        if known is None:
            known = self._together(asked)
            if len(self._known) >= _KEPT:
                self._known = {}
            self._known[asked] = known
        return known

    def _together(self, files: frozenset[str]) -> dict[str, Together]:
        best: dict[str, Together] = {}
        for file in sorted(files):
            numbers = self._of.get(file, ())
            counts = Counter(path for number in numbers for path in self._told[number])
            for path, count in counts.items():
                value = count / (len(numbers) + DOUBT)
                if path != file and (path not in best or value > best[path].value):
                    best[path] = Together(value, file)
        return best


UNKNOWN = Evolution()
"""Of a repository whose history nobody has read."""
