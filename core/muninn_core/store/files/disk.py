"""Durable writes: acknowledged data is on disk, and a file is written completely or not at all.

Only this module of the store opens files for writing. It turns OSError into MuninnError. A new file is private (mode
0600 in folders of mode 0700, whatever the umask) unless it is `tracked`: it is for git, so the umask decides. No link
is followed, because a repository can bring links along.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from muninn_core.errors import MuninnError, ReadOnlyError, StorageError

TEMPORARY = ".tmp"
_READ_ONLY = {errno.EROFS, errno.EACCES, errno.EPERM}
_FULL = {errno.ENOSPC, errno.EDQUOT}


_tracked_umask: int | None = None


def set_tracked_umask(umask: int) -> None:
    """Give tracked files the modes of this umask. For a process that sets its own umask to keep others out."""
    global _tracked_umask
    _tracked_umask = umask


class AppendNotUndone(StorageError):
    """An append failed, and the file may end with a part of it; `length` is the length before, in bytes."""

    length = 0


def write_atomic(path: Path, content: bytes, *, tracked: bool = False) -> None:
    """Create or replace a file: write a temporary file, flush, rename, flush the folder.

    A tracked file that exists keeps its mode. Raises StorageError or ReadOnlyError; then the old file is unchanged.
    """
    temporary = path.with_name(path.name + TEMPORARY)
    with translate_errors(path):
        make_folder(path.parent, tracked=tracked)
        try:
            with _create(temporary, tracked=tracked, like=path) as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise
        flush_folder(path.parent)


def write_unflushed(path: Path, pieces: Iterable[bytes]) -> None:
    """Create or replace a cache file without flushing; a power failure may leave any content.

    Raises StorageError or ReadOnlyError, and what `pieces` raises; then the old file is unchanged.
    """
    with translate_errors(path):
        make_folder(path.parent)
        _replace_unflushed(path, path.with_name(path.name + TEMPORARY), pieces)


def write_private(path: Path, content: bytes) -> None:
    """Create or replace a private file without flushing. Safe for several threads.

    Raises StorageError or ReadOnlyError; then the old file is unchanged.
    """
    temporary = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}{TEMPORARY}")
    with translate_errors(path):
        make_private_folder(path.parent)
        _replace_unflushed(path, temporary, (content,))


def _replace_unflushed(path: Path, temporary: Path, pieces: Iterable[bytes]) -> None:
    try:
        with _create(temporary) as file:
            file.writelines(pieces)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def append(path: Path, content: bytes, length: int | None = None) -> int:
    """Append to a private file in one write and flush; return its length before. When the write fails, the file is
    truncated to that length.

    If even that fails, AppendNotUndone is raised; the next call passes its `length`, and the rest is cut off first.
    Raises StorageError or ReadOnlyError.
    """
    new = False
    with translate_errors(path):
        try:
            handle = os.open(path, _APPEND)
        except FileNotFoundError:
            new = True
            make_folder(path.parent)
            handle = os.open(path, _APPEND | os.O_CREAT, 0o600)
        try:
            if new:  # before the content: when this fails, nothing is stored
                flush_folder(path.parent)
            start = os.fstat(handle).st_size
            if length is not None and start > length:
                os.ftruncate(handle, length)
                start = length
            _write_or_truncate(path, handle, content, start)
        finally:
            os.close(handle)
    return start


def truncate(path: Path, length: int) -> None:
    """Shorten a file to `length` bytes and flush it. Raises StorageError or ReadOnlyError."""
    with translate_errors(path), path.open("r+b") as file:
        file.truncate(length)
        os.fsync(file.fileno())


def remove(path: Path) -> None:
    """Delete a file if it exists and flush its folder. Raises StorageError or ReadOnlyError."""
    with translate_errors(path):
        path.unlink(missing_ok=True)
        flush_folder(path.parent)


def remove_all(paths: Iterable[Path]) -> None:
    """Delete files and flush each of their folders once. Raises StorageError or ReadOnlyError."""
    folders: dict[Path, Path] = {}
    for path in paths:
        with translate_errors(path):
            path.unlink(missing_ok=True)
        folders.setdefault(path.parent, path)
    for folder, path in folders.items():
        with translate_errors(path):
            flush_folder(folder)


def write_tree(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Write tracked files by relative path into a new folder and flush everything.

    Raises StorageError or ReadOnlyError.
    """
    folders = {folder}
    with translate_errors(folder):
        make_folder(folder, tracked=True)
        for name, content in contents.items():
            path = folder / name
            make_folder(path.parent, tracked=True)
            folders.update(parent for parent in path.parents if parent.is_relative_to(folder))
            with _create(path, tracked=True, new=True) as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        for changed_folder in folders:
            flush_folder(changed_folder)


