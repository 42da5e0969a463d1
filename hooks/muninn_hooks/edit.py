"""Edits a JSON file of another program: whole or not at all, with one backup, and back to the byte.

It knows nothing of what is edited: `add` and `remove` are functions over the parsed file.
"""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any

from muninn_core.errors import ReadOnlyError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    Change = Callable[[dict[str, Any]], dict[str, Any]]

BACKUP = ".muninn-backup"
"""Added to a file's name: the file as it was before it was first edited."""


class Edit:
    """A planned edit: the bytes that `path` (links resolved) has, and those it shall have; None is no file."""

    def __init__(self, path: str, before: bytes | None, after: bytes | None, backup: str) -> None:
        self.path = path
        self.before = before
        self.after = after
        self.backup = backup
        """What happens to the backup: "make", "drop" or "keep"."""

    @property
    def changes(self) -> bool:
        """Whether there is anything to do."""
        return self.before != self.after

    def apply(self) -> None:
        """Write. Raises ReadOnlyError when the folder takes no files; then nothing was changed."""
        if not self.changes:
            return
        try:
            if self.backup == "make" and self.before is not None:
                _replace(self.path + BACKUP, self.before, self.path)
            elif self.backup == "make":
                self.backup = "drop"  # one of another time would bring back what is no more
            if self.after is None:
                os.unlink(self.path)
                _remove_empty(os.path.dirname(self.path))
            else:
                os.makedirs(os.path.dirname(self.path), exist_ok=True)
                _replace(self.path, self.after, self.path)
            if self.backup == "drop" and os.path.exists(self.path + BACKUP):
                os.unlink(self.path + BACKUP)
        except OSError as error:
            raise ReadOnlyError(f"{self.path} can't be written: {error.strerror}") from None


def plan_addition(path: str, add: Change, remove: Change) -> Edit:
    """Plan to add. A file that holds nothing of ours yet is backed up. Raises UsageError for broken JSON."""
    real = os.path.realpath(path)
    before = _read(real)
    data = _parse(real, before)
    added = _checked(real, add, data)
    if before is not None and added == data:
        return Edit(real, before, before, "keep")
    ours_already = remove(data) != data
    return Edit(real, before, _dump(added, before), "keep" if ours_already else "make")


def plan_removal(path: str, remove: Change) -> Edit:
    """Plan to remove. When nothing else was changed since the addition, the file becomes what it was, to the byte."""
    real = os.path.realpath(path)
    before = _read(real)
    data = _parse(real, before)
    left = _checked(real, remove, data)
    if before is None or left == data:
        return Edit(real, before, before, "keep")
    saved = _read(real + BACKUP)
    if saved is None:
        return Edit(real, before, _dump(left, before) if left else None, "keep")
    try:
        original = _parse(real, saved)
    except UsageError:
        return Edit(real, before, _dump(left, before), "keep")
    same = json.dumps(_bare(left)) == json.dumps(_bare(original))
    return Edit(real, before, saved, "drop") if same else Edit(real, before, _dump(left, before), "keep")


def _bare(data: Any) -> Any:
    """Return the data without empty tables and lists: they may have been there before we filled and emptied them."""
    if not isinstance(data, dict):
        return data
    bare = {key: _bare(value) for key, value in data.items()}
    return {key: value for key, value in bare.items() if value not in ({}, [])}


def _checked(path: str, change: Change, data: dict[str, Any]) -> dict[str, Any]:
    try:
        return change(data)
    except UsageError as error:
        raise UsageError(f"{path}: {error.message}", hint=error.hint) from None


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror}") from None


def _parse(path: str, raw: bytes | None) -> dict[str, Any]:
    if raw is None or not raw.strip():
        return {}
    try:
        data = json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not UTF-8", hint="Nothing was changed.") from None
    except json.JSONDecodeError as error:
        raise UsageError(
            f"{path} is not JSON: {error.msg} in line {error.lineno}, column {error.colno}",
            hint="Nothing was changed. Correct the file, then try again.",
        ) from None
    if not isinstance(data, dict):
        raise UsageError(f"{path} does not hold an object", hint="Nothing was changed.")
    return data


def _dump(data: dict[str, Any], before: bytes | None) -> bytes:
    """Encode with the indentation that the file has."""
    text = (before or b"").decode("utf-8-sig")
    found = re.search(r"\n([ \t]+)\"", text)
    indent: int | str = found[1] if found else 2
    return json.dumps(data, indent=indent, ensure_ascii=False).encode() + b"\n"


def _replace(path: str, data: bytes, like: str) -> None:
    """Write beside the file and move it there, with the mode of the file `like` where that exists."""
    fresh = f"{path}.{os.getpid()}.new"
    try:
        with open(fresh, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if os.path.exists(like):
            os.chmod(fresh, os.stat(like).st_mode & 0o777)
        os.replace(fresh, path)
    except OSError:
        if os.path.exists(fresh):
            os.unlink(fresh)
        raise


def _remove_empty(folder: str) -> None:
    try:
        if os.path.basename(folder) == ".claude":
            os.rmdir(folder)
    except OSError:
        pass  # something else is in it
