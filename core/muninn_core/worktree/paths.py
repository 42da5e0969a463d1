"""Paths that clients name, relative to the root of a work tree."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath, PureWindowsPath

from muninn_core.errors import BadParams
from muninn_core.source.files.path_containment import MAX_NAME_BYTES, can_name_file, is_inside

_SHOWN = 200
"""The most characters of a path that a message repeats."""


def relative_path(path: str, root: Path) -> str:
    """Return a path relative to the root, with slashes.

    Raises BadParams when the system accepts no such path, or when it leads outside the work tree, also through a
    symbolic link.
    """
    shown = path if len(path) <= _SHOWN else f"{path[:_SHOWN]}…"
    if not path.strip() or "\0" in path:
        what = "contains NUL" if path.strip() else "is empty"
        raise BadParams(f"'{shown}' is not a path: it {what}", hint="Name files relative to the work tree's root.")
    given = PurePosixPath(path.replace("\\", "/"))
    if PureWindowsPath(path).is_absolute() and not Path(path).is_absolute():
        raise BadParams(f"'{shown}' is a path of another machine", hint="Name files relative to the work tree's root.")
    whole = Path(given) if given.is_absolute() else root / given
    plain = _without_dots(whole)
    if given.is_absolute() and not plain.is_relative_to(root):
        plain = Path(os.path.realpath(plain.parent), plain.name)  # named through a link to the root, as shells do
    if plain == root:
        raise BadParams(f"'{shown}' is the work tree itself", hint="Name a file or a folder below its root.")
    if not plain.is_relative_to(root):
        raise BadParams(f"'{shown}' is outside the work tree {root}", hint="Name files relative to its root.")
    relative = plain.relative_to(root).as_posix()
    if relative[1:2] == ":":
        hint = "Rename the file: Muninn takes the names alone that a clone can have on every system."
        raise BadParams(f"'{shown}' begins like a drive of Windows", hint=hint)
    if not can_name_file(relative):
        hint = f"A name has at most {MAX_NAME_BYTES} bytes."
        raise BadParams(f"'{shown}' is not a path that a file system takes", hint=hint)
    if not is_inside(root, relative):
        raise BadParams(
            f"'{shown}' leads outside the work tree {root} through a symbolic link", hint="Name a file below its root."
        )
    return relative


def _without_dots(path: Path) -> Path:
    """Return an absolute path without `.` and `..`; like the system, `..` of the top folder is the top folder."""
    top, *rest = path.parts
    parts: list[str] = []
    for part in rest:
        if part == "..":
            del parts[-1:]
        elif part != ".":
            parts.append(part)
    return Path(top, *parts)
