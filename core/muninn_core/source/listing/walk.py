"""Lists the files of a work tree to be indexed, and counts the others by reason.

Git lists the files; without git a walk applies the same rules. Symbolic links are never followed, so there are no loops
and nothing outside the root is read.
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from muninn_core import git
from muninn_core.errors import NotARepository
from muninn_core.launch.repository_location import locate
from muninn_core.resource_exhaustion import raise_if_exhausted
from muninn_core.source.bridges.bridge import is_read_if_ignored, read_if_ignored
from muninn_core.source.documents.knowledge_readme import is_unchanged_readme
from muninn_core.source.files.classify import language_of
from muninn_core.source.files.path_containment import is_utf8
from muninn_core.source.files.text import head_is_binary
from muninn_core.source.listing.ignore import (
    ALWAYS_INDEXED,
    BINARY_SUFFIXES,
    IGNORE_FILE,
    NEVER_INDEXED,
    IgnoreTree,
    is_pack_internal,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from muninn_core.config import IndexConfig

    Stamps = Mapping[str, tuple[int, int]]


ANOTHER_REPOSITORY = "another repository"
"""The reason to skip a submodule, or a repository inside this one."""


@dataclass(frozen=True, slots=True)
class FileStamp:
    """A file as listed: its POSIX path relative to the root, size in bytes, modification time in nanoseconds."""

    path: str
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Walk:
    """The result of a walk: files sorted by path, the number of skipped paths by reason, and the folders that are
    repositories of their own, such as submodules.
    """

    files: list[FileStamp]
    skipped: dict[str, int]
    repositories: tuple[str, ...] = ()


def walk(root: Path, settings: IndexConfig, cached: Stamps | None = None) -> Walk:
    """List the files below `root` to be indexed.

    `cached` has (size, mtime_ns) of indexed files. A file that still matches is not opened to test for binary content.
    Raises NotARepository when the root can't be read.
    """
    try:
        with os.scandir(root):
            pass
    except OSError as error:
        raise NotARepository(
            f"the folder {root} can't be read: {error.strerror}", hint="Name an existing folder with --repo."
        ) from error
    listed = git.list_files(root)
    names = (IGNORE_FILE,) if listed is not None else (".gitignore", IGNORE_FILE)
    ignore = IgnoreTree(root, names, settings.exclude)
    if listed is None:
        paths: Iterable[str] = _walk_folder(root, ignore)
    else:
        own_paths = (path for folder in ALWAYS_INDEXED for path in _walk_folder(root, None, folder))
        paths = {*listed, *own_paths, *_tool_memory_files(root)}
    return _select(root, paths, settings, ignore, cached or {})


def recheck(root: Path, paths: list[str], settings: IndexConfig) -> Walk:
    """Apply the rules of `walk` to changed paths, without listing the tree.

    A path that is not in the result must be removed from the index.
    """
    with_git = any((folder / ".git").exists() for folder in (root, *root.parents))
    inside = [path for path in paths if _is_inside(path)]
    to_check = [path for path in inside if not (_is_below(path, ALWAYS_INDEXED) or is_read_if_ignored(path))]
    ignored_set = git.ignored_paths(root, to_check) if with_git else set()
    ignore = IgnoreTree(root, (IGNORE_FILE,) if with_git else (".gitignore", IGNORE_FILE), settings.exclude)
    found = _select(root, (path for path in paths if path not in ignored_set), settings, ignore, {})
    if ignored_set:
        found.skipped["ignored"] = found.skipped.get("ignored", 0) + len(ignored_set)
    return Walk(found.files, dict(sorted(found.skipped.items())))


def _select(root: Path, paths: Iterable[str], settings: IndexConfig, ignore: IgnoreTree, cached: Stamps) -> Walk:
    """Return the paths to be indexed."""
    files: list[FileStamp] = []
    skipped: Counter[str] = Counter()
    repositories: list[str] = []
    folders: dict[str, bool] = {"": True}
    for path in sorted(set(paths)):
        found = _check_path(root, path, settings, ignore, folders, cached)
        if isinstance(found, FileStamp):
            files.append(found)
        else:
            skipped[found] += 1
            if found == ANOTHER_REPOSITORY:
                repositories.append(path.rstrip("/"))
    return Walk(files, dict(sorted(skipped.items())), tuple(repositories))


def _check_path(
    root: Path, path: str, settings: IndexConfig, ignore: IgnoreTree, folders: dict[str, bool], cached: Stamps
) -> FileStamp | str:
    """Return the stamp of a file to be indexed, or the reason to skip it."""
    if not _is_inside(path):
        return "outside the root"
    if _is_internal(path):
        return "internal"
    if not path.isprintable() and not is_utf8(path):
        return "name is not UTF-8"
    if not _is_below(path, ALWAYS_INDEXED):
        if ignore.is_ignored(path):
            return "ignored"
        if ignore.is_excluded(path):
            return "excluded"
    if not _is_real_folder(root, path.rpartition("/")[0], folders):
        return "link"
    try:
        status = os.lstat(root / path)
    except FileNotFoundError:
        return "vanished"
    except OSError:
        return "unreadable"
    if stat.S_ISLNK(status.st_mode):
        return "link"
    if stat.S_ISDIR(status.st_mode):
        return _kind_of_folder(root / path)
    if not stat.S_ISREG(status.st_mode):
        return "not a file"
    if status.st_size > settings.max_file_bytes:
        return "too large"
    if is_unchanged_readme(root, path, status.st_size):
        return "internal"
    if cached.get(path) != (status.st_size, status.st_mtime_ns):
        if path.rpartition(".")[2].lower() in BINARY_SUFFIXES:
            return "binary"
        # Files with a known text suffix are tested by their reader, which opens them anyway: opening each file of a
        # large tree on a cold disk takes minutes.
        binary = head_is_binary(root, path) if language_of(path) == "text" else False
        if binary:
            return "binary" if binary is True else binary
    return FileStamp(path, status.st_size, status.st_mtime_ns)


def _kind_of_folder(folder: Path) -> str:
    """Return why a folder that git lists is skipped: a repository of its own, or in the place of a tracked file."""
    if not (folder / ".git").exists():
        return "not a file"
    try:
        return "another work tree" if locate(str(folder)).linked else ANOTHER_REPOSITORY
    except NotARepository:
        return "unreadable"


def _is_inside(path: str) -> bool:
    return bool(path) and not path.startswith("/") and ".." not in path.split("/") and "\0" not in path


def _is_internal(path: str) -> bool:
    return (
        "/.git/" in path
        or is_pack_internal(path)
        or (_is_below(path, NEVER_INDEXED) and not _is_below(path, ALWAYS_INDEXED))
    )


def _is_below(path: str, folders: tuple[str, ...]) -> bool:
    return any(path.startswith(folder) and path[len(folder) : len(folder) + 1] in ("/", "") for folder in folders)


def _is_real_folder(root: Path, folder: str, folders: dict[str, bool]) -> bool:
    """Whether no part of a folder's path is a link. Git also lists files whose folder has become a link."""
    cached = folders.get(folder)
    if cached is None:
        real = _is_real_folder(root, folder.rpartition("/")[0], folders)
        cached = folders[folder] = real and not os.path.islink(root / folder)  # noqa: PTH114 (hot)
    return cached


