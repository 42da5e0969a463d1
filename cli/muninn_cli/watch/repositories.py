"""The repositories that `muninn watch` follows, and the queue of what they deliver."""

from __future__ import annotations

import queue
from collections.abc import Mapping, Sequence
from pathlib import PurePath

from muninn_cli.watch.follower import Follower, Update, running

SCAN_SECONDS = 2.0
"""How often `--all` looks for daemons that began or ended."""


class WatchedRepositories:
    """The followed repositories: fixed ones, or with none all whose daemons run. `updates` has what they deliver."""

    def __init__(self, fixed: Sequence[str], environ: Mapping[str, str]) -> None:
        self.updates: queue.SimpleQueue[Update] = queue.SimpleQueue()
        self.environ = environ
        self._fixed = tuple(fixed)
        self._followers: dict[str, Follower] = {}

    @property
    def roots(self) -> tuple[str, ...]:
        """The followed repositories."""
        return tuple(self._followers)

    def scan(self) -> None:
        """Follow repositories that are new, and drop those whose daemon has ended."""
        wanted = self._fixed or tuple(running(self.environ))
        for root in wanted:
            if root not in self._followers:
                starts = root in self._fixed
                self._followers[root] = follower = Follower(root, self.environ, self.updates.put, starts=starts)
                follower.start()
        for root in set(self._followers) - set(wanted):
            self._followers.pop(root).stop()
            self.updates.put(Update(root, "state", "gone"))

    def label(self, root: str) -> str:
        """Return the name of a repository before its events, "" for the only one that was named."""
        return "" if len(self._fixed) == 1 else f"{PurePath(root).name}  "
