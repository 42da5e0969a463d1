"""Detects whether files of records were added, removed or changed, by their names and signatures only.

Every call scans, so the usual scan must be almost free for any number of files. Git and the daemon never write into an
existing segment; they replace it, which changes the folder.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from muninn_core.resource_exhaustion import raise_if_exhausted
from muninn_core.store.files.layout import Layout

Signature = tuple[int, int, int, int]
"""Modification and status change time (ns), size (bytes) and inode number of a file."""

SETTLED_SECONDS = 2.0
"""The coarsest time resolution of a file system: changes this close together may have the same time."""

FULL_SCAN_SECONDS = 10.0
"""How long a brief scan may miss a person's edit within a segment, which changes no folder."""


class ChangeScan:
    """Scans main.jsonl, the segments and, `with_spools`, the unsealed files of other processes."""

    def __init__(self, layout: Layout, *, with_spools: bool, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._main = str(layout.main)
        self._sessions = str(layout.sessions)
        self._spool_folders = (str(layout.spool), str(layout.private)) if with_spools else ()
        self._monotonic = monotonic
        self.reset()

    def reset(self) -> None:
        """Make the next scan a full one."""
        self._last_files: dict[str, Signature] | None = None
        self._last_token: object = None
        self._folder_changed_at = self._scanned_at = 0.0

    def scan(self, *, brief: bool = False) -> dict[str, Signature] | None:
        """Return all files with their signatures when anything changed since the last scan, else None.

        A `brief` scan checks the segments' folder instead of each segment while that is sufficient.
        """
        now = self._monotonic()
        token = self._folder_token()
        if token != self._last_token:
            self._last_token, self._folder_changed_at = token, now
        elif (
            brief
            and self._scanned_at - self._folder_changed_at > SETTLED_SECONDS
            and now - self._scanned_at < FULL_SCAN_SECONDS
        ):
            return None
        files, self._scanned_at = self.files(), now
        if files == self._last_files:
            return None
        self._last_files = files
        return files

    def files(self) -> dict[str, Signature]:
        """Return every file of records with its signature, and each folder that can't be read.

        Raises StorageError without file descriptors.
        """
        found: dict[str, Signature] = {}
        main = signature(self._main)
        if main is not None:
            found[self._main] = main
        for folder in (self._sessions, *self._spool_folders):
            _scan(folder, found)
        return found

    def _folder_token(self) -> object:
        spool_files: dict[str, Signature] = {}
        for folder in self._spool_folders:
            _scan(folder, spool_files)
        return (signature(self._sessions), signature(self._main), spool_files)


def signature(path: str | Path) -> Signature | None:
    """Return a value that changes with a file; None when the file does not exist."""
    try:
        return _signature_of(os.stat(path))  # noqa: PTH116 (hot)
    except OSError:
        return None


def _scan(folder: str, found: dict[str, Signature]) -> None:
    try:
        entries = os.scandir(folder)
    except FileNotFoundError:
        return
    except OSError as error:
        raise_if_exhausted(error)
        found[folder] = (0, 0, 0, 0)  # reading it as a file reports that it can't be read
        return
    with entries:
        for entry in entries:
            if entry.name.endswith(".jsonl"):
                try:
                    found[entry.path] = _signature_of(entry.stat())
                except OSError:
                    continue  # deleted meanwhile, or a broken link


def _signature_of(stat: os.stat_result) -> Signature:
    return (stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size, stat.st_ino)
