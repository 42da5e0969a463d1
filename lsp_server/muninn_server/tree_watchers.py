"""The watchers of all open work trees."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from muninn_server.file_descriptors import has_spare_descriptors
from muninn_server.watch import Watcher

if TYPE_CHECKING:
    from muninn_core.engine.engine import Engine
    from muninn_core.launch.repository_location import RepositoryLocation
    from muninn_core.worktree.history.edited_files import WatchToken


class TreeWatchers:
    """One watcher per open work tree. Changed files are reported to the engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._watchers: dict[str, Watcher] = {}
        self._unwatched: dict[str, RepositoryLocation] = {}

    def watch(self, location: RepositoryLocation) -> WatchToken | None:
        """Watch a work tree; return None when the system allows no further watch."""

        def failed(error: OSError) -> None:
            self._engine.note_problem(
                location,
                f"files can't be watched: {error.strerror or error}",
                "Raise fs.inotify.max_user_watches, or run `muninn index` after changes.",
            )

        watcher = Watcher(location, lambda paths: self._engine.files_changed(location, paths), failed)
        try:
            watcher.start()
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE):
                self._unwatched[location.root] = location  # tried again when descriptors are free
            failed(error)
            return None
        self._watchers[location.root] = watcher
        return watcher.seen

    def watch_again(self) -> None:
        """Watch the work trees for which there were no descriptors, when some are free."""
        for root, location in list(self._unwatched.items()):
            if has_spare_descriptors():
                del self._unwatched[root]
                self._engine.watch_again(location)

    def unwatch(self, location: RepositoryLocation) -> None:
        """Stop watching a work tree."""
        self._unwatched.pop(location.root, None)
        watcher = self._watchers.pop(location.root, None)
        if watcher is not None:
            watcher.stop()

    def stop(self) -> None:
        """Stop all watchers."""
        for watcher in list(self._watchers.values()):
            watcher.stop()
