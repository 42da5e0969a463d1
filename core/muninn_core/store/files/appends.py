"""Appends to files of records, and the lengths to which failed ones are cut back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from muninn_core.errors import MuninnError, StorageError
from muninn_core.store.files.disk import AppendNotUndone, append, truncate
from muninn_core.store.files.lines import MAX_FILE_BYTES
from muninn_core.store.records.record import Record


class Appends:
    """Appends records to spools. A file that a failed append could not cut back is cut before it is used again."""

    def __init__(self) -> None:
        self._valid_lengths: dict[Path, int] = {}

    def write(self, path: Path, records: tuple[Record, ...]) -> int:
        """Append records to a file and flush it; return its length before, 0 without records. Raises StorageError.

        When that fails and the file can't be cut back either, the next call or `repair` does it.
        """
        if not records:
            return 0
        try:
            length = append(path, _encode(records), self._valid_lengths.get(path))
        except AppendNotUndone as error:
            self._valid_lengths[path] = error.length
            raise
        self._valid_lengths.pop(path, None)
        return length

    def undo(self, path: Path, length: int, records: tuple[Record, ...]) -> None:
        """Undo `write` after the rest of a call failed. A failure is left to the next call or `repair`."""
        if records:
            self._valid_lengths[path] = length
            try:
                truncate(path, length)
            except MuninnError:
                return
            del self._valid_lengths[path]

    def repair(self, path: Path) -> None:
        """Cut a file back that exists and ends with a failed append. Raises StorageError."""
        if path in self._valid_lengths and path.exists():
            truncate(path, self._valid_lengths[path])
        self._valid_lengths.pop(path, None)

    def repair_all(self) -> None:
        """Cut all files back that end with a failed append. Raises StorageError."""
        for path in list(self._valid_lengths):
            self.repair(path)

    def forget(self) -> None:
        """Take all files as they are, after they were replaced."""
        self._valid_lengths.clear()


def check_size(path: Path, records: Sequence[Record], hint: str) -> None:
    """Raise StorageError when a file would exceed the size that is read again."""
    more = sum(len(record.line) + 1 for record in records)
    if more and more + (path.stat().st_size if path.exists() else 0) > MAX_FILE_BYTES:
        raise StorageError(f"{path} would exceed {MAX_FILE_BYTES:,} bytes; nothing was stored", hint=hint)


def _encode(records: Iterable[Record]) -> bytes:
    return b"".join(record.line + b"\n" for record in records)
