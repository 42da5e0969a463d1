"""Edits a file of another program atomically, with one backup, and restores it byte for byte.

`add` and `remove` are functions over the file's text.
"""

from __future__ import annotations

import difflib
import os
from typing import TYPE_CHECKING

from muninn_core.errors import MuninnError, ReadOnlyError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Change = Callable[[str], str]

BACKUP = ".muninn-backup"
"""The suffix of the backup, which is made before the first edit."""

_BOM = b"\xef\xbb\xbf"


class Edit:
    """A planned edit: the bytes of `path` (links resolved) before and after it; None means no file."""

    def __init__(self, path: str, before: bytes | None, after: bytes | None, backup: str) -> None:
        self.path = path
        self.before = before
        self.after = after
        self.backup = backup
        """The action on the backup: "make", "drop" or "keep"."""
        self._made: list[str] = []

    @property
    def changes(self) -> bool:
        """Whether the edit changes the file."""
        return self.before != self.after

    def diff(self) -> str:
        """Return the edit as a unified diff."""
        old, new = (_lines(side) for side in (self.before, self.after))
        was, becomes = ("/dev/null" if side is None else self.path for side in (self.before, self.after))
        return "".join(difflib.unified_diff(old, new, was, becomes))

    def apply(self) -> None:
        """Write the file. Raises ReadOnlyError if that fails; then nothing was changed."""
        if not self.changes:
            return
        try:
            self._make_folders()
            if self.backup == "make" and self.before is not None:
                _replace(self.path + BACKUP, self.before, self.path)
            elif self.backup == "make":
                self.backup = "drop"  # an older backup would restore a file that no longer exists
            if self.after is None:
                os.unlink(self.path)
            else:
                _replace(self.path, self.after, self.path)
            if self.backup == "drop" and os.path.exists(self.path + BACKUP):
                os.unlink(self.path + BACKUP)
        except OSError as error:
            self._remove_folders()
            raise ReadOnlyError(f"{self.path} can't be written: {error.strerror}") from None

    def undo(self) -> None:
        """Undo an applied edit, because another one failed."""
        if not self.changes:
            return
        if self.before is None:
            os.unlink(self.path)
        else:
            _replace(self.path, self.before, self.path)
        if self.backup == "make" and os.path.exists(self.path + BACKUP):
            os.unlink(self.path + BACKUP)
        elif self.backup == "drop" and self.before is not None and self.after is not None:
            _replace(self.path + BACKUP, self.after, self.path)  # the edit had restored the backup
        self._remove_folders()

    def _make_folders(self) -> None:
        folder = os.path.dirname(self.path)
        while folder and not os.path.isdir(folder):
            self._made.append(folder)
            folder = os.path.dirname(folder)
        for folder in reversed(self._made):
            os.mkdir(folder)

    def _remove_folders(self) -> None:
        for folder in self._made:
            _remove_empty(folder)


def plan_addition(path: str, add: Change, remove: Change) -> Edit:
    """Plan an addition. A file without anything of ours is backed up. Raises MuninnError for a file that can't be
    parsed.
    """
    real = os.path.realpath(path)
    before = _read(real)
    text, bom = _decode(real, before)
    added = _change_text(real, add, text)
    if before is not None and added == text:
        return Edit(real, before, before, "keep")
    ours_already = _change_text(real, remove, text) != text
    return Edit(real, before, bom + added.encode(), "keep" if ours_already else "make")


def plan_removal(path: str, add: Change, remove: Change) -> Edit:
    """Plan to remove. If nothing else was changed since the addition, the backup is restored byte for byte.

    To find out, the pieces are added to the backup and removed again, and the result is compared.
    """
    real = os.path.realpath(path)
    before = _read(real)
    text, bom = _decode(real, before)
    left = _change_text(real, remove, text)
    if before is None or left == text:
        return Edit(real, before, before, "keep")
    saved = _read(real + BACKUP)
    if saved is not None and _round_trip(saved, add, remove) == left:
        return Edit(real, before, saved, "drop")
    after = bom + left.encode() if left or saved is not None else None
    return Edit(real, before, after, "keep")


def remove_folders(edits: Sequence[Edit], names: Sequence[str]) -> None:
    """Remove empty folders of deleted files, upwards while they have one of the given names."""
    for edit in edits:
        folder = os.path.dirname(edit.path)
        while edit.after is None and os.path.basename(folder) in names and _remove_empty(folder):
            folder = os.path.dirname(folder)


def _round_trip(saved: bytes, add: Change, remove: Change) -> str | None:
    try:
        return remove(add(_decode("the backup", saved)[0]))
    except UsageError:
        return None


def _change_text(path: str, change: Change, text: str) -> str:
    try:
        return change(text)
    except UsageError as error:
        raise MuninnError(f"{path}: {error.message}", hint=error.hint) from None


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise MuninnError(f"{path} can't be read: {error.strerror}") from None


def _decode(path: str, raw: bytes | None) -> tuple[str, bytes]:
    """Return the text and its byte order mark."""
    bom = _BOM if raw is not None and raw.startswith(_BOM) else b""
    try:
        return (raw or b"")[len(bom) :].decode(), bom
    except UnicodeDecodeError:
        raise MuninnError(f"{path} is not UTF-8", hint="Nothing was changed.") from None


def _lines(side: bytes | None) -> list[str]:
    lines = (side or b"").decode(errors="replace").splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n\\ No newline at end of file\n"
    return lines


def _replace(path: str, data: bytes, like: str) -> None:
    """Write a new file and move it into place, with the mode of the file `like` if that exists."""
    fresh = f"{path}.{os.getpid()}.new"
    # The mode from the start: a file of keys must at no time be readable by others.
    mode = os.stat(like).st_mode & 0o777 if os.path.exists(like) else None
    try:
        handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666 if mode is None else mode & 0o600)
        with open(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(fresh, mode)
        os.replace(fresh, path)
    except OSError:
        if os.path.exists(fresh):
            os.unlink(fresh)
        raise


def _remove_empty(folder: str) -> bool:
    try:
        os.rmdir(folder)
    except OSError:
        return False  # not empty
    return True
