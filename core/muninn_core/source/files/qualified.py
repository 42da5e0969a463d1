"""Paths that name their repository, as `//NAME/PATH`. No path within a work tree begins so.

A search over several repositories tells files apart by such paths. Answers have the name and the path apart.
"""

from __future__ import annotations

_MARK = "//"


def qualified(name: str, path: str) -> str:
    """Return a path that names its repository; unchanged for "", this repository."""
    return f"{_MARK}{name}/{path}" if name else path


def split(path: str) -> tuple[str, str]:
    """Return (name of the repository, path in it); the name of this repository is ""."""
    if not path.startswith(_MARK):
        return "", path
    name, _, rest = path.removeprefix(_MARK).partition("/")
    return name, rest


def bare(path: str) -> str:
    """Return the path in its repository."""
    return split(path)[1] if path.startswith(_MARK) else path


def shown(path: str) -> str:
    """Return a path as texts show it: `NAME:PATH` for that of another repository."""
    name, inner = split(path)
    return f"{name}:{inner}" if name else path
