"""Files that two work trees of a repository change at the same time, and the sessions and agents there."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import PurePath
from typing import NamedTuple

from muninn_core.errors import MuninnError
from muninn_core.git import GitError
from muninn_core.model.counting import number_of
from muninn_core.worktree.journals import OpenJournal
from muninn_core.worktree.open_trees import OpenTrees
from muninn_core.worktree.workspace import Workspace

ACTIVE_SECONDS = 3600.0
"""How long a session counts as at work after its last call."""

MAX_SESSIONS = 200
MAX_SHOWN = 5


class Overlap(NamedTuple):
    """A file (`path`, relative to the root) that another work tree (`root`) changes or has claimed; `who` is there."""

    path: str
    root: str
    who: tuple[str, ...]

    @property
    def text(self) -> str:
        """One sentence for people and models."""
        return f"{self.path} is being changed in the work tree {PurePath(self.root).name} by {', '.join(self.who)}"


class Overlaps:
    """Which sessions are at work in which work tree, as their hooks report. Safe to use from several threads."""

    def __init__(self, trees: OpenTrees, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._trees = trees
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._sessions: dict[str, tuple[str, float]] = {}

    def note(self, root: str, session: str | None) -> None:
        """Note that a session is at work in a work tree."""
        if session:
            with self._lock:
                self._sessions.pop(session, None)
                self._sessions[session] = (root, self._monotonic())
                for quiet in list(self._sessions)[:-MAX_SESSIONS]:
                    del self._sessions[quiet]

    def ended(self, session: str | None) -> None:
        """Note that a session has ended."""
        with self._lock:
            self._sessions.pop(session or "", None)

    def _at_work(self, opened: OpenJournal | None) -> dict[str, list[str]]:
        """Return who is at work, by work tree: registered agents, then sessions of their hooks."""
        found: dict[str, list[str]] = {}
        named = set()
        try:
            members = opened.agents.all() if opened is not None else []
        except MuninnError:  # another process writes the journal, and knows the agents
            members = []
        for member, _ in members:
            found.setdefault(member.root, []).append(f"the {member.role} '{member.name}'")
            named.add(member.session_id)
        now = self._monotonic()
        with self._lock:
            for session, (root, at) in self._sessions.items():
                if now - at < ACTIVE_SECONDS and session not in named:
                    found.setdefault(root, []).append(f"session {session[:8]}")
        return found

    def of(self, workspace: Workspace, opened: OpenJournal | None, file: str = "") -> list[Overlap]:
        """Return the files that this work tree changes, and another one that is in use as well.

        With `file`, that file counts as changed here. Changed is what differs from HEAD.
        """
        own_root = workspace.location.root
        others = {root: who for root, who in self._at_work(opened).items() if root != own_root}
        if not others:
            return []
        try:
            own = {file} if file else set(workspace.edited_files.files())
            return [
                Overlap(path, root, tuple(who))
                for root, who in sorted(others.items())
                for path in sorted(own & self._changed(root, workspace.location.identity, opened))
            ]
        except GitError:  # the status reports what is wrong with git
            return []

    def _changed(self, root: str, identity: str, opened: OpenJournal | None) -> set[str]:
        """Return what a work tree changes, and what its agents have claimed."""
        found = {path for each in self._open(root, identity) for path in each.edited_files.files()}
        if opened is not None:
            roots = {member.name: member.root for member, _ in opened.agents.all()}
            claimed = [one.resource for one in opened.leases.all() if roots.get(one.agent) == root]
            found |= {resource.removeprefix("file:") for resource in claimed if resource.startswith("file:")}
        return found

    def _open(self, root: str, identity: str) -> Iterator[Workspace]:
        return (each for each in self._trees if each.location.root == root and each.location.identity == identity)

    def lines(self, workspace: Workspace, opened: OpenJournal | None, root: str = "") -> list[str]:
        """Return the overlaps as sentences, at most `MAX_SHOWN`.

        With `root`, they are those of that open work tree of the repository.
        """
        tree = next(self._open(root, workspace.location.identity), workspace) if root else workspace
        found = [each.text for each in self.of(tree, opened)]
        more = [f"and {number_of(len(found) - MAX_SHOWN, 'more file')}"] if len(found) > MAX_SHOWN else []
        return found[:MAX_SHOWN] + more
