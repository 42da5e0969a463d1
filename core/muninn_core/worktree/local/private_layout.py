"""Where a work tree's private files are, and how those of a removed work tree are adopted."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from itertools import count
from pathlib import Path

from muninn_core import git
from muninn_core.errors import MuninnError
from muninn_core.index.integrity import discard
from muninn_core.launch.lock import FileLock
from muninn_core.launch.repository_location import RepositoryLocation, locate
from muninn_core.store.files.disk import move
from muninn_core.store.files.layout import Layout, layout_of


def layout_at(location: RepositoryLocation) -> Layout:
    """Return the layout of a work tree.

    `git worktree remove` deletes ignored files, and fails when a file is created meanwhile. So a linked work tree keeps
    its `local` folder and its cache in the repository's git directory, where nothing removes them.
    """
    if not location.linked:
        return layout_of(Path(location.root))
    return layout_of(Path(location.root), Path(location.local), Path(location.cache))


def removed_trees(location: RepositoryLocation) -> list[Path]:
    """Return the private folders of the removed linked work trees of a main work tree's repository."""
    if location.linked or not location.git_dir:
        return []
    try:
        folders = sorted((Path(location.identity) / "muninn").iterdir())
    except OSError:
        return []  # there never was a linked work tree
    return [folder for folder in folders if not (Path(location.identity) / "worktrees" / folder.name).exists()]


def other_trees(location: RepositoryLocation, opened: Iterable[RepositoryLocation] = ()) -> list[RepositoryLocation]:
    """Return the other work trees of a repository that exist and have a folder of Muninn's.

    git does not record where the main one of a separate git directory is; it is found if it is among `opened`.
    """
    if not location.git_dir:
        return []
    identity = Path(location.identity)
    roots = [identity.parent, identity / git.configured_root(location), *(Path(each.root) for each in opened)]
    for file in sorted((identity / "worktrees").glob("*/gitdir")):
        with suppress(OSError):
            roots.append((file.parent / os.fsdecode(file.read_bytes()).rstrip("\n")).parent)
    found: dict[str, RepositoryLocation] = {}
    for root in roots:
        with suppress(MuninnError, OSError):  # it is gone, or no work tree
            other = locate(str(root))
            if other.identity == location.identity and layout_at(other).muninn.is_dir():
                found[other.root] = other
    found.pop(location.root, None)
    return list(found.values())


def adopt_orphans(location: RepositoryLocation, layout: Layout, adopted: list[str]) -> None:
    """Move the spools and private memories of removed linked work trees here; add their sessions to `adopted`.

    Only the main work tree does this. Files are moved, never merged: a session whose name is taken gets a number. A
    folder that a process still uses waits. `adopted` has the sessions of a folder before the folder is gone.
    """
    for folder in removed_trees(location):
        lock = FileLock(str(folder / "lock"))
        with suppress(OSError, MuninnError):  # what can't be moved stays, and is adopted later
            if not lock.acquire():
                continue
            try:
                for kept in (layout.spool, layout.private):
                    for file in sorted((folder / kept.name).glob("*")):
                        home = _free(kept, file)
                        move(file, home)
                        if home.suffix == ".jsonl":
                            adopted.append(home.stem)
                discard(folder)
            finally:
                lock.release()


def _free(folder: Path, file: Path) -> Path:
    """Return a path in a folder for a file, with a number when its name is taken."""
    names = (f"{file.stem}-{number}{file.suffix}" if number > 1 else file.name for number in count(1))
    return next(folder / name for name in names if not (folder / name).exists())
