"""Compares files of a work tree with its index, and updates the index where they differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from muninn_core import git
from muninn_core.config import IndexConfig
from muninn_core.gitignore import EXPORT_LIST
from muninn_core.index.index import Changes, Index
from muninn_core.index.snapshot import Snapshot
from muninn_core.source.bridges.bridge import TOOL_FOLDERS
from muninn_core.source.listing.ignore import IGNORE_FILE
from muninn_core.source.listing.walk import FileStamp, Walk, recheck, walk


class FileScan:
    """Used by one thread. `outside` returns the files that are indexed beside those of the work tree.

    `found` is called when all files were listed, before they are indexed. `progress` and `check_cancel` are those of
    `Index.sync`.
    """

    def __init__(
        self,
        root: Path,
        outside: Callable[[], Sequence[FileStamp]],
        *,
        found: Callable[[], None],
        progress: Callable[[int, int], None],
        check_cancel: Callable[[], None],
    ) -> None:
        self.changed = self.removed = 0
        """How many files the last scan indexed and dropped."""
        self.skipped: dict[str, int] = {}
        """How many files are left out, by reason."""
        self.repositories: tuple[str, ...] = ()
        """The folders that are repositories of their own, whose files are left out."""
        self._root = root
        self._outside = outside
        self._found = found
        self._progress = progress
        self._check_cancel = check_cancel

    def run(self, index: Index, settings: IndexConfig, paths: set[str], *, full: bool) -> None:
        """Scan some paths, or all files. Raises what `Index.sync` and git raise."""
        if full or any(path.rpartition("/")[2] in (".gitignore", IGNORE_FILE, EXPORT_LIST) for path in paths):
            self._scan_all(index, settings)
        elif paths:
            self._scan_paths(index, settings, paths)

    def _scan_all(self, index: Index, settings: IndexConfig) -> None:
        """Compare every file with the index."""
        known = {path: (row.size, row.mtime_ns) for path, row in index.snapshot().files().items()}
        inside = walk(self._root, settings, known)
        seen = Walk([*inside.files, *self._outside()], inside.skipped)
        self._found()
        changes = index.sync(
            self._root,
            seen,
            most=settings.max_file_bytes,
            workers=settings.workers,
            meaning=False,
            progress=self._progress,
            check_cancel=self._check_cancel,
        )
        self.skipped, self.repositories = dict(seen.skipped), inside.repositories
        self._note(changes)

    def _scan_paths(self, index: Index, settings: IndexConfig, paths: set[str]) -> None:
        """Index those of the paths that exist and are wanted, drop those that do not exist."""
        snapshot = index.snapshot()
        known = {path for path in paths if snapshot.file(path) is not None}
        gone = {path for path in paths if not (self._root / path).exists()}
        folders = [path for path in paths - gone if (self._root / path).is_dir()]
        closed = git.ignored_paths(
            self._root, [path for path in folders if not path.startswith((".muninn", *TOOL_FOLDERS))]
        )
        if _emptied(gone - known, snapshot) or set(folders) - closed:
            self._scan_all(index, settings)
            return
        del snapshot  # a held snapshot keeps the write-ahead log from restarting
        present = {stamp.path for stamp in recheck(self._root, sorted(paths - gone), settings).files}
        present.update(paths.intersection(stamp.path for stamp in self._outside()))
        changes = index.apply(
            self._root,
            present,
            [path for path in paths - present if path in known],
            most=settings.max_file_bytes,
            meaning=False,
            progress=self._progress,
            check_cancel=self._check_cancel,
        )
        self._note(changes)

    def _note(self, changes: Changes) -> None:
        self.changed, self.removed = changes.indexed, changes.removed
        for reason, count in changes.unread.items():
            self.skipped[reason] = self.skipped.get(reason, 0) + count


def _emptied(gone: set[str], snapshot: Snapshot) -> bool:
    """Whether a deleted path that is not an indexed file was a folder of indexed files."""
    folders = tuple(f"{path}/" for path in gone)
    return bool(folders) and any(path.startswith(folders) for path in snapshot.files())
