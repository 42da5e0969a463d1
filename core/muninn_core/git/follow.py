"""Under which names files went on, commit by commit, along the first parents of one commit."""

from __future__ import annotations

from bisect import bisect_left
from pathlib import Path

from muninn_core.git.batch import FileChanges, Objects
from muninn_core.git.run import run

_MOST_RENAMES = 8
"""How many names a file is followed through."""

_SLACK_SECONDS = 86_400
"""How much earlier than a commit the way is known: clocks differ."""


class RenameTrail:
    """The way to `head`, as far back as was asked for. Threads may share it: what is found twice is the same.

    A merge counts as all that it brought. Every method may raise GitError.
    """

    def __init__(self, root: Path, objects: Objects, head: FileChanges) -> None:
        self._root = root
        self._objects = objects
        self._head = head
        self._since: int | None = None
        self._way: list[tuple[str, int]] = []
        self._place: dict[str, int] = {}
        self._taken: tuple[int | None, dict[str, str]] = (None, {})
        self._holds: dict[tuple[int, str], bool] = {}
        self._renamed: dict[str, dict[str, str]] = {}

    def follow(self, made: FileChanges, path: str) -> str | None:
        """Return the new name at `head` of a commit's file that has lost its old one, None when it has none.

        Every single rename is one that git sees in its commit, so that a file is found that has little in common with
        what it once was.
        """
        way, place = self._back_to(made.seconds - _SLACK_SECONDS)
        at = place.get(made.sha)
        if at is None:  # it came by a merge: what was there before it was made still was when it was merged, mostly
            at = bisect_left(way, -made.seconds, key=lambda one: -one[1])
        for _ in range(_MOST_RENAMES):
            sha = self._removal(path, at)
            now = self._renames(sha).get(path) if sha else None
            if now is None or self._there(0, now):
                return now
            path, at = now, place.get(sha, len(way) - 1)
        return None

    def _removal(self, path: str, at: int) -> str:
        """Return a commit that took a name away after the one `at` a place of the way, "" when none did."""
        way = self._way
        if not (at < len(way) and self._there(at, path)):
            return self._removals().get(path, "")
        without = 0
        while at - without > 1:
            middle = at - 1
            while middle & (middle - 1) > without:  # of all in between the one that other searches ask for, too
                middle &= middle - 1
            if self._there(middle, path):
                at = middle
            else:
                without = middle
        return way[without][0]

    def _removals(self) -> dict[str, str]:
        """Return which of the way's commits took each name away, the last one of several.

        That is looked through as a whole where a search does not help: for files that came and went meanwhile.
        """
        known, found = self._taken
        if known != self._since:
            how = ("--first-parent", "--no-renames", "--diff-filter=D", "--name-only", "-z", "--format=%x01%H")
            out = run(str(self._root), "log", *how, f"--since={self._since}", self._head.sha, "--")
            found = {}
            for entry in out.split("\x01")[1:]:
                sha, *names = (field.strip("\n") for field in entry.split("\0"))
                for name in filter(None, names):
                    found.setdefault(name, sha)
            self._taken = (self._since, found)
        return found

    def _there(self, at: int, path: str) -> bool:
        if (at, path) not in self._holds:
            self._holds[at, path] = self._objects.holds(self._way[at][0], path)
        return self._holds[at, path]

    def _renames(self, sha: str) -> dict[str, str]:
        if sha not in self._renamed:
            before = self._objects.commit(f"{sha}^1")
            self._renamed[sha] = self._objects.renamed(before.sha, sha) if before else {}
        return self._renamed[sha]

    def _back_to(self, since: int) -> tuple[list[tuple[str, int]], dict[str, int]]:
        """Return the way back to a time or further: (id, time) of its commits, the newest first, and their places.

        Who asks for more of it gets twice as much, so that many commits take few walks.
        """
        if self._since is None or since < self._since:
            long = self._head.seconds - (self._since or self._head.seconds)
            since = max(0, min(since, self._head.seconds - 2 * long))
            out = run(
                str(self._root), "rev-list", "--first-parent", "--timestamp", f"--since={since}", self._head.sha, "--"
            )
            self._way = [(sha, int(time)) for time, sha in (line.split() for line in out.splitlines())]
            self._place = {sha: at for at, (sha, _) in enumerate(self._way)}
            self._since = since
        return self._way, self._place
