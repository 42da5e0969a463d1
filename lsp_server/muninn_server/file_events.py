"""Reports changed files below a work tree, as they change. The only importer of watchdog.

On Linux each folder has its own watch, so that git's objects, packages and the cache cost none. Reads are not watched:
their events filled the system's queue whenever a large tree was indexed. When the queue overflows, events are lost;
this is reported, and all folders are watched anew. On other systems watchdog's observer watches whole trees.
"""

from __future__ import annotations

import os
import stat
import sys
import threading
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from watchdog.observers.inotify_c import InotifyEvent, InotifyFD, WatchDescriptor

    from muninn_core.launch.repository_location import RepositoryLocation

    Note = Callable[[str], None]

CLOSED = frozenset({".git", "node_modules", "__pycache__"})
"""Names of folders whose changes are not reported."""


class FileEvents(Protocol):
    """A source of file events. It reports them on its own thread, from `start` to `stop`."""

    def start(self) -> None:
        """Start. Raises OSError if the system has no watches left."""

    def renew(self) -> None:
        """Watch everything anew, after changes were lost. Raises OSError as `start` does."""

    def stop(self) -> None:
        """Stop."""


def file_events(location: RepositoryLocation, note: Note, lost: Callable[[], None]) -> FileEvents:
    """Return the events of a work tree and its HEAD. `note` is called with absolute paths.

    `lost` is called when events were lost.
    """
    return _Inotify(location, note, lost) if sys.platform == "linux" else _Observer(location, note)


class _Inotify:
    """One inotify descriptor, with a watch per folder."""

    def __init__(self, location: RepositoryLocation, note: Note, lost: Callable[[], None]) -> None:
        self._location = location
        self._note = note
        self._lost = lost
        self._tree: _Tree | None = None

    def start(self) -> None:
        self._tree = _Tree(self._location, self._note, self._lost)

    def renew(self) -> None:
        # A new descriptor: removing a watch queues an event, and for many folders that would fill the queue again.
        before = self._tree
        self.start()
        if before is not None:
            before.stop()

    def stop(self) -> None:
        if self._tree is not None:
            self._tree.stop()