def remove_tree(folder: Path) -> None:
    """Delete a folder and its content if it exists. Raises StorageError or ReadOnlyError."""
    if os.path.lexists(folder):
        with translate_errors(folder):
            if folder.is_symlink():
                folder.unlink()  # never delete its target
            else:
                shutil.rmtree(folder)
            flush_folder(folder.parent)


def move(path: Path, target: Path) -> None:
    """Rename a file or folder and create the target's parent. Raises StorageError or ReadOnlyError."""
    with translate_errors(target):
        make_folder(target.parent)
        path.replace(target)
        flush_folder(target.parent)
        flush_folder(path.parent)


def make_folder(path: Path, *, tracked: bool = False) -> None:
    """Create a folder and its parents, and flush the parent of each new one. Raises OSError."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    for folder in reversed(missing):
        shared = tracked or folder.name == ".muninn"
        folder.mkdir(0o777 if shared else 0o700, exist_ok=True)
        if shared and _tracked_umask is not None:
            folder.chmod(0o777 & ~_tracked_umask)
    for folder in missing:
        flush_folder(folder.parent)


def make_private_folder(path: Path) -> None:
    """Create a folder and its parents with mode 0700, and keep others out of an existing one. Raises OSError."""
    make_folder(path)
    if os.name != "nt" and path.stat().st_mode & 0o077:
        with suppress(PermissionError):  # another user's: the system decides who may enter
            path.chmod(0o700)


def refuse_links(folders: Iterable[Path | str]) -> None:
    """Raise StorageError for a folder that is a link, which could lead reads and writes anywhere."""
    for folder in folders:
        try:
            status = os.lstat(folder)
        except OSError:
            continue  # it is not there
        if stat.S_ISLNK(status.st_mode):
            raise StorageError(
                f"{folder} is a link", hint="Muninn keeps its files in real folders. Remove the link, and try again."
            )


def flush_folder(path: Path) -> None:
    """Flush a folder, so that a new name in it survives a power failure. No-op on Windows. Raises OSError."""
    if sys.platform == "win32":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """Turn an OSError of the body into ReadOnlyError or StorageError, with a hint."""
    try:
        yield
    except OSError as error:
        raise _store_error(path, error) from error


def _store_error(path: Path, error: OSError) -> MuninnError:
    reason = error.strerror or str(error)
    if error.errno in _READ_ONLY:
        return ReadOnlyError(f"can't write {path}: {reason}", hint="Check the folder's permissions and its mount.")
    if error.errno in _FULL:
        return StorageError(f"can't write {path}: {reason}", hint="Make room on the disk; nothing was stored.")
    return StorageError(f"can't write {path}: {reason}", hint="Check the disk; nothing was stored.")


_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_APPEND = os.O_WRONLY | os.O_APPEND | _NO_LINK


def _create(path: Path, *, tracked: bool = False, like: Path | None = None, new: bool = False) -> BinaryIO:
    """Open a file for writing, empty. A tracked one gets the mode of `like` if that is a file, else the umask's."""
    if not new and path.is_symlink():
        path.unlink()
    flags = os.O_WRONLY | os.O_CREAT | (os.O_EXCL if new else os.O_TRUNC) | _NO_LINK
    handle = os.open(path, flags, 0o666 if tracked else 0o600)
    file = open(handle, "wb")  # noqa: PTH123, SIM115 (an open handle, which the caller closes)
    if os.name != "nt":
        existing = like.lstat().st_mode if tracked and like is not None and os.path.lexists(like) else 0
        if stat.S_ISREG(existing):
            os.fchmod(handle, stat.S_IMODE(existing))
        elif tracked and _tracked_umask is not None:
            os.fchmod(handle, 0o666 & ~_tracked_umask)
        elif not tracked:
            os.fchmod(handle, 0o600)  # a leftover of a crash keeps its mode
    return file


def _write_or_truncate(path: Path, handle: int, content: bytes, start: int) -> None:
    try:
        rest = memoryview(content)
        while rest:  # a write may be partial
            rest = rest[os.write(handle, rest) :]
        os.fsync(handle)
    except OSError as error:
        try:
            os.ftruncate(handle, start)
        except OSError:
            cause = _store_error(path, error)
            failure = AppendNotUndone(cause.message, hint=cause.hint)
            failure.length = start
            raise failure from error
        raise
