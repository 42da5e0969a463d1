"""Brings the ignored folders of a work tree into order when it is opened: what a crash or a person left is deleted.

Everything in the cache can be made again, and no text may stay in it that a redaction must remove.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from muninn_core.config.schema import SCHEMA_NAME
from muninn_core.index.integrity import SEAL, STATE, WORDS, discard
from muninn_core.reconcile.planning.comparison_cache import NAME as COMPARISONS
from muninn_core.store.files.disk import TEMPORARY, make_private_folder
from muninn_core.store.files.layout import Layout
from muninn_core.store.folding.fold_cache import NAME as FOLD

_CACHE_FILES = frozenset((STATE, f"{STATE}-wal", f"{STATE}-shm", SEAL, FOLD, COMPARISONS, SCHEMA_NAME))
_CACHE_FOLDERS = frozenset((WORDS,))
_LOCAL_FILES = ("accesses.json", "given.json", "notes.json", "upkeep.json", "hooks.log", "lock")


def tidy_private_files(layout: Layout, spare_cache: Path) -> None:
    """Delete what does not belong into the cache and the local folder, and the cache that replaced an unwritable one.

    Call it before the files are opened, with the work tree's lock. Raises OSError.
    """
    discard(spare_cache)
    if not layout.cache.is_dir():
        discard(layout.cache)
    make_private_folder(layout.cache)
    for entry in list(os.scandir(layout.cache)):
        known = _CACHE_FOLDERS if entry.is_dir(follow_symlinks=False) else _CACHE_FILES
        if entry.name not in known or entry.is_symlink():
            discard(Path(entry.path))
    inside = layout.muninn / "cache"
    if layout.cache != inside:  # a linked work tree of an earlier version
        _discard_all(each for each in _entries(inside) if each.name != SCHEMA_NAME)
    _discard_all(each for each in _entries(layout.local) if each.name.endswith(TEMPORARY))
    _discard_all(path for name in _LOCAL_FILES if (path := layout.local / name).is_dir())
    if layout.contexts.is_file():
        discard(layout.contexts)


def empty_folder(folder: Path) -> None:
    """Delete everything in a folder, which stays, because it is watched. Raises OSError."""
    _discard_all(_entries(folder))


def _entries(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


def _discard_all(paths: Iterable[Path]) -> None:
    for path in paths:
        discard(path)