def _tool_memory_files(root: Path) -> Iterator[str]:
    """Yield other tools' memory files, which are indexed even if git ignores them."""
    files, folders = read_if_ignored()
    yield from (path for path in files if os.path.lexists(root / path))
    yield from (path for folder in folders for path in _walk_folder(root, None, folder) if is_read_if_ignored(path))


def _walk_folder(root: Path, ignore: IgnoreTree | None, top: str = "") -> Iterator[str]:
    """Yield the paths of all files and links below `top`, without entering links or ignored folders."""
    folders_left = [top]
    while folders_left:
        folder = folders_left.pop()
        try:
            with os.scandir(root / folder) as entries:
                found = list(entries)
        except OSError as error:
            raise_if_exhausted(error)
            continue  # vanished or unreadable
        for entry in found:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if not entry.is_dir(follow_symlinks=False):
                yield path
            elif not _is_skipped_folder(path, ignore):
                folders_left.append(path)


def _is_skipped_folder(folder: str, ignore: IgnoreTree | None) -> bool:
    """Whether a folder need not be entered."""
    if any(inner.startswith(folder + "/") for inner in ALWAYS_INDEXED):
        return False
    if _is_internal(folder + "/"):
        return True
    if ignore is None or _is_below(folder, ALWAYS_INDEXED):
        return False
    return ignore.is_folder_ignored(folder) or ignore.is_excluded(folder + "/")
