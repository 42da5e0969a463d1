"""The former names of a renamed file, under which memories still mention it.

Only names that no longer exist can be former names. There are few, so git is asked about them alone: once for all
commits, then for new commits, and again when the work tree changes.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from muninn_core import git
from muninn_core.model.memory import Memory
from muninn_core.source.chunks.line_index import similarity
from muninn_core.source.files.path_containment import can_name_file
from muninn_core.source.files.text import Text, looks_binary, read_text

SIMILARITY_THRESHOLD = 0.5
"""The share of its lines that a renamed file keeps. This is git's own threshold."""

MAX_RENAMES = 8
"""How many renames of one file are followed."""

MAX_COMPARED = 50
"""With how many removed files a new one is compared."""


class _Waiting(NamedTuple):
    """Uncommitted renames: those that git detects, and old names that new files may continue."""

    renamed: dict[str, str]
    vanished: dict[str, str]
    untracked: frozenset[str]


_NONE_WAITS = _Waiting({}, {}, frozenset())


class RenameHistory:
    """Opened once per work tree. Safe to use from several threads.

    `most` is the size in bytes up to which a file is read. The value of `token` changes with HEAD and the files.
    """

    def __init__(
        self, root: Path, *, most: Callable[[], int], head: Callable[[], str | None], token: Callable[[], Any]
    ) -> None:
        self._root = root
        self._most = most
        self._head = head
        self._token = token
        self._lock = threading.Lock()
        self._seen: Mapping[str, Memory] = {}
        self._memories: dict[str, Memory] = {}
        self._named: dict[str, str] = {}
        self._missing: tuple[Any, list[str]] = (None, [])
        self._next: dict[str, str] = {}
        self._looked: dict[str, str] = {}
        self._ends: tuple[Any, dict[str, str]] = (None, {})
        self._waiting = _NONE_WAITS

    def former_names(self, path: str, memories: Mapping[str, Memory]) -> frozenset[str]:
        """Return the other names under which memories mention the file that is now at `path`."""
        with self._lock:
            head = self._head()
            missing = self._vanished(memories)
            if not missing or head is None or not self._exists(path):
                return frozenset()
            key = (self._missing[0], head)
            if self._ends[0] != key:
                self._follow(missing, head)
                self._ends = (key, {name: self._current_name(name) for name in missing})
                lost = [name for name, now in self._ends[1].items() if not self._exists(now)]
                self._waiting = self._find_waiting(lost, head)
            found = {name for name, now in self._ends[1].items() if now == path}
            return frozenset(found | self._uncommitted(path, head))

    def _vanished(self, memories: Mapping[str, Memory]) -> list[str]:
        """Return the paths that memories mention and that do not exist."""
        token = self._token()
        came = self._read_paths(memories)
        if self._missing[0] is None or self._missing[0][0] != token or came is None:
            self._missing = ((token, object()), sorted(path for path in self._named if not self._exists(path)))
        elif more := [path for path in came if not self._exists(path)]:
            self._missing = ((token, object()), sorted([*self._missing[1], *more]))
        return self._missing[1]

    def _read_paths(self, memories: Mapping[str, Memory]) -> list[str] | None:
        """Read the paths that memories mention; return the new ones, or None when some may have been dropped.

        The mapping changes on every write, but most values are identical objects.
        """
        if memories is self._seen:
            return []
        before, after = self._memories, dict(memories.items())
        self._seen, self._memories = memories, after
        changed = [memory for identity, memory in after.items() if before.get(identity) is not memory]
        known = [before[memory.id] for memory in changed if memory.id in before]
        stayed = len(after) == len(before) + len(changed) - len(known)
        if not stayed or any(set(_paths(one)) - set(_paths(after[one.id])) for one in known):
            self._named = _named(after.values(), {})
            return None
        there = {*self._named} if changed else set()
        self._named = _named(changed, self._named)
        return [path for path in self._named if path not in there] if changed else []

    def _exists(self, path: str) -> bool:
        return os.path.lexists(f"{self._root}/{path}")

    def _current_name(self, name: str) -> str:
        """Return the last name that commits gave a file."""
        for _ in range(MAX_RENAMES):
            if name not in self._next or self._exists(name):
                break
            name = self._next[name]
        return name

    def _follow(self, missing: list[str], head: str) -> None:
        """Ask git for the renames of names that were not searched in all commits of HEAD."""
        others = {commit for commit in self._looked.values() if commit != head}
        if not all(git.is_ancestor(self._root, commit, head) for commit in others):
            self._next, self._looked = {}, {}
        since = _day_before(min(self._named[name] for name in missing))
        names = set(missing)
        for _ in range(MAX_RENAMES):
            names = {name for name in names if not self._exists(name)}
            unknown = {name: self._looked.get(name) for name in names if self._looked.get(name) != head}
            for after in sorted({commit or "" for commit in unknown.values()}):
                asked = [name for name, commit in unknown.items() if (commit or "") == after]
                taken = git.find_deletions(self._root, asked, after=after or None, since=since)
                renamed = git.find_renames(self._root, taken.values())
                self._next.update((name, renamed[sha, name]) for name, sha in taken.items() if (sha, name) in renamed)
            self._looked.update(dict.fromkeys(unknown, head))
            names = {self._next[name] for name in names if name in self._next}

    def _uncommitted(self, path: str, head: str) -> set[str]:
        """Return the names that an uncommitted rename changed to `path`."""
        found = {name for name, new in self._waiting.renamed.items() if new == path}
        if path in self._waiting.untracked:
            alike = [(name, old) for name, old in self._waiting.vanished.items() if _kind(old) == _kind(path)]
            found |= {name for name, old in alike[:MAX_COMPARED] if self._alike(head, old, path)}
        return found

    def _find_waiting(self, lost: list[str], head: str) -> _Waiting:
        last = {name: self._ends[1][name] for name in lost}
        held = git.existing_paths(self._root, head, last.values()) if lost else set()
        last = {name: now for name, now in last.items() if now in held}
        if not last:
            return _NONE_WAITS
        changes = git.worktree_changes(self._root, head)
        known = changes.renamed if changes else {}
        return _Waiting(
            {name: known[now] for name, now in last.items() if now in known},
            {name: now for name, now in last.items() if now not in known},
            frozenset(git.untracked_files(self._root)),
        )

    def _alike(self, head: str, old: str, path: str) -> bool:
        """Whether a new file contains most lines of a file of HEAD."""
        read = read_text(self._root, path, self._most())
        data = git.read_blob(self._root, head, old)
        if not isinstance(read, Text) or data is None or looks_binary(data):
            return False
        return (
            similarity(data.decode("utf-8-sig", "replace").split("\n"), read.text.split("\n")) >= SIMILARITY_THRESHOLD
        )


def _paths(memory: Memory) -> tuple[str, ...]:
    return tuple(filter(can_name_file, (*memory.files, *(cite.path for cite in memory.cites))))


def _named(memories: Iterable[Memory], found: dict[str, str]) -> dict[str, str]:
    """Add the paths that memories name or cite, each with the time of the oldest memory."""
    for memory in memories:
        for path in _paths(memory):
            known = found.get(path)
            if known is None or memory.ts < known:
                found[path] = memory.ts
    return found


def _day_before(ts: str) -> str | None:
    """Return the time one day earlier, because clocks differ; None for an invalid time."""
    try:
        return (datetime.fromisoformat(ts) - timedelta(days=1)).isoformat()
    except (ValueError, OverflowError):
        return None


def _kind(path: str) -> str:
    return path.rpartition(".")[2]
