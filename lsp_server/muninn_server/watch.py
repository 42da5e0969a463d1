"""Hands changed files over in batches. It does not know what a change means, nor how the system tells of it."""

from __future__ import annotations

import logging
import os
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from muninn_server.notice import CLOSED, notices

if TYPE_CHECKING:
    from collections.abc import Callable

    from muninn_core.launch.place import Place

log = logging.getLogger("muninn.watch")
logging.getLogger("watchdog").setLevel(logging.ERROR)  # it warns of what we tell ourselves

QUIET_SECONDS = 0.06
"""A batch is handed over after this long without another event: a save is found at once, a checkout is one batch."""

LONGEST_SECONDS = 1.0
"""And after this long at the latest, however busy the tree is."""

PASSING_SECONDS = 0.1
"""How long `seen` waits for the system to tell of its own file: two milliseconds mostly."""

_IGNORED_PARTS = tuple(f"{os.sep}{name}{os.sep}" for name in sorted(CLOSED))

_APART = (".git", ".muninn")
"""Folders in which nothing is anybody's work: what is in them is asked of git and of the log."""


class Watcher:
    """Watches one work tree and its git directory's HEAD. `changed` gets absolute paths, on a thread of the watcher.

    The root among them stands for everything: changes were lost, and any file may be another. `failed` is told when
    the system lets no more be watched.
    """

    def __init__(
        self, place: Place, changed: Callable[[set[str]], None], failed: Callable[[OSError], None] = lambda _error: None
    ) -> None:
        self._changed = changed
        self._failed = failed
        self._place = place
        self._pending: set[str] = set()
        self._wake = threading.Condition()
        self._stopped = False
        self._own = os.path.join(place.root, ".muninn", "cache", "seen-")
        self._apart = tuple(os.path.join(place.root, folder, "") for folder in _APART)
        self._noticed = 0
        self._sent = self._passed = 0
        self._first = self._last = 0.0
        self._notices = notices(place, self._note, lambda: self._note(place.root))
        self._thread = threading.Thread(target=self._collect, name="watch", daemon=True)

    def start(self) -> None:
        """Begin to watch. Raises OSError when the system has no watches left."""
        self._notices.start()
        self._thread.start()

    def stop(self) -> None:
        """Stop watching; pending changes are dropped."""
        with self._wake:
            self._stopped = True
            self._wake.notify_all()
        self._notices.stop()
        if self._thread.is_alive():
            self._thread.join(2)

    def seen(self) -> int | None:
        """Return how many changes of people's files were noticed so far; None when that can't be said.

        All that happened before the call are among them: a file of our own is written, and the system tells of changes
        in their order. What is in packages and in compiled files is nobody's work.
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
            return None  # the folder is not there, or can't be written
        finally:
            with suppress(OSError):
                os.unlink(path)

    def _count(self, path: str) -> None:
        """Take note that something changed, whether anybody wants to know what or not."""
        own = path.removeprefix(self._own)
        with self._wake:
            if own != path and own.isdigit():
                if self._passed < int(own) <= self._sent:
                    self._passed = int(own)
                    self._wake.notify_all()
            elif path == self._place.root or (
                path.startswith(self._place.root + os.sep) and not path.startswith(self._apart)
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
        if path == os.path.join(self._place.git_dir, "HEAD") or path.endswith(f"{os.sep}logs{os.sep}HEAD"):
            return True
        if any(part in path.removeprefix(self._place.root) for part in _IGNORED_PARTS):
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
                if self._place.root in batch:
                    self._renew()
                self._changed(batch)
            except Exception:  # the next change must still be noticed
                log.exception("changed files could not be looked at")

    def _renew(self) -> None:
        """Watch everything anew, before anybody looks at all of it: what changes after the look is told again."""
        log.warning("changes were lost: all files of %s are looked at", self._place.root)
        try:
            self._notices.renew()
        except OSError as error:
            self._failed(error)
