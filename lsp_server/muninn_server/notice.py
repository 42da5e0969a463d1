"""Tells of changed files below a work tree, as they change. The only importer of watchdog; it gathers nothing.

On Linux each folder is watched by itself, so that what nobody asks about (git's objects, packages, our cache) costs no
watch, and only changes are told: to be told of each reading, too, filled the system's queue during every index of a
large tree. A queue that was full has lost events: that is said, and all folders are watched anew. Elsewhere the
system watches whole trees, and watchdog's own observer does.
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

    from muninn_core.launch.place import Place

    Note = Callable[[str], None]

CLOSED = frozenset({".git", "node_modules", "__pycache__"})
"""Names of folders in which no change is told."""


class Notices(Protocol):
    """What tells of changes, on a thread of its own, from `start` to `stop`."""

    def start(self) -> None:
        """Begin. Raises OSError when the system has no watches left."""

    def renew(self) -> None:
        """Watch everything anew, after changes were lost. Raises OSError as `start` does."""

    def stop(self) -> None:
        """End."""


def notices(place: Place, note: Note, lost: Callable[[], None]) -> Notices:
    """Return what tells of changes in a work tree and of its HEAD: `note` gets absolute paths.

    `lost` is called when changes went by that nobody can name any more.
    """
    return _Inotify(place, note, lost) if sys.platform == "linux" else _Observed(place, note)


class _Inotify:
    """One inotify descriptor, with a watch a folder."""

    def __init__(self, place: Place, note: Note, lost: Callable[[], None]) -> None:
        self._place = place
        self._note = note
        self._lost = lost
        self._tree: _Tree | None = None

    def start(self) -> None:
        self._tree = _Tree(self._place, self._note, self._lost)

    def renew(self) -> None:
        # To take the watches of a descriptor back queues an event for each: of many folders, its queue is full again.
        before = self._tree
        self.start()
        if before is not None:
            before.stop()

    def stop(self) -> None:
        if self._tree is not None:
            self._tree.stop()


class _Tree:
    """The watches of one descriptor, from the beginning to `stop`."""

    def __init__(self, place: Place, note: Note, lost: Callable[[], None]) -> None:
        from watchdog.observers.inotify_c import CallbackId, InotifyConstants, InotifyFD, Mask

        self._note = note
        self._lost = lost
        self._local = os.path.join(place.root, ".muninn", "local")
        self._cache = os.path.join(place.root, ".muninn", "cache")
        self._git = (place.git_dir, os.path.join(place.git_dir, "logs")) if place.git_dir else ()
        self._paths: dict[WatchDescriptor, str] = {}
        self._watches: dict[str, WatchDescriptor] = {}
        self._id = CallbackId(id(self))
        # In the cache only new files are told: whoever asks what happened so far makes one (`Watcher.seen`).
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
            for folder in self._git:
                self._watch(folder)
            for _ in self._entered(place.root):
                pass  # what is there already is no change
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        self._fd.stop()
        self._fd.join(2)

    def on_event(self, event: InotifyEvent) -> None:
        """Take one event: watchdog calls it, on its thread."""
        with self._adding:  # a watch may tell of an event before we know what it is called
            folder = self._paths.get(event.wd)
        if folder is None or not event.name:
            return
        path = os.path.join(folder, os.fsdecode(event.name))
        if event.is_directory and event.is_moved_from:
            self._leave(lambda watched: watched == path or watched.startswith(path + os.sep))
        elif event.is_directory and event.is_delete and path in self._watches:
            self._leave(lambda watched: watched == path)  # somebody may hold it open: its watch would stay
        self._note(path)
        if event.is_directory and (event.is_create or event.is_moved_to):
            try:
                self._follow(folder, path)
            except OSError:
                self._lost()  # no watches left: to watch everything anew fails as well, and that is said

    def on_watch_deleted(self, wd: WatchDescriptor) -> None:
        """Forget a folder that is gone."""
        with self._adding:
            path = self._paths.pop(wd, None)
            if path is not None and self._watches.get(path) == wd:
                del self._watches[path]

    def on_queue_overflow(self) -> None:
        """Say that events were lost."""
        self._lost()

    def _follow(self, folder: str, path: str) -> None:
        """Watch what came into a folder, and tell of the files that were in it before it was watched."""
        if folder in self._git:
            if path in self._git and self._watch(path):
                self._note(os.path.join(path, "HEAD"))
        elif path == self._cache:
            self._watch(path)
        elif folder != self._cache and not self._is_closed(path):
            for inside in self._entered(path):
                self._note(inside)

    def _entered(self, top: str) -> Iterator[str]:
        """Watch a folder and those below it; yield the files that are there. Raises OSError without watches left."""
        waiting = [top]
        while waiting:
            folder = waiting.pop()
            if not self._watch(folder):
                continue
            try:
                with os.scandir(folder) as entries:
                    found = list(entries)
            except OSError:
                continue  # it went, or is not ours to read
            for entry in found:
                if not entry.is_dir(follow_symlinks=False):
                    yield entry.path
                elif entry.path == self._cache:
                    self._watch(entry.path)
                elif not self._is_closed(entry.path):
                    waiting.append(entry.path)

    def _watch(self, folder: str) -> bool:
        """Watch one folder; False where it went or can't be entered."""
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
        """Stop watching the folders that left their places: where they come to, they are entered anew."""
        with self._adding:
            for path in [path for path in self._watches if left(path)]:
                wd = self._watches.pop(path)
                self._paths.pop(wd, None)
                self._fd.remove_callbacks([(wd, self._id)])

    def _is_closed(self, folder: str) -> bool:
        return os.path.basename(folder) in CLOSED or folder == self._local


def _is_folder(path: str) -> bool:
    """Whether a path is a folder that we could enter."""
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode) and os.access(path, os.R_OK)
    except OSError:
        return False


class _Observed:
    """watchdog's observer for the system at hand."""

    def __init__(self, place: Place, note: Note) -> None:
        self._place = place
        self._note = note
        self._observer: Any = None

    def start(self) -> None:
        from watchdog import events
        from watchdog.events import FileSystemEvent, FileSystemEventHandler
        from watchdog.observers import Observer

        note = self._note

        class Handler(FileSystemEventHandler):
            """Hands the paths of an event on."""

            def on_any_event(self, event: FileSystemEvent) -> None:
                for path in (event.src_path, event.dest_path):
                    if path:
                        note(os.fsdecode(path))

        # Who opens or only reads a file changes nothing, and we read more files than anybody.
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
        self._observer.schedule(handler, self._place.root, recursive=True, event_filter=changes)
        if self._place.git_dir and not self._place.git_dir.startswith(self._place.root + os.sep):
            self._observer.schedule(handler, self._place.git_dir, recursive=False, event_filter=changes)
        self._observer.start()

    def renew(self) -> None:
        self.stop()
        self.start()

    def stop(self) -> None:
        if self._observer is not None and self._observer.is_alive():
            self._observer.stop()
            self._observer.join(2)
