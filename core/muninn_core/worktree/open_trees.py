"""The open work trees of a process. Each is opened once, reopened when it becomes writable, and closed with the others.

A listener can subscribe before a work tree is open, and stays subscribed when the tree is reopened.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack
from datetime import datetime
from typing import Generic, TypeVar

from muninn_core.errors import MuninnError, NotARepository, ReadOnlyError, memory_deleted
from muninn_core.index.embedding.embed import Embedder, Encoder
from muninn_core.launch.repository_location import RepositoryLocation
from muninn_core.launch.runtime import repository_key
from muninn_core.store.global_log import GlobalLog
from muninn_core.store.records.ids import UlidGenerator
from muninn_core.worktree.history.edited_files import WatchToken
from muninn_core.worktree.local.pending_redaction import Redaction
from muninn_core.worktree.user_folders import UserFolders
from muninn_core.worktree.workspace import Workspace

T = TypeVar("T")


HAND_OVER_SECONDS = 4.0
"""How long a work tree's first write waits for a daemon that lost its socket to leave."""


class Listeners(Generic[T]):
    """Callbacks per work tree. They run on any thread."""

    def __init__(self) -> None:
        self._callbacks: dict[str, list[Callable[[T], None]]] = {}

    def add(self, root: str, callback: Callable[[T], None]) -> Callable[[], None]:
        """Call `callback` with each change from now on. Returns a function that ends this."""
        self._callbacks.setdefault(root, []).append(callback)
        return lambda: self._callbacks[root].remove(callback)

    def notify(self, root: str, changed: T) -> None:
        """Call all listeners of a work tree."""
        for callback in list(self._callbacks.get(root, ())):
            callback(changed)


