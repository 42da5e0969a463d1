"""Follows a file through renames, commit by commit, along the first parents of one commit."""

from __future__ import annotations

from bisect import bisect_left
from pathlib import Path

from muninn_core.git.batch import CommitTime, ObjectReader
from muninn_core.git.run import run

_MAX_RENAMES = 8
"""The number of renames that a file is followed through."""

_SLACK_SECONDS = 86_400
"""How far before a commit's time the first-parent history is read, because clocks differ."""


class RenameTrail:
    """Follows files to `head` along its first-parent history, which is read as far back as queries need.

    A merge counts as one commit with all its changes. Threads may share an instance: duplicate work gives equal
    results. Every method may raise GitError.
    """

    def __init__(self, root: Path, objects: ObjectReader, head: CommitTime) -> None:
        self._root = root
        self._objects = objects
        self._head = head
        self._since: int | None = None
        self._commits: list[tuple[str, int]] = []
        self._positions: dict[str, int] = {}
        self._known_deletions: tuple[int | None, dict[str, str]] = (None, {})
        self._known_files: dict[tuple[int, str], bool] = {}
        self._known_renames: dict[str, dict[str, str]] = {}

    def follow(self, made: CommitTime, path: str, *, replaced: bool = False) -> str | None:
        """Return the path at `head` of a file that `made` contains under a path since gone; None when it was deleted.

        With `replaced`, the path was deleted and belongs to another file at `head`; None when it was not deleted.

        Each rename is one that git detects in a single commit, so a file is found even if little of its first content
        is left.
        """
        commits, place = self._commits_since(made.seconds - _SLACK_SECONDS)
        at = place.get(made.sha)
        if at is None:  # merged later: take the first-parent commit of its time
            at = bisect_left(commits, -made.seconds, key=lambda one: -one[1])
        for _ in range(_MAX_RENAMES):
            sha = self._first_deletion(made, path) if replaced else self._deleting_commit(path, at)
            replaced = False
            now = self._renamed_by(sha).get(path) if sha else None
            if now is None or self._has_file(0, now):
                return now
            path, at = now, place.get(sha, len(commits) - 1)
        return None

    def _deleting_commit(self, path: str, at: int) -> str:
        """Return a commit after position `at` that deleted a path, "" when there is none. Binary search."""
        commits = self._commits
        if not (at < len(commits) and self._has_file(at, path)):
            return self._deletions().get(path, "")
        absent_at = 0
        while at - absent_at > 1:
            middle = at - 1
            while middle & (middle - 1) > absent_at:  # a multiple of a power of two, so searches share cached answers
                middle &= middle - 1
            if self._has_file(middle, path):
                at = middle
            else:
                absent_at = middle
        return commits[absent_at][0]

    def _first_deletion(self, made: CommitTime, path: str) -> str:
        """Return the oldest commit after `made` that deleted a path, "" for none."""
        options = ("--first-parent", "--no-renames", "--diff-filter=D", "--format=%H", f"{made.sha}..{self._head.sha}")
        found = run(str(self._root), "log", *options, "--", f":(literal){path}").split()
        return found[-1] if found else ""

    def _deletions(self) -> dict[str, str]:
        """Return {path: newest commit that deleted it} for the whole history read so far.

        Binary search needs a file that exists at the start; this covers files that came and went in between.
        """
        known, found = self._known_deletions
        if known != self._since:
            options = ("--first-parent", "--no-renames", "--diff-filter=D", "--name-only", "-z", "--format=%x01%H")
            out = run(str(self._root), "log", *options, f"--since={self._since}", self._head.sha, "--")
            found = {}
            for entry in out.split("\x01")[1:]:
                sha, *names = (field.strip("\n") for field in entry.split("\0"))
                for name in filter(None, names):
                    found.setdefault(name, sha)
            self._known_deletions = (self._since, found)
        return found

    def _has_file(self, at: int, path: str) -> bool:
        if (at, path) not in self._known_files:
            self._known_files[at, path] = self._objects.has_file(self._commits[at][0], path)
        return self._known_files[at, path]

    def _renamed_by(self, sha: str) -> dict[str, str]:
        if sha not in self._known_renames:
            before = self._objects.resolve_commit(f"{sha}^1")
            self._known_renames[sha] = self._objects.renamed_files(before.sha, sha) if before else {}
        return self._known_renames[sha]

    def _commits_since(self, since: int) -> tuple[list[tuple[str, int]], dict[str, int]]:
        """Return the first-parent commits back to a time or earlier: (id, time), newest first, and {id: position}.

        Each extension at least doubles the time covered, so many queries need few walks.
        """
        if self._since is None or since < self._since:
            long = self._head.seconds - (self._since or self._head.seconds)
            since = max(0, min(since, self._head.seconds - 2 * long))
            out = run(
                str(self._root), "rev-list", "--first-parent", "--timestamp", f"--since={since}", self._head.sha, "--"
            )
            self._commits = [(sha, int(time)) for time, sha in (line.split() for line in out.splitlines())]
            self._positions = {sha: at for at, (sha, _) in enumerate(self._commits)}
            self._since = since
        return self._commits, self._positions
