"""Looking whether files of records came, went or changed. Knows their names and what the system says of them, no more.

Every question looks, so the usual look must cost next to nothing however many files there are: git and we never write
into a segment that is there, but put another one in its place, and then the folder itself has changed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from muninn_core.store.layout import Layout

Signature = tuple[int, int, int, int]
"""Times of change of content and of file (ns), size (bytes), and number of the inode."""

SETTLED_SECONDS = 2.0
"""File systems tell times this coarsely at worst: what changes so soon after a change may have the same time."""

AT_LEAST_SECONDS = 10.0
"""A segment that a person edits in place changes no folder. The watcher tells of it; where there is none, it is seen
after this time."""


class ChangeScan:
    """Looks at main.jsonl, the sealed segments and, `with_spools`, what other processes have not sealed yet."""

    def __init__(self, layout: Layout, *, with_spools: bool, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._main = str(layout.main)
        self._sessions = str(layout.sessions)
        self._growing = (str(layout.spool), str(layout.private)) if with_spools else ()
        self._monotonic = monotonic
        self.forget()

    def forget(self) -> None:
        """Let the next look be at every file: somebody knows that they changed."""
        self._seen: dict[str, Signature] | None = None
        self._brief: object = None
        self._since = self._looked = 0.0

    def changed(self, *, brief: bool = False) -> dict[str, Signature] | None:
        """Return the files that are there when anything has changed since the last look, else None.

        A `brief` look is at the folder of the segments in place of each of them, whenever that is enough.
        """
        now = self._monotonic()
        token = self._glance()
        if token != self._brief:
            self._brief, self._since = token, now
        elif brief and self._looked - self._since > SETTLED_SECONDS and now - self._looked < AT_LEAST_SECONDS:
            return None
        seen, self._looked = self.files(), now
        if seen == self._seen:
            return None
        self._seen = seen
        return seen

    def files(self) -> dict[str, Signature]:
        """Return every file of records with its signature."""
        found: dict[str, Signature] = {}
        main = signature(self._main)
        if main is not None:
            found[self._main] = main
        for folder in (self._sessions, *self._growing):
            _scan(folder, found)
        return found

    def _glance(self) -> object:
        growing: dict[str, Signature] = {}
        for folder in self._growing:
            _scan(folder, growing)
        return (signature(self._sessions), signature(self._main), growing)


def signature(path: str | Path) -> Signature | None:
    """Return what tells one state of a file from another; None when it is not there."""
    try:
        return _told(os.stat(path))  # noqa: PTH116 - every question asks
    except OSError:
        return None


def _scan(folder: str, found: dict[str, Signature]) -> None:
    try:
        entries = os.scandir(folder)
    except OSError:
        return  # no folder
    with entries:
        for entry in entries:
            if entry.name.endswith(".jsonl"):
                try:
                    found[entry.path] = _told(entry.stat())
                except OSError:
                    continue  # it went meanwhile, or is a link to nothing


def _told(stat: os.stat_result) -> Signature:
    return (stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size, stat.st_ino)
