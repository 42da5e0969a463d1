"""The memories of other branches, and the state of the commits that memories were made at.

Both depend on HEAD and the branches. They are computed on demand and cached until a ref moves.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping

from muninn_core import git
from muninn_core.launch.repository_location import RepositoryLocation
from muninn_core.model.memory import Memory, Work
from muninn_core.model.value import replace
from muninn_core.store.folding.fold import Fold, State
from muninn_core.store.log import Log
from muninn_core.worktree.history.revisions import MEMORY, Revisions

LOCAL = "refs/heads"
_BRANCHES = (LOCAL, "refs/remotes")


class OtherBranches:
    """The memories that HEAD does not reach. Safe to use from several threads."""

    def __init__(self, location: RepositoryLocation, past: Revisions, kinds: tuple[str, ...] = _BRANCHES) -> None:
        """`kinds` are prefixes of the refs that count."""
        self._kinds = kinds
        self._location = location
        self._past = past
        self._lock = threading.Lock()
        self._kept: tuple[tuple[object, ...], State, dict[str, Memory]] | None = None

    def memories(self, log: Log, *, recent: bool = False) -> dict[str, Memory]:
        """Return, by id, the memories that only tips of other branches hold, each labelled with those branches.

        The records of all branches are folded together: a memory that one of them archived is archived. With `recent`,
        changes of this log since the last call may be missing in that, which saves a fold.
        """
        if not self._location.git_dir:
            return {}
        root = self._past.root
        head = git.read_head(self._location).commit
        tips = git.list_refs(root, *self._kinds)
        trees = git.tree_ids(root, [tip.commit for tip in tips] + ([head] if head else []), MEMORY)
        own_tree = trees.get(head or "", "")
        branches: dict[str, list[str]] = {}
        for tip in tips:
            if trees.get(tip.commit, own_tree) != own_tree:
                branches.setdefault(trees[tip.commit], []).append(tip.name)
        key = (own_tree, *((tree, tuple(names)) for tree, names in branches.items()))
        with self._lock:
            state = log.state
            if self._kept is None or self._kept[0] != key or (self._kept[1] is not state and not recent):
                self._kept = (key, state, self._find(log, own_tree, branches))
            _, read, found = self._kept
        return found if read is state else {name: each for name, each in found.items() if name not in state.memories}

    def _find(self, log: Log, own_tree: str, branches: Mapping[str, list[str]]) -> dict[str, Memory]:
        own_files = self._past.files_of([own_tree] if own_tree else ())
        files = {oid: trees for oid, trees in self._past.files_of(branches).items() if oid not in own_files}
        own = tuple(log.records.values())
        known = {record.id for record in own}
        # A change of ours that waits for a memory applies to it there, too.
        fold = Fold()
        fold.add(own, sealed=True)
        holders: dict[str, set[str]] = {}
        for oid, lines in self._past.lines_of(files).items():
            fresh = [record for record in lines.records if record.id not in known]
            fold.add(fresh, sealed=True)
            for record in fresh:
                holders.setdefault(record.id, set()).update(name for tree in files[oid] for name in branches[tree])
        there = log.state.memories
        return {
            identity: replace(memory, elsewhere=tuple(sorted(holders[identity])))
            for identity, memory in fold.state().memories.items()
            if identity not in there and identity in holders
        }


class WorkStates:
    """Whether the commits that memories were made at were merged, reverted or abandoned. Safe to use from several
    threads.
    """

    def __init__(self, location: RepositoryLocation, past: Revisions, is_imported: Callable[[str], bool]) -> None:
        """`is_imported` says whether a memory came from a bundle: it names a commit of another repository."""
        self._is_imported = is_imported
        self._now = git.HeadReader(location)
        self._past = past
        self._lock = threading.Lock()
        self._head: str | None = None
        self._known: dict[str, Work] = {}

    def label(self, memories: Iterable[Memory]) -> list[Memory]:
        """Return the memories with `work` filled in."""
        found = list(memories)
        head = self._now.read().commit
        if head is None:
            return found
        with self._lock:
            if head != self._head:
                self._head, self._known = head, {head: ""}
            unknown = [memory for memory in found if memory.commit and memory.commit not in self._known]
            if unknown:
                self._learn(head, unknown)
            labels = {memory.id: self._known.get(memory.commit or "", "") for memory in found}
        for memory in found:
            if labels[memory.id] == "abandoned" and self._is_imported(memory.id):
                labels[memory.id] = ""
        strays = [memory for memory in found if labels[memory.id] in ("unmerged", "abandoned") and memory.sealed]
        committed = self._committed(head, strays)
        labels.update((identity, "rewritten") for identity in committed)
        return [replace(memory, work=labels[memory.id]) if labels[memory.id] else memory for memory in found]

    def _learn(self, head: str, memories: list[Memory]) -> None:
        root = self._past.root
        commits = {memory.commit for memory in memories if memory.commit}
        self._known.update(dict.fromkeys(commits, ""))
        strays = git.find_unreachable(root, commits, [head])
        if strays:
            lost = git.find_unreachable(root, strays, [ref.commit for ref in git.list_refs(root)])
            self._known.update((commit, "abandoned" if commit in lost else "unmerged") for commit in strays)
        reached = commits - strays
        if reached:
            since = min(memory.ts for memory in memories)[:19] + "Z"  # git knows no milliseconds
            taken_back = git.find_reverted(root, head, since)
            self._known.update((commit, "reverted") for commit in reached & taken_back)

    def _committed(self, head: str, strays: list[Memory]) -> set[str]:
        """Return the ids of memories that HEAD's tree holds although their own commit is not reachable."""
        if not strays:
            return set()
        trees = git.tree_ids(self._past.root, [head], MEMORY)
        wanted = {memory.id for memory in strays}
        lines = self._past.lines_of(self._past.files_of(trees.values()))
        return {record.id for each in lines.values() for record in each.records if record.id in wanted}
