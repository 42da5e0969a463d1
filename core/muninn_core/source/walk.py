"""Lists the files of a work tree that are to be indexed, and counts those that are not, by reason.

Git says which files there are; in a folder without git its rules are applied by our own walk. Symbolic links are never
followed, so that no loop is possible and nothing outside the root is ever read.
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from muninn_core import git
from muninn_core.errors import NotARepository
from muninn_core.source.bridge import kept, kept_places
from muninn_core.source.classify import language_of
from muninn_core.source.ignore import ALWAYS_IN, ALWAYS_OUT, BINARY_SUFFIXES, IGNORE_FILE, IgnoreTree, is_pack_machinery
from muninn_core.source.text import head_is_binary

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from muninn_core.config import IndexConfig

    Stamps = Mapping[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class FileStamp:
    """A file as it was seen: its POSIX path relative to the root, size in bytes, time of change in nanoseconds."""

    path: str
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Walk:
    """What a walk found: files sorted by path, and how many were passed over for each reason."""

    files: list[FileStamp]
    skipped: dict[str, int]


def walk(root: Path, settings: IndexConfig, known: Stamps | None = None) -> Walk:
    """List the files below `root` that are to be indexed.

    `known` are (size, mtime_ns) of files that have been indexed: as long as these stay, a file is not opened to look
    for binary content, nor is one that is called like text. Raises NotARepository when the root is no folder that can
    be read.
    """
    try:
        with os.scandir(root):
            pass
    except OSError as error:
        raise NotARepository(
            f"the folder {root} can't be read: {error.strerror}", hint="name an existing folder with --repo"
        ) from error
    listed = git.list_files(root)
    names = (IGNORE_FILE,) if listed is not None else (".gitignore", IGNORE_FILE)
    ignore = IgnoreTree(root, names, settings.exclude)
    if listed is None:
        paths: Iterable[str] = _own_walk(root, ignore)
    else:
        own = (path for folder in ALWAYS_IN for path in _own_walk(root, None, folder))
        paths = {*listed, *own, *_kept(root)}
    return _select(root, paths, settings, ignore, known or {})


def recheck(root: Path, paths: list[str], settings: IndexConfig) -> Walk:
    """Judge paths that have changed by the rules of `walk`, without listing the tree.

    What is not among the files of the answer does not belong into the index (any more).
    """
    with_git = any((folder / ".git").exists() for folder in (root, *root.parents))
    inside = [path for path in paths if _inside(path)]
    asked = [path for path in inside if not (_below(path, ALWAYS_IN) or kept(path))]
    out = git.ignored_paths(root, asked) if with_git else set()
    ignore = IgnoreTree(root, (IGNORE_FILE,) if with_git else (".gitignore", IGNORE_FILE), settings.exclude)
    found = _select(root, (path for path in paths if path not in out), settings, ignore, {})
    if out:
        found.skipped["ignored"] = found.skipped.get("ignored", 0) + len(out)
    return Walk(found.files, dict(sorted(found.skipped.items())))


def _select(root: Path, paths: Iterable[str], settings: IndexConfig, ignore: IgnoreTree, known: Stamps) -> Walk:
    """Keep of `paths` what is to be indexed."""
    files: list[FileStamp] = []
    skipped: Counter[str] = Counter()
    folders: dict[str, bool] = {"": True}
    for path in sorted(set(paths)):
        found = _judge(root, path, settings, ignore, folders, known)
        if isinstance(found, FileStamp):
            files.append(found)
        else:
            skipped[found] += 1
    return Walk(files, dict(sorted(skipped.items())))


def _judge(
    root: Path, path: str, settings: IndexConfig, ignore: IgnoreTree, folders: dict[str, bool], known: Stamps
) -> FileStamp | str:
    """Return the stamp of a file to be indexed, or why it is passed over."""
    if not _inside(path):
        return "outside the root"
    if _internal(path):
        return "internal"
    if not path.isprintable() and not _utf8(path):
        return "name is not UTF-8"
    if not _below(path, ALWAYS_IN):
        if ignore.ignored(path):
            return "ignored"
        if ignore.excluded_by_default(path):
            return "excluded"
    if not _real_folder(root, path.rpartition("/")[0], folders):
        return "link"
    try:
        status = os.lstat(root / path)
    except FileNotFoundError:
        return "vanished"
    except OSError:
        return "unreadable"
    if stat.S_ISLNK(status.st_mode):
        return "link"
    if not stat.S_ISREG(status.st_mode):
        return "not a file"
    if status.st_size > settings.max_file_bytes:
        return "too large"
    if known.get(path) != (status.st_size, status.st_mtime_ns):
        if path.rpartition(".")[2].lower() in BINARY_SUFFIXES:
            return "binary"
        # What is called like text is left to its reader, who has to open it anyway: a large tree on a cold disk takes
        # minutes to look into, one file after the other.
        binary = head_is_binary(root, path) if language_of(path) == "text" else False
        if binary:
            return "binary" if binary is True else binary
    return FileStamp(path, status.st_size, status.st_mtime_ns)


def _inside(path: str) -> bool:
    return bool(path) and not path.startswith("/") and ".." not in path.split("/") and "\0" not in path


def _utf8(path: str) -> bool:
    """Whether a name can be written down: bytes that are no UTF-8 arrive as lone surrogates (PEP 383)."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _internal(path: str) -> bool:
    return "/.git/" in path or is_pack_machinery(path) or (_below(path, ALWAYS_OUT) and not _below(path, ALWAYS_IN))


def _below(path: str, folders: tuple[str, ...]) -> bool:
    return any(path.startswith(folder) and path[len(folder) : len(folder) + 1] in ("/", "") for folder in folders)


def _real_folder(root: Path, folder: str, folders: dict[str, bool]) -> bool:
    """Whether no link stands between the root and a folder. Git lists files whose folder has become a link since."""
    known = folders.get(folder)
    if known is None:
        real = _real_folder(root, folder.rpartition("/")[0], folders)
        known = folders[folder] = real and not os.path.islink(root / folder)  # noqa: PTH114 (hot)
    return known


def _kept(root: Path) -> Iterator[str]:
    """Yield what other tools keep and git may ignore; `.muninnignore` and the configuration still leave it out."""
    files, folders = kept_places()
    yield from (path for path in files if os.path.lexists(root / path))
    yield from (path for folder in folders for path in _own_walk(root, None, folder) if kept(path))


def _own_walk(root: Path, ignore: IgnoreTree | None, top: str = "") -> Iterator[str]:
    """Yield the paths of everything that is no folder below `top`, without entering links or ignored folders."""
    waiting = [top]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(root / folder) as entries:
                found = list(entries)
        except OSError:
            continue  # vanished, or not ours to read: what is in it can't be indexed
        for entry in found:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if not entry.is_dir(follow_symlinks=False):
                yield path
            elif not _closed(path, ignore):
                waiting.append(path)


def _closed(folder: str, ignore: IgnoreTree | None) -> bool:
    """Whether a folder need not be entered."""
    if any(inner.startswith(folder + "/") for inner in ALWAYS_IN):
        return False
    if _internal(folder + "/"):
        return True
    if ignore is None or _below(folder, ALWAYS_IN):
        return False
    return ignore.folder_ignored(folder) or ignore.excluded_by_default(folder + "/")