class OpenTrees:
    """Safe to use from several threads. `load` returns an embedder by its name; each is loaded once.

    `watch` starts to watch an opened work tree and returns its change counter, or None where nothing can be watched.
    `unwatch` ends this when the work tree was removed. `folders` are those outside of repositories.
    """

    def __init__(
        self,
        *,
        clock: Callable[[], datetime],
        ids: UlidGenerator,
        load: Callable[[str], Embedder],
        encoder: Encoder | None,
        watch: Callable[[RepositoryLocation], WatchToken | None],
        unwatch: Callable[[RepositoryLocation], None],
        folders: UserFolders,
    ) -> None:
        self.files: Listeners[frozenset[str] | None] = Listeners()
        """Calls of `Workspace.on_files_changed`, of all work trees."""
        self.memories: Listeners[Mapping[str, bool]] = Listeners()
        """Calls of `Workspace.on_memories_changed`."""
        self.indexed: Listeners[None] = Listeners()
        """Calls of `Workspace.on_indexed`."""
        self._clock = clock
        self._ids = ids
        self._load = load
        self._encoder = encoder
        self._watch = watch
        self._unwatch = unwatch
        self._folders = folders
        self._shared: GlobalLog | None = None
        self._workspaces: dict[str, Workspace] = {}
        self._replaced: list[Workspace] = []
        self._embedders: dict[str, Embedder] = {}
        self._opening = threading.RLock()
        self._loading = threading.Lock()  # not `_opening`: `close` holds that while it waits for threads that load
        self._closed = False

    def __iter__(self) -> Iterator[Workspace]:
        return iter(list(self._workspaces.values()))

    def get(self, location: RepositoryLocation) -> Workspace | None:
        """Return a work tree if it is open, else None."""
        return self._workspaces.get(location.root)

    def open(self, location: RepositoryLocation) -> Workspace:
        """Open a work tree if necessary and return it, after the memories of removed ones were adopted.

        Raises NotInitialised without `.muninn`, NotARepository for a work tree that was removed.
        """
        found = self._workspaces.get(location.root)
        if found is None or any(each.location.linked and each.removed for each in self):
            with self._opening:
                self._close_removed()
                found = self._workspaces.get(location.root) or self._opened(location)
        if found.has_orphans:
            with self._opening:  # a thread may be closing the removed work tree
                found.adopt_removed()
        found.follow_settings()
        return found

    def _opened(self, location: RepositoryLocation) -> Workspace:
        if self._closed:
            raise MuninnError("the daemon is stopping", hint="The next call starts it again.")
        if not location.is_current():
            raise NotARepository(
                f"{location.root} is not a work tree of {location.identity} any more", hint="It was removed or moved."
            )
        found = self._made(location)
        self._workspaces[location.root] = found
        found.edited_files.seen = self._watch(location) or found.edited_files.seen
        found.start()
        return found

    def watch_again(self, location: RepositoryLocation) -> None:
        """Try again to watch an open work tree; when that succeeds, compare all its files."""
        workspace = self.get(location)
        if workspace is not None:
            workspace.problems = [one for one in workspace.problems if one.kind != "watch"]
            token = self._watch(location)
            if token is not None:
                workspace.edited_files.seen = token
                workspace.files_changed({location.root})

    def collect_removed(self) -> None:
        """Close linked work trees that git has removed; the main work tree, if it is open, adopts their memories."""
        if any(each.has_orphans or (each.location.linked and each.removed) for each in self):
            with self._opening:
                self._close_removed()
                for workspace in self:
                    workspace.adopt_removed()

    def _close_removed(self) -> None:
        """Close linked work trees that were removed. The caller holds the lock."""
        for workspace in [each for each in self if each.location.linked and each.removed]:
            del self._workspaces[workspace.location.root]
            self._unwatch(workspace.location)
            workspace.close()

    def opening(self) -> AbstractContextManager[object]:
        """Return a lock that keeps other threads from opening a folder while `init` writes it."""
        return self._opening

    def writable(self, location: RepositoryLocation) -> Workspace:
        """Return a work tree that is open for writing. Raises NotInitialised, or ReadOnlyError with the reason."""
        workspace = self.open(location)
        if not workspace.layout.muninn.is_dir():  # what is stored would lie in a folder that git does not ignore
            raise memory_deleted()
        wait_until = workspace.opened_at + HAND_OVER_SECONDS
        while not workspace.writable:
            workspace = self._taken_over(workspace)
            if workspace.writable or time.monotonic() > wait_until:
                break
            time.sleep(0.05)  # the daemon before this one is leaving
        workspace.renew_lock()
        if not workspace.writable:
            reason = workspace.problems[0] if workspace.problems else None
            raise ReadOnlyError(
                reason.message if reason else "this repository is read-only",
                hint=reason.hint if reason else "Memory can be read here but not stored.",
            )
        return workspace

    def redact_closed(self, location: RepositoryLocation, redaction: Redaction) -> tuple[str, ...]:
        """Redact memories in a work tree that is not open; return the changed files. It is not indexed.

        Raises ReadOnlyError when another process writes there, and StorageError.
        """
        with self._opening:
            made = self._made(location)
            try:
                if not made.writable:
                    raise ReadOnlyError(
                        f"another process writes {location.root}", hint="Stop its daemon, then redact again."
                    )
                with made.redaction.running(redaction):
                    return made.redact_unindexed(redaction)
            finally:
                made.close()

    def release_memory(self) -> None:
        """Release memory that only speeds up later answers."""
        with self._opening:
            replaced, self._replaced = self._replaced, []
        for workspace in replaced:
            workspace.close()
        for workspace in self:
            workspace.release_memory()

    def close(self) -> None:
        """Close all work trees: seal their sessions and flush their indexes."""
        with self._opening:
            self._closed = True
            with ExitStack() as all_of_them:  # one that can't be sealed must not keep the others open
                for workspace in (*self._workspaces.values(), *self._replaced):
                    all_of_them.callback(workspace.close)
            self._workspaces.clear()
            self._replaced.clear()

    def _made(self, location: RepositoryLocation) -> Workspace:
        made = Workspace(
            location,
            clock=self._clock,
            ids=self._ids,
            embedder=self.embedder,
            encoder=self._encoder,
            spare_cache=self._folders.spare_cache / repository_key(location.root),
            home=self._folders.home,
            shared=self._shared_log(location),
        )
        made.on_files_changed = lambda paths: self.files.notify(location.root, paths)
        made.on_memories_changed = lambda changed: self.memories.notify(location.root, changed)
        made.on_indexed = lambda: self.indexed.notify(location.root, None)
        return made

    def _taken_over(self, reading: Workspace) -> Workspace:
        """Reopen a read-only work tree for writing if its lock is free; else return it unchanged."""
        location = reading.location
        with self._opening:
            known = self._workspaces.get(location.root)
            if known is not reading or self._closed or not reading.can_take_lock():
                return known or reading
            opened = self._made(location)
            if not opened.writable:
                opened.close()
                return reading
            opened.edited_files.seen = reading.edited_files.seen
            opened.problems += [one for one in reading.problems if one.kind == "watch"]
            self._workspaces[location.root] = opened
            self._replaced.append(reading)  # a call may still read it
            opened.start()
        self.files.notify(location.root, None)
        return opened

    def _shared_log(self, location: RepositoryLocation) -> GlobalLog | None:
        """Return the global log, one for all work trees: a process has one spool there."""
        folder = self._folders.global_memory
        if self._shared is None and folder is not None:
            name = repository_key(location.identity)
            self._shared = GlobalLog(folder, name=name, clock=self._clock, ids=self._ids)
            self._shared.refresh()
        return self._shared

    def embedder(self, model: str) -> Embedder:
        """Return a model by its name; each is loaded once."""
        with self._loading:
            if model not in self._embedders:
                self._embedders[model] = self._load(model)
            return self._embedders[model]
