"""How a work tree's files changed in git's history, read in the background and updated with HEAD.

After a commit the update takes some milliseconds, and a question waits for it. The first reading of some thousand
commits can take longer; until it ends, questions are ranked without it. Nothing is stored: git reads 8,000 commits in
a fraction of a second.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import islice
from pathlib import Path

from muninn_core import git
from muninn_core.git import log as history
from muninn_core.launch.repository_location import RepositoryLocation
from muninn_core.retrieval.signals.commit_votes import NO_VOTES, CommitTitle, CommitVotes
from muninn_core.retrieval.signals.evolution import CommitFiles, Evolution

MAX_COUPLING_COMMITS = 2_000
"""How many commits couple files; more change nothing (decision 029)."""

MAX_COMMITS = 8_000
"""How many commits are read, and vote for files by their titles (decision 044)."""

WAIT_SECONDS = 0.25
"""How long a question waits for new commits to be read."""

log = logging.getLogger("muninn.evolution")


class EvolutionLoader:
    """Opened once per work tree. Safe to use from several threads. `head` returns HEAD's commit."""

    def __init__(self, location: RepositoryLocation, head: Callable[[], str | None]) -> None:
        self._location = location
        self._head = head
        self._lock = threading.Lock()
        self._reading = threading.Lock()
        self._reader: threading.Thread | None = None
        self._closed = False
        self._at: str | None = None
        self._evolution = Evolution()
        self._votes = NO_VOTES
        self._titles: tuple[CommitTitle, ...] = ()

    def current(self) -> Evolution:
        """Return the evolution up to HEAD, or the last one when reading takes longer than `WAIT_SECONDS`."""
        self._wait()
        return self._evolution

    def votes(self) -> CommitVotes:
        """Return the titles of the commits up to HEAD, or the last ones, as `current` does."""
        self._wait()
        return self._votes

    def _wait(self) -> None:
        head = self._head() if self._location.git_dir else None
        if head == self._at or self._closed:
            return
        with self._lock:
            if self._reader is None or not self._reader.is_alive():
                self._reader = threading.Thread(target=self.follow, name="evolution", daemon=True)
                self._reader.start()
            reader = self._reader
        reader.join(WAIT_SECONDS)

    def follow(self) -> None:
        """Read new commits; return when the evolution is that of HEAD. Unchanged where git fails."""
        with self._reading:
            head = self._head() if self._location.git_dir else None
            if head == self._at or self._closed:
                return
            try:
                self._read(head)
            except git.GitError as error:
                log.warning("the history can't be read: %s", error)
            self._at = head  # last: who sees the commit has what it says

    def close(self) -> None:
        """Stop reading and wait for the reader to end."""
        self._closed = True
        with self._reading:
            pass

    def _read(self, head: str | None) -> None:
        if head is None:
            self._evolution, self._votes, self._titles = Evolution(), NO_VOTES, ()
            return
        root, before = Path(self._location.root), self._at
        follows = before is not None and git.is_ancestor(root, before, head)
        known = self._evolution.commits if follows else ()
        fresh = []
        for one in history.read_log(
            root, history.CommitRange(tip=head, base=before if follows else None, limit=MAX_COMMITS)
        ):
            if self._closed:
                return
            fresh.append(one)
        times = (
            CommitFiles(datetime.fromisoformat(one.time).timestamp(), one.files) for one in fresh[:MAX_COUPLING_COMMITS]
        )
        self._evolution = Evolution(islice((*times, *known), MAX_COUPLING_COMMITS))
        self._vote([CommitTitle(one.sha, one.time, one.subject, one.files) for one in reversed(fresh)], follows)

    def _vote(self, titles: Sequence[CommitTitle], follows: bool) -> None:
        """Add the titles of new commits, oldest first. With more than `MAX_COMMITS`, only the newest vote."""
        known = self._titles if follows else ()
        self._titles = (*known, *titles)[-MAX_COMMITS:]
        more = len(self._titles) == len(known) + len(titles)
        self._votes = CommitVotes(titles, self._votes) if follows and more else CommitVotes(self._titles)
