"""Collects changed files into batches."""

from __future__ import annotations

import logging
import os
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from muninn_server.file_events import CLOSED, file_events

if TYPE_CHECKING:
    from collections.abc import Callable

    from muninn_core.launch.repository_location import RepositoryLocation

log = logging.getLogger("muninn.watch")
logging.getLogger("watchdog").setLevel(logging.ERROR)  # lost events are reported here

QUIET_SECONDS = 0.06
"""A batch ends after this long without an event: a save is found at once, and a checkout is one batch."""

MAX_SECONDS = 1.0
"""A batch ends after this long at the latest."""

PASSING_SECONDS = 0.1
"""How long `seen` waits for the event of its own file. It usually takes two milliseconds."""

_IGNORED_PARTS = tuple(f"{os.sep}{name}{os.sep}" for name in sorted(CLOSED))

_UNCOUNTED = (".git", ".muninn")
"""Folders whose changes are not counted: git and the log report them."""


class Watcher:
    """Watches one work tree and its git directory's HEAD. `changed` is called with absolute paths, on its own thread.

    The root among the paths means that events were lost and any file may have changed. `failed` is called when the
    system can watch no more.
    """

    def __init__(
        self,
        location: RepositoryLocation,
        changed: Callable[[set[str]], None],
        failed: Callable[[OSError], None] = lambda _error: None,
    ) -> None:
        self._changed = changed
        self._failed = failed
        self._location = location
        self._pending: set[str] = set()
        self._wake = threading.Condition()
        self._stopped = False
        self._own = os.path.join(location.cache, "seen-")
        self._uncounted = tuple(os.path.join(location.root, folder, "") for folder in _UNCOUNTED)
        self._noticed = 0
        self._sent = self._passed = 0
        self._first = self._last = 0.0
        self._events = file_events(location, self._note, lambda: self._note(location.root))
        self._thread = threading.Thread(target=self._collect, name="watch", daemon=True)

    def start(self) -> None:
        """Start watching. Raises OSError if the system has no watches left."""
        self._events.start()
        self._thread.start()

    def stop(self) -> None:
        """Stop watching; pending changes are dropped."""
        with self._wake:
            self._stopped = True
            self._wake.notify_all()
        self._events.stop()
        if self._thread.is_alive():
            self._thread.join(2)

    def seen(self) -> int | None:
        """Return the number of changes so far, None if it is unknown. Packages and compiled files are not counted.

        The number includes all changes before the call: it creates a file and waits for its event, because the system
        reports changes in order.
        """
        with self._wake:
            self._sent += 1
            number = self._sent
        path = f"{self._own}{number}"
        try:
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
            with self._wake:
                passed = self._wake.wait_for(lambda: self._passed >= number or self._stopped, PASSING_SECONDS)
                return self._noticed if passed and not self._stopped else None
        except OSError:
            return None  # the folder does not exist or is read-only
        finally:
            with suppress(OSError):
                os.unlink(path)

    def _count(self, path: str) -> None:
        """Count a change, wanted or not."""
        own = path.removeprefix(self._own)
        with self._wake:
            if own != path and own.isdigit():
                if self._passed < int(own) <= self._sent:
                    self._passed = int(own)
                    self._wake.notify_all()
            elif path == self._location.root or (
                path.startswith(self._location.root + os.sep) and not path.startswith(self._uncounted)
            ):
                self._noticed += 1

    def _note(self, path: str) -> None:
        self._count(path)
        if not self._wanted(path):
            return
        now = time.monotonic()
        with self._wake:
            if not self._pending:
                self._first = now
            self._last = now
            self._pending.add(path)
            self._wake.notify_all()

    def _wanted(self, path: str) -> bool:
        if path == os.path.join(self._location.git_dir, "HEAD") or path.endswith(f"{os.sep}logs{os.sep}HEAD"):
            return True
        if any(part in path.removeprefix(self._location.root) for part in _IGNORED_PARTS):
            return False
        muninn = os.path.join(self._location.root, ".muninn") + os.sep
        return not path.startswith((muninn + "cache", muninn + "local"))

    def _collect(self) -> None:
        while True:
            with self._wake:
                while not self._pending and not self._stopped:
                    self._wake.wait()
                while not self._stopped:
                    now = time.monotonic()
                    due = min(self._last + QUIET_SECONDS, self._first + MAX_SECONDS)
                    if now >= due:
                        break
                    self._wake.wait(due - now)
                if self._stopped:
                    return
                batch, self._pending = self._pending, set()
            try:
                if self._location.root in batch:
                    self._renew()
                self._changed(batch)
            except Exception:  # the next change must still be handled
                log.exception("changed files could not be handled")

    def _renew(self) -> None:
        """Watch everything anew, before all files are checked, so that later changes are reported."""
        log.warning("file events were lost: checking all files of %s", self._location.root)
        try:
            self._events.renew()
        except OSError as error:
            self._failed(error)
