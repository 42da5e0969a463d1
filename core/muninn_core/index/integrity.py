"""Whether the files of an index are those that its writer left, and the removal of files that are not.

The seal is a file beside the index. It says `open` while the index is being changed, and has the size and CRC-32 of
each file otherwise. An index without a valid seal is rebuilt. After a crash in the middle of a change SQLite checks its
own structure, and the files of the word index have checksums of their own.
"""

from __future__ import annotations

import errno
import json
import logging
import os
import re
import shutil
import sqlite3
import stat
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from muninn_core.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

log = logging.getLogger("muninn.index")

SEAL = "sums.json"
STATE = "state.sqlite"
WORDS = "tantivy"
_STATE_FILES = (STATE, f"{STATE}-wal", f"{STATE}-shm")
_SEALED_STATE = _STATE_FILES[:2]
_SURVEY = "survey"
_OPEN = {"open": True}
_PART = 1 << 20

_FULL = frozenset((errno.ENOSPC, errno.EDQUOT))
_LIMITS = frozenset((errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN))
"""A process has too many descriptors, too little memory or, for EAGAIN, too many threads."""
_NO_THREAD = "Failed to spawn"
"""How tantivy's errors begin where the system gives it no further thread, or no memory for one."""

_SHORTAGES = _FULL | _LIMITS | {errno.EROFS, errno.EACCES, errno.EPERM}
_WRITTEN_NUMBER = re.compile(r"(?:os error |code: |Errno )(\d{1,5})\b")
"""The number of an error in a message of Rust or Python."""

_SQLITE_SHORTAGES = ("SQLITE_FULL", "SQLITE_NOMEM", "SQLITE_READONLY", "SQLITE_CANTOPEN")
_SQLITE_FULL = _SQLITE_SHORTAGES[:1]
_SQLITE_NO_MEMORY = _SQLITE_SHORTAGES[1:2]


class DamagedIndex(StorageError):
    """A file of the index does not hold what was written. The index can be rebuilt from the work tree."""


class Seal:
    """The checksums of the files of an index. The caller lets one thread use it at a time."""

    def __init__(self, cache: Path) -> None:
        self._cache = cache
        self._path = cache / SEAL
        self._open = False

    def check(self) -> bool:
        """Compare all files with the seal. Return False when the last writer crashed, so that the seal is open.

        A word index that differs is deleted: it is made from the rest. Raises DamagedIndex when there is no valid seal
        or another file differs, OSError when a file can't be read.
        """
        try:
            content = json.loads(self._path.read_bytes())
        except (OSError, ValueError) as error:
            raise DamagedIndex(f"the checksums of the index are missing: {error}") from error
        if content == _OPEN:
            return False
        files = content.get("files") if isinstance(content, dict) else None
        if not isinstance(files, dict):
            raise DamagedIndex("the checksums of the index can't be read")
        wal = _SEALED_STATE[1]
        if wal not in files and _size(self._cache / wal):
            raise DamagedIndex(f"{wal} is no file of this index")
        if content.get("log_moved") and not _size(self._cache / wal):  # a reader may have left an empty one
            files = {name: known for name, known in files.items() if name != wal}
        for name, known in sorted(files.items()):  # the state comes before the words
            if _checksum(self._cache / name) != known:
                if not name.startswith(WORDS):
                    raise DamagedIndex(f"{name} has changed since it was written")
                log.warning("%s has changed since it was written: the word index is rebuilt", name)
                discard(self._cache / WORDS)
                break
        return True

    def begin(self) -> None:
        """Note on disk that the index is being changed. Raises OSError."""
        if not self._open:
            self._write(_OPEN)
            self._open = True

    def finish(self, *, merged: bool, log_moved: bool = False) -> None:
        """Store the checksums of the files, which do not change until `begin`. Raises OSError.

        `merged`: no merge of the word index is going on, so that its list of segments does not change either.
        `log_moved`: all of the write-ahead log is in the database. SQLite deletes the log with the last reader.
        """
        if self._open:
            names = [name for name in _SEALED_STATE if (self._cache / name).exists()]
            names += [f"{WORDS}/{name}" for name in sorted(segment_files(self._cache / WORDS))]
            names += [f"{WORDS}/meta.json"] if merged else []
            self._write({"files": {name: _checksum(self._cache / name) for name in names}, "log_moved": log_moved})
            self._open = False

    def _write(self, content: dict[str, Any]) -> None:
        temporary = self._path.with_name(f"{SEAL}.tmp")
        temporary.write_text(json.dumps(content), "utf-8")
        temporary.replace(self._path)


def segment_files(folder: Path) -> set[str]:
    """Return the names of the existing files that the list of segments of a word index names.

    Raises DamagedIndex when the list can't be read, or a file of the list is missing.
    Source of the names: `SegmentMeta::relative_path` in tantivy's index_meta.rs.
    """
    try:
        segments = json.loads((folder / "meta.json").read_bytes())["segments"]
        wanted: dict[str, str] = {}
        for segment in segments:
            name = segment["segment_id"].replace("-", "")
            deletes = segment.get("deletes")
            wanted[name] = f"{name}.{deletes['opstamp']}.del" if deletes else ""
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DamagedIndex(f"the list of segments of the word index can't be read: {error}") from error
    there = {entry.name for entry in os.scandir(folder)}
    found = {name for name in there if name.partition(".")[0] in wanted and not name.endswith(".del")}
    deleted = {name for name in wanted.values() if name}
    if deleted - there or {name.partition(".")[0] for name in found} != wanted.keys():
        raise DamagedIndex("a segment of the word index is missing")
    return found | deleted