class _Tree:
    """The watches of one descriptor."""

    def __init__(self, location: RepositoryLocation, note: Note, lost: Callable[[], None]) -> None:
        from watchdog.observers.inotify_c import CallbackId, InotifyConstants, InotifyFD, Mask

        self._note = note
        self._lost = lost
        self._local = os.path.join(location.root, ".muninn", "local")
        self._cache = location.cache
        self._git = (location.git_dir, os.path.join(location.git_dir, "logs")) if location.git_dir else ()
        self._paths: dict[WatchDescriptor, str] = {}
        self._watches: dict[str, WatchDescriptor] = {}
        self._id = CallbackId(id(self))
        # In the cache only new files are reported: `Watcher.seen` creates one to find out which events have arrived.
        self._in_cache = Mask(
            InotifyConstants.IN_CREATE | InotifyConstants.IN_ONLYDIR | InotifyConstants.IN_DONT_FOLLOW
        )
        self._mask = Mask(
            InotifyConstants.IN_MODIFY
            | InotifyConstants.IN_ATTRIB
            | InotifyConstants.IN_CLOSE_WRITE
            | InotifyConstants.IN_MOVE
            | InotifyConstants.IN_CREATE
            | InotifyConstants.IN_DELETE
            | InotifyConstants.IN_ONLYDIR
            | InotifyConstants.IN_DONT_FOLLOW
            | InotifyConstants.IN_EXCL_UNLINK
        )
        self._adding = threading.Lock()
        self._fd: InotifyFD = InotifyFD()
        self._fd.start()
        try:
            # Git's own folders first: HEAD moves while a large tree is still being walked.
            for folder in (*self._git, self._cache):
                self._watch(folder)
            for _ in self._entered(location.root):
                pass  # existing files are not changes
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        self._fd.stop()
        self._fd.join(2)

    def on_event(self, event: InotifyEvent) -> None:
        """Handle one event. watchdog calls it on its thread."""
        with self._adding:  # an event may arrive before its watch is recorded
            folder = self._paths.get(event.wd)
        if folder is None or not event.name:
            return
        path = os.path.join(folder, os.fsdecode(event.name))
        if event.is_directory and event.is_moved_from:
            self._leave(lambda watched: watched == path or watched.startswith(path + os.sep))
        elif event.is_directory and event.is_delete and path in self._watches:
            self._leave(lambda watched: watched == path)  # a process may hold it open, which keeps its watch
        self._note(path)
        if event.is_directory and (event.is_create or event.is_moved_to):
            try:
                self._follow(folder, path)
            except OSError:
                self._lost()  # no watches left: watching everything anew fails as well, and reports it

    def on_watch_deleted(self, wd: WatchDescriptor) -> None:
        """Forget a deleted folder."""
        with self._adding:
            path = self._paths.pop(wd, None)
            if path is not None and self._watches.get(path) == wd:
                del self._watches[path]

    def on_queue_overflow(self) -> None:
        """Report that events were lost."""
        self._lost()

    def _follow(self, folder: str, path: str) -> None:
        """Watch a new folder, and report the files that were created in it before."""
        if folder in self._git:
            if path in self._git and self._watch(path):
                self._note(os.path.join(path, "HEAD"))
        elif path == self._cache:
            self._watch(path)
        elif folder != self._cache and not self._is_closed(path):
            for inside in self._entered(path):
                self._note(inside)

    def _entered(self, top: str) -> Iterator[str]:
        """Watch a folder and those below it, and yield their files. Raises OSError if no watches are left."""
        waiting = [top]
        while waiting:
            folder = waiting.pop()
            if not self._watch(folder):
                continue
            try:
                with os.scandir(folder) as entries:
                    found = list(entries)
            except OSError:
                continue  # deleted meanwhile, or not readable
            for entry in found:
                if not entry.is_dir(follow_symlinks=False):
                    yield entry.path
                elif entry.path == self._cache:
                    self._watch(entry.path)
                elif not self._is_closed(entry.path):
                    waiting.append(entry.path)

    def _watch(self, folder: str) -> bool:
        """Watch one folder. Returns False if it is gone or can't be entered."""
        with self._adding:
            if folder in self._watches:
                return True
            try:
                mask = self._in_cache if folder == self._cache else self._mask
                wd = self._fd.add_callback(os.fsencode(folder), mask, self, self._id)
            except OSError:
                if _is_folder(folder):
                    raise
                return False
            self._watches[folder] = wd
            self._paths[wd] = folder
            return True

    def _leave(self, left: Callable[[str], bool]) -> None:
        """Stop watching folders that were moved. They are watched again at their new place."""
        with self._adding:
            for path in [path for path in self._watches if left(path)]:
                wd = self._watches.pop(path)
                self._paths.pop(wd, None)
                self._fd.remove_callbacks([(wd, self._id)])

    def _is_closed(self, folder: str) -> bool:
        return os.path.basename(folder) in CLOSED or folder == self._local


def _is_folder(path: str) -> bool:
    """Whether a path is a readable folder."""
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode) and os.access(path, os.R_OK)
    except OSError:
        return False


class _Observer:
    """watchdog's observer for the current system."""

    def __init__(self, location: RepositoryLocation, note: Note) -> None:
        self._location = location
        self._note = note
        self._observer: Any = None

    def start(self) -> None:
        from watchdog import events
        from watchdog.events import FileSystemEvent, FileSystemEventHandler
        from watchdog.observers import Observer

        note = self._note

        class Handler(FileSystemEventHandler):
            """Passes on the paths of an event."""

            def on_any_event(self, event: FileSystemEvent) -> None:
                for path in (event.src_path, event.dest_path):
                    if path:
                        note(os.fsdecode(path))

        # Opening or reading a file changes nothing.
        changes: list[type[FileSystemEvent]] = [
            events.DirCreatedEvent,
            events.DirDeletedEvent,
            events.DirMovedEvent,
            events.FileAttribEvent,
            events.FileClosedEvent,
            events.FileCreatedEvent,
            events.FileDeletedEvent,
            events.FileModifiedEvent,
            events.FileMovedEvent,
        ]
        self._observer = Observer()
        handler = Handler()
        self._observer.schedule(handler, self._location.root, recursive=True, event_filter=changes)
        if self._location.git_dir and not self._location.git_dir.startswith(self._location.root + os.sep):
            self._observer.schedule(handler, self._location.git_dir, recursive=False, event_filter=changes)
        self._observer.start()

    def renew(self) -> None:
        self.stop()
        self.start()

    def stop(self) -> None:
        if self._observer is not None and self._observer.is_alive():
            self._observer.stop()
            self._observer.join(2)
