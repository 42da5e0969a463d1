"""Paths that clients name, relative to the root of a work tree."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath, PureWindowsPath

from muninn_core.errors import BadParams


def relative_path(path: str, root: Path) -> str:
    """Return a path relative to the root, with slashes. Raises BadParams when it leads outside the repository."""
    given = PurePosixPath(path.replace("\\", "/"))
    if PureWindowsPath(path).is_absolute() and not Path(path).is_absolute():
        raise BadParams(f"'{path}' is a path of another machine", hint="Name files relative to the repository's root.")
    whole = Path(given) if given.is_absolute() else root / given
    parts: list[str] = []
    for part in (whole if whole.is_absolute() else root / whole).parts:
        if part == "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    plain = Path(*parts)
    if given.is_absolute() and not plain.is_relative_to(root):
        plain = Path(os.path.realpath(plain.parent), plain.name)  # named through a link to the root, as shells do
    if plain == root or not plain.is_relative_to(root):
        raise BadParams(f"'{path}' is outside the repository {root}", hint="Name files relative to its root.")
    return plain.relative_to(root).as_posix()