def check_words(folder: Path) -> None:
    """Compare the files of a word index with the checksums in their footers. Raises DamagedIndex, OSError.

    A file ends with a JSON footer that has the CRC-32 of what precedes it, the footer's length and a magic number, each
    of four bytes. Source: tantivy's footer.rs.
    """
    for name in sorted(segment_files(folder)):
        content = memoryview((folder / name).read_bytes())
        length, magic = int.from_bytes(content[-8:-4], "little"), int.from_bytes(content[-4:], "little")
        footer = len(content) - 8 - length
        try:
            sound = magic == _MAGIC and footer >= 0
            sound = sound and json.loads(bytes(content[footer:-8]))["crc"] == zlib.crc32(content[:footer])
        except (ValueError, KeyError, TypeError):
            sound = False
        if not sound:
            raise DamagedIndex(f"{name} of the word index is damaged")


_MAGIC = 1337


def delete_unreferenced(folder: Path) -> None:
    """Delete the files in a word index that none of its segments has. A writer that was killed leaves some.

    Tantivy fails on a leftover whose name it would use next. The caller holds the writer's lock. Raises DamagedIndex,
    OSError.
    """
    known = segment_files(folder)
    for entry in list(os.scandir(folder)):
        if entry.name not in known and entry.name != "meta.json" and not entry.name.startswith("."):
            discard(Path(entry.path))


def prepare(cache: Path) -> None:
    """Create the folder of an index in an existing one, and delete what can't be part of an index: entries of another
    kind, unreadable files.

    Raises OSError.
    """
    _make_usable(cache)
    words = cache / WORDS
    if words.exists() or words.is_symlink():
        _make_usable(words)
        for entry in list(os.scandir(words)):
            _discard_unless_file(Path(entry.path))
    for name in (*_STATE_FILES, SEAL):
        _discard_unless_file(cache / name)
    for name in (_SURVEY, f"{SEAL}.tmp"):
        discard(cache / name)  # left by a process that was killed


def clear(cache: Path) -> None:
    """Delete all files of an index. Raises OSError."""
    for name in (*_STATE_FILES, SEAL, f"{SEAL}.tmp", WORDS, _SURVEY):
        discard(cache / name)


def discard(path: Path) -> None:
    """Delete a file, or a folder with its content, also without permissions for it. Links are not followed.

    Raises OSError.
    """
    try:
        kind = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(kind):
        path.unlink(missing_ok=True)
        return

    def permit(again: Callable[[str], Any], name: str, _info: Any) -> None:
        if os.path.lexists(name):
            for each in (Path(name).parent, Path(name)):
                if not each.is_symlink() and each.is_dir():
                    each.chmod(0o700)
            if again in (os.unlink, os.rmdir):
                again(name)
            else:
                shutil.rmtree(name)

    shutil.rmtree(path, onerror=permit)


def is_exhausted(error: BaseException) -> bool:
    """Whether an error, or one of its causes, means that the system refused something: space, memory, descriptors,
    permission. Rebuilding the index would not help.
    """
    return is_at_limit(error) or any(_means(each, _SHORTAGES, _SQLITE_SHORTAGES) for each in _chain(error))


def is_full_disk(error: BaseException) -> bool:
    """Whether an error, or one of its causes, means that the disk or the user's part of it is full."""
    return any(_means(each, _FULL, _SQLITE_FULL) for each in _chain(error))


def is_at_limit(error: BaseException) -> bool:
    """Whether an error, or one of its causes, means that the process gets no more memory, threads or descriptors."""
    return any(
        isinstance(each, MemoryError) or _NO_THREAD in str(each) or _means(each, _LIMITS, _SQLITE_NO_MEMORY)
        for each in _chain(error)
    )


def _means(error: BaseException, numbers: frozenset[int], names: tuple[str, ...]) -> bool:
    """Whether an error has one of some numbers of the system, or a name of SQLite that begins with one of some."""
    if isinstance(error, OSError) and error.errno in numbers:
        return True
    if isinstance(error, sqlite3.Error) and (getattr(error, "sqlite_errorname", None) or "").startswith(names):
        return True
    return any(int(number) in numbers for number in _WRITTEN_NUMBER.findall(str(error)))


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    each: BaseException | None = error
    while each is not None and id(each) not in seen:
        seen.add(id(each))
        yield each
        each = each.__cause__ or each.__context__


def _make_usable(folder: Path) -> None:
    """Create a folder, in the place of another entry of its name if necessary."""
    if not folder.is_dir():
        discard(folder)
        folder.mkdir(mode=0o700, exist_ok=True)  # never its parents: the work tree may have been moved or removed
    elif not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        folder.chmod(0o700)


def _discard_unless_file(path: Path) -> None:
    try:
        kind = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISREG(kind) or not os.access(path, os.R_OK | os.W_OK):
        discard(path)


def _size(path: Path) -> int:
    """Return the size of a file, 0 for a missing one."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _checksum(path: Path) -> list[int]:
    """Return the size of a file and the CRC-32 of its content; none of both when it does not exist."""
    size = total = 0
    try:
        with path.open("rb") as file:
            while part := file.read(_PART):
                size += len(part)
                total = zlib.crc32(part, total)
    except FileNotFoundError:
        return []
    return [size, total]
