"""Memory at commits, read from git's objects without a checkout, and folded.

Contents are cached by object id, so a cached value never becomes stale.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from muninn_core import git
from muninn_core.errors import NotFoundError
from muninn_core.launch.repository_location import RepositoryLocation
from muninn_core.model.value import Value
from muninn_core.store.files.lines import Lines, read_lines
from muninn_core.store.folding.fold import Fold, State
from muninn_core.store.records.record import Record

MEMORY = ".muninn/memory"
_CACHED_REVISIONS = 4
"""How many revisions are cached. A review needs two."""

_CACHED_COMMITS = 1_000
_CACHED_BYTES = 64_000_000
"""Bytes of record files that are cached beside the revisions, mostly those of other branches."""


class MemoryAtCommit(Value):
    """The memory of one commit. `time` is the commit's time, `tree` the id of its memory folder or ""."""

    commit: str
    time: datetime
    tree: str
    state: State
    records: tuple[Record, ...]
    malformed: int


class Revisions:
    """The memory of a repository's commits. Safe to use from several threads."""

    def __init__(self, location: RepositoryLocation) -> None:
        self.location = location
        self.root = Path(location.root)
        self._lock = threading.Lock()
        self._moments: OrderedDict[str, tuple[State, tuple[Record, ...], int]] = OrderedDict()
        self._commits: dict[str, tuple[bool, str, datetime]] = {}
        self._files: OrderedDict[str, tuple[Lines, int]] = OrderedDict()

    def at(self, rev: str, *, strict: bool = True) -> MemoryAtCommit:
        """Return the memory of a revision. Raises NotFoundError for none, and with `strict` for one without `.muninn`.

        Raises GitError where there is no git, or an object is missing in this clone.
        """
        commit = git.resolve_commit(self.root, rev)
        there, tree, time = self._facts(commit)
        if strict and not there:
            raise NotFoundError(
                f"there is no memory at '{rev}': that commit has no .muninn",
                hint="`git log --diff-filter=A -- .muninn/config.yaml` shows where memory begins.",
            )
        with self._lock:
            known = self._moments.get(tree)
            if known is None:
                known = self._moments[tree] = self._read(tree)
            self._moments.move_to_end(tree)
            while len(self._moments) > _CACHED_REVISIONS:
                self._moments.popitem(last=False)
        state, records, malformed = known
        return MemoryAtCommit(commit=commit, time=time, tree=tree, state=state, records=records, malformed=malformed)

    def files_of(self, trees: Iterable[str]) -> dict[str, set[str]]:
        """Return {content id: trees that hold it} of the files of records in memory folders, by their trees' ids."""
        found: dict[str, set[str]] = {}
        for tree in trees:
            for entry in record_files(git.list_tree(self.root, tree)):
                found.setdefault(entry.oid, set()).add(tree)
        return found

    def lines_of(self, oids: Iterable[str]) -> dict[str, Lines]:
        """Return {content id: its lines}."""
        wanted = list(oids)
        with self._lock:
            found = {oid: self._files[oid][0] for oid in wanted if oid in self._files}
            for oid, content in git.read_blobs(self.root, [oid for oid in wanted if oid not in found]):
                found[oid] = read_lines(content, oid)
                self._files[oid] = (found[oid], len(content))
            for oid in wanted:
                self._files.move_to_end(oid)
            size = sum(length for _, length in self._files.values())
            while size > _CACHED_BYTES and self._files:
                _, (_, length) = self._files.popitem(last=False)
                size -= length
        return found

    def _facts(self, commit: str) -> tuple[bool, str, datetime]:
        """Return whether a commit has `.muninn`, the id of its memory folder or "", and its time."""
        known = self._commits.get(commit)
        if known is None:
            there = bool(git.tree_ids(self.root, [commit], ".muninn"))
            tree = git.tree_ids(self.root, [commit], MEMORY).get(commit, "")
            known = (there, tree, git.commit_time(self.root, commit))
            if len(self._commits) >= _CACHED_COMMITS:
                self._commits.clear()
            self._commits[commit] = known
        return known

    def _read(self, tree: str) -> tuple[State, tuple[Record, ...], int]:
        fold = Fold()
        malformed = 0
        entries = record_files(git.list_tree(self.root, tree)) if tree else []
        records: list[Record] = []
        for _, content in git.read_blobs(self.root, [entry.oid for entry in entries]):
            lines = read_lines(content, tree)
            records += lines.records
            malformed += len(lines.malformed)
        fold.add(records, sealed=True)
        return fold.state(), tuple(fold.records.values()), malformed


def record_files(entries: Iterable[git.Entry]) -> list[git.Entry]:
    """Return the files of a memory folder that are folded: main.jsonl and the sealed segments, not the archive."""
    return [
        entry
        for entry in entries
        if entry.path == "main.jsonl"
        or (entry.path.startswith("sessions/") and entry.path.count("/") == 1 and entry.path.endswith(".jsonl"))
    ]
