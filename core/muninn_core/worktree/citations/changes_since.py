"""What happened to a work tree's files since a commit, with as few git processes as possible.

Much is the same for all commits: uncommitted changes, names that were removed on the way to HEAD, and the texts of
changed files. It is computed once while HEAD and the files stay the same.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any, TypeVar

from muninn_core import git
from muninn_core.worktree.citations.word_search import WordSearch

MAX_FORMER = 3
"""How many removed files of the same name are followed to find the one that a file was."""

MAX_CACHED_BYTES = 32 << 20
"""How many bytes of changed files are held in memory. Above that, `git grep` searches them."""

T = TypeVar("T")

_UNKNOWN: Any = object()


class ChangesSince:
    """Opened once per work tree. Safe to use from several threads. `token` changes with HEAD and the
    files.
    """

    def __init__(self, root: Path, token: Callable[[], Any]) -> None:
        self._root = root
        self._token = token
        self._objects = git.ObjectReader(root)
        self._lock = threading.Lock()
        self._known: dict[Any, Any] = {}
        self._known_at: Any = None

    def cached(self, question: Any, ask: Callable[[], T], before: Callable[[], None] = lambda: None) -> T:
        """Compute a result once per state of HEAD and files. `before` runs first and may raise."""
        token = self._token()
        with self._lock:
            if self._known_at != token:
                self._known, self._known_at = {}, token
            known = self._known
        found: T = known.get(question, _UNKNOWN)  # once: `release_memory` drops some
        if found is _UNKNOWN:
            before()
            found = known[question] = ask()
        return found

    def left_out(self) -> frozenset[str]:
        """Return the tracked paths that a sparse checkout leaves out. Raises GitError."""
        return git.left_out_files(self._root)

    def release_memory(self) -> None:
        """End the git processes and drop the texts that only speed up later answers."""
        with self._lock:
            self._known.pop("texts", None)
        self._objects.close()

    def blob(self, commit: str, path: str) -> bytes | None:
        """Return the content of a file at a commit."""
        return self._objects.read_blob(commit, path)

    def hunks(self, commit: str, path: str, now: str) -> Sequence[git.Hunk] | None:
        """Return the hunks of a file between a commit and the work tree."""
        return git.diff_hunks(self._root, commit, path, now)

    def renamed(self, commit: str, path: str) -> str | None:
        """Return the work tree's name of a commit's file, following the renames of each commit since."""
        return self._followed(commit, path, replaced=False)

    def replaced(self, commit: str, path: str) -> str | None:
        """Return the work tree's name of a commit's file that was renamed before another file got its path."""
        now = self._followed(commit, path, replaced=True)
        return now if now != path else None

    def _followed(self, commit: str, path: str, *, replaced: bool) -> str | None:
        made, head = self._commit(commit), self._commit("HEAD")
        if made is None or head is None:
            return None
        trail = self.cached("trail", lambda: git.RenameTrail(self._root, self._objects, head))
        there = not replaced and self._objects.has_file(head.sha, path)
        now = path if there else trail.follow(made, path, replaced=replaced)
        waiting = self._waiting() if now is not None else None
        if now is None or waiting is None:
            return None
        now = waiting.renamed.get(now, now)
        return now if os.path.lexists(f"{self._root}/{now}") else None

    def former_name(self, commit: str, path: str) -> str | None:
        """Return the name at a commit of a file that moved to another folder since; None for none."""
        made, head = self._commit(commit), self._commit("HEAD")
        if made is None or head is None:
            return None
        name = path.rpartition("/")[2]
        removed = [one for one in self._between(made, head).removed if one.rpartition("/")[2] == name]
        nearest = sorted(removed, key=lambda one: (-_common_end(one, path), one))[:MAX_FORMER]
        return next((one for one in nearest if self.renamed(commit, one) == path), None)

    def files_with(self, commit: str | None, suffixes: tuple[str, ...], texts: Sequence[str]) -> list[str]:
        """Return the files added or changed since a commit that end in one of `suffixes` and contain one of `texts` as
        a whole word.

        Without texts it returns all of them. For a commit that does not exist it returns the untracked files.
        """
        pool = {one for one in self._changed(commit) if one.endswith(suffixes) and not one.startswith(".muninn/")}
        if not texts or not pool:
            return sorted(pool)
        texts_at_hand = self.cached("texts", lambda: WordSearch(self._root, MAX_CACHED_BYTES))
        if not texts_at_hand.load(pool, suffixes):
            return sorted(pool.intersection(git.files_containing(self._root, texts, suffixes)))
        return sorted(pool.intersection(texts_at_hand.files_with(texts, suffixes)))

    def files_with_then(self, commit: str, suffixes: tuple[str, ...], text: str) -> Sequence[str]:
        """Return the files of a commit that end in one of `suffixes` and contained a text as a whole word."""
        made = self._commit(commit)
        return git.files_containing(self._root, [text], suffixes, commit=made.sha) if made else ()

    def _commit(self, name: str) -> git.CommitTime | None:
        return self.cached(("commit", name), lambda: self._objects.resolve_commit(name))

    def _waiting(self) -> git.WorktreeChanges | None:
        """Return the differences between HEAD and the work tree."""
        return self.cached("waiting", lambda: git.worktree_changes(self._root, "HEAD"))

    def _changed(self, commit: str | None) -> frozenset[str]:
        """Return the files added or changed since a commit. Some may no longer exist."""
        made, head = self._commit(commit) if commit else None, self._commit("HEAD")
        fresh = self.cached("untracked", lambda: frozenset(git.untracked_files(self._root)))
        waiting = self._waiting()
        if made is None or head is None or waiting is None:
            return fresh
        return self._between(made, head).changed | waiting.changed | fresh

    def _between(self, made: git.CommitTime, head: git.CommitTime) -> git.ChangedPaths:
        return self.cached(("changed", made.sha), lambda: self._objects.changed_files(made.sha, head.sha))


def _common_end(one: str, other: str) -> int:
    """Return how many folders and names two paths share at their ends."""
    pairs = zip(reversed(one.split("/")), reversed(other.split("/")), strict=False)
    return len([*takewhile(lambda pair: pair[0] == pair[1], pairs)])
