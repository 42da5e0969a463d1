"""Durable writing: what is answered is on the disk, and a file is whole or not there.

The only module of the store that opens files for writing; it turns the system's errors into ours.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from muninn_core.errors import MuninnError, ReadOnlyError, StorageError

TEMPORARY = ".tmp"
_READ_ONLY = {errno.EROFS, errno.EACCES, errno.EPERM}
_FULL = {errno.ENOSPC, errno.EDQUOT}


def write_whole(path: Path, content: bytes) -> None:
    """Make or replace a file in one step: temporary file, flush, rename, flush of the folder.

    Raises StorageError or ReadOnlyError, and then leaves what was there.
    """
    temporary = path.with_name(path.name + TEMPORARY)
    with writing(path):
        make_folder(path.parent)
        try:
            with temporary.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise
        flush_folder(path.parent)


def write_unflushed(path: Path, pieces: Iterable[bytes]) -> None:
    """Make or replace a file of the cache, without a flush: a power cut may leave any bytes there under its name.

    Raises StorageError or ReadOnlyError, and then leaves what was there; and whatever `pieces` raises.
    """
    temporary = path.with_name(path.name + TEMPORARY)
    with writing(path):
        make_folder(path.parent)
        try:
            with temporary.open("wb") as file:
                file.writelines(pieces)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)


def write_private(path: Path, content: bytes) -> None:
    """Make or replace a file that only its owner can read (0600), without a flush; several threads may do so at once.

    Raises StorageError or ReadOnlyError, and then leaves what was there.
    """
    temporary = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}{TEMPORARY}")
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), 0o600)
            with open(handle, "wb") as file:  # noqa: PTH123 (an open handle)
                file.write(content)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)


def append(path: Path, content: bytes, length: int | None = None) -> None:
    """Append in one write, and flush. When the write fails, the file is cut back to what it was.

    Should even that fail, the next call says with `length` how many bytes hold; the rest is cut off first.
    Raises StorageError or ReadOnlyError.
    """
    with writing(path):
        try:
            handle = os.open(path, _APPEND)
            new = False
        except FileNotFoundError:
            make_folder(path.parent)
            handle = os.open(path, _APPEND | os.O_CREAT, 0o644)
            new = True
        try:
            start = os.fstat(handle).st_size
            if length is not None and start > length:
                os.ftruncate(handle, length)
                start = length
            _write_or_cut(handle, content, start)
        finally:
            os.close(handle)
        if new:
            flush_folder(path.parent)


def cut(path: Path, length: int) -> None:
    """Shorten a file to `length` bytes and flush it. Raises StorageError or ReadOnlyError."""
    with writing(path), path.open("r+b") as file:
        file.truncate(length)
        os.fsync(file.fileno())


def remove(path: Path) -> None:
    """Delete a file if it is there and flush its folder. Raises StorageError or ReadOnlyError."""
    with writing(path):
        path.unlink(missing_ok=True)
        flush_folder(path.parent)


def remove_all(paths: Iterable[Path]) -> None:
    """Delete files, and flush each of their folders once. Raises StorageError or ReadOnlyError."""
    folders: dict[Path, Path] = {}
    for path in paths:
        with writing(path):
            path.unlink(missing_ok=True)
        folders.setdefault(path.parent, path)
    for folder, path in folders.items():
        with writing(path):
            flush_folder(folder)


def write_tree(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Write files by their paths below a new folder and flush all of it. Raises StorageError or ReadOnlyError."""
    folders = {folder}
    with writing(folder):
        make_folder(folder)
        for name, content in contents.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            folders.update(above for above in path.parents if above.is_relative_to(folder))
            with path.open("xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        for each in folders:
            flush_folder(each)


def remove_tree(folder: Path) -> None:
    """Delete a folder with all that is in it, if it is there. Raises StorageError or ReadOnlyError."""
    if os.path.lexists(folder):
        with writing(folder):
            if folder.is_symlink():
                folder.unlink()  # what it leads to is not ours
            else:
                shutil.rmtree(folder)
            flush_folder(folder.parent)


def move(path: Path, target: Path) -> None:
    """Rename a file or folder into a folder that may not be there yet. Raises StorageError or ReadOnlyError."""
    with writing(target):
        make_folder(target.parent)
        path.replace(target)
        flush_folder(target.parent)
        flush_folder(path.parent)


def make_folder(path: Path) -> None:
    """Make a folder and those above it, and flush the parent of each new one. Raises OSError."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    path.mkdir(parents=True, exist_ok=True)
    for folder in missing:
        flush_folder(folder.parent)


def flush_folder(path: Path) -> None:
    """Flush a folder, so that a file's new name outlives a power cut. Windows does that by itself. Raises OSError."""
    if sys.platform == "win32":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn an OSError of the body into ours: ReadOnlyError or StorageError, with what to do about it."""
    try:
        yield
    except OSError as error:
        raise _ours(path, error) from error


def _ours(path: Path, error: OSError) -> MuninnError:
    reason = error.strerror or str(error)
    if error.errno in _READ_ONLY:
        return ReadOnlyError(f"can't write {path}: {reason}", hint="Check the folder's permissions and its mount.")
    if error.errno in _FULL:
        return StorageError(f"can't write {path}: {reason}", hint="Make room on the disk; nothing was stored.")
    return StorageError(f"can't write {path}: {reason}", hint="Check the disk; nothing was stored.")


_APPEND = os.O_WRONLY | os.O_APPEND | getattr(os, "O_BINARY", 0)


def _write_or_cut(handle: int, content: bytes, start: int) -> None:
    try:
        left = memoryview(content)
        while left:  # a full disk or a signal may take a part only
            left = left[os.write(handle, left) :]
        os.fsync(handle)
    except OSError:
        try:
            os.ftruncate(handle, start)
        except OSError:
            pass  # the caller knows the length that holds, and cuts before its next write
        raise
