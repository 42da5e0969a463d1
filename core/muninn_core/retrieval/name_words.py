"""The words of names: of files and of what chunks define. They are asked for again and again, so they are kept.

Tens of thousands are kept, so they are tuples, not sets, and strings that are equal are one.
"""

from __future__ import annotations

import re
from functools import lru_cache
from sys import intern

from muninn_core.source.identifiers import split_identifier

_RUN = re.compile(r"\w+")
_SAY_NOTHING = frozenset({"index", "init", "__init__", "__main__", "mod", "main", "lib"})
"""Names of files that are called by their folder."""


@lru_cache(maxsize=20_000)
def file_words(path: str) -> tuple[str, ...]:
    """Return the distinct words of a file's name; of its folder's where the name says nothing (`__init__.py`)."""
    folder, _, name = path.rpartition("/")
    stem = name.lstrip(".").partition(".")[0] or name
    if stem.lower() in _SAY_NOTHING and folder:
        stem = folder.rpartition("/")[2]
    return _parts(stem)


@lru_cache(maxsize=20_000)
def name_words(name: str) -> tuple[str, ...]:
    """Return the distinct words of one name that a chunk defines."""
    return _parts(name)


def _parts(name: str) -> tuple[str, ...]:
    """Return the distinct words of a name, without those that are a run of several in one piece."""
    found: dict[str, None] = {}
    for run in _RUN.findall(name):
        expanded = split_identifier(run).split()
        found.update(dict.fromkeys(expanded[1:] if len(expanded) > 1 else expanded))
    return tuple(map(intern, found))
