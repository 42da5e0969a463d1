"""Splits names of files and definitions into words.

Results are cached. The cache holds tens of thousands of names, so it uses tuples and interned strings to save memory.
"""

from __future__ import annotations

import re
from functools import lru_cache
from sys import intern

from muninn_core.source.identifiers import split_identifier

_RUN = re.compile(r"\w+")
_GENERIC_STEMS = frozenset({"index", "init", "__init__", "__main__", "mod", "main", "lib"})
"""File names that are replaced by the name of their folder."""


@lru_cache(maxsize=20_000)
def file_words(path: str) -> tuple[str, ...]:
    """Return the distinct words of a file's name, or of its folder's name for a generic one (`__init__.py`).

    Words after the first dot count, so that `SqlMapper.cs` matches "sql mapper" better than `SqlMapper.Async.cs`.
    """
    return words_of_name(_stem(path))


def is_file_name(name: str, path: str) -> bool:
    """Whether a name is exactly that of the file without its suffix, or of the folder of a generic one."""
    return _stem(path) == name


def _stem(path: str) -> str:
    folder, _, name = path.rpartition("/")
    visible = name.lstrip(".") or name
    stem = visible.rpartition(".")[0] or visible
    return folder.rpartition("/")[2] if stem.lower() in _GENERIC_STEMS and folder else stem


@lru_cache(maxsize=20_000)
def words_of_name(name: str) -> tuple[str, ...]:
    """Return the distinct words of a name, without the joined form of compound identifiers."""
    found: dict[str, None] = {}
    for run in _RUN.findall(name):
        expanded = split_identifier(run).split()
        found.update(dict.fromkeys(expanded[1:] if len(expanded) > 1 else expanded))
    return tuple(map(intern, found))
