"""Notices changed files with watchdog and hands them over in batches. It does not know what a change means."""

from __future__ import annotations

import logging
import os
import threading
import time
from typing import TYPE_CHECKING

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

if TYPE_CHECKING:
    from collections.abc import Callable

    from muninn_core.launch.place import Place

log = logging.getLogger("muninn.watch")
logging.getLogger("watchdog").setLevel(logging.ERROR)  # it warns of events that come while it stops

QUIET_SECONDS = 0.06
"""A batch is handed over after this long without another event: a save is found at once, a checkout is one batch."""

LONGEST_SECONDS = 1.0
"""And after this long at the latest, however busy the tree is."""

_IGNORED_PARTS = (f"{os.sep}.git{os.sep}", f"{os.sep}node_modules{os.sep}", f"{os.sep}__pycache__{os.sep}")


class Watcher:
    """Watches one work tree and its git directory's HEAD. `changed` gets absolute paths, on a thread of the watcher."""

    def __init__(self, place: Place, changed: Callable[[set[str]], None]) -> None:
        self._changed = changed
        self._place = place
        self._pending: set[str] = set()
        self._wake = threading.Condition()
        self._stopped = False
        self._first = self._last = 0.0
        self._observer = Observer()
        self._thread = threading.Thread(target=self._collect, name="watch", daemon=True)

    def start(self) -> None:
        """Begin to watch. Raises OSError when the system has no watches left."""
        handler = _Handler(self._note)
        self._observer.schedule(handler, self._place.root, recursive=True)
        if self._place.git_dir and not self._place.git_dir.startswith(self._place.root + os.sep):
            self._observer.schedule(handler, self._place.git_dir, recursive=False)
        self._observer.start()
        self._thread.start()

    def stop(self) -> None:
        """Stop watching; pending changes are dropped."""
        with self._wake:
            self._stopped = True
            self._wake.notify()
        if self._observer.is_alive():
            self._observer.stop()
            self._observer.join(2)
        if self._thread.is_alive():
            self._thread.join(2)

    def _note(self, path: str) -> None:
        if not self._wanted(path):
            return
        now = time.monotonic()
        with self._wake:
            if not self._pending:
                self._first = now
            self._last = now
            self._pending.add(path)
            self._wake.notify()

    def _wanted(self, path: str) -> bool:
        if path == os.path.join(self._place.git_dir, "HEAD") or path.endswith(f"{os.sep}logs{os.sep}HEAD"):
            return True
        if any(part in path for part in _IGNORED_PARTS):
            return False
        muninn = os.path.join(self._place.root, ".muninn") + os.sep
        return not path.startswith((muninn + "cache", muninn + "local"))

    def _collect(self) -> None:
        while True:
            with self._wake:
                while not self._pending and not self._stopped:
                    self._wake.wait()
                while not self._stopped:
                    now = time.monotonic()
                    due = min(self._last + QUIET_SECONDS, self._first + LONGEST_SECONDS)
                    if now >= due:
                        break
                    self._wake.wait(due - now)
                if self._stopped:
                    return
                batch, self._pending = self._pending, set()
            try:
                self._changed(batch)
            except Exception:  # the next change must still be noticed
                log.exception("changed files could not be looked at")


class _Handler(FileSystemEventHandler):
    def __init__(self, note: Callable[[str], None]) -> None:
        self._note = note

    def on_any_event(self, event: FileSystemEvent) -> None:
        if event.event_type in ("opened", "closed_no_write"):
            return
        if event.event_type == "modified" and event.is_directory:
            return
        for path in (event.src_path, event.dest_path):
            if path:
                self._note(os.fsdecode(path))
