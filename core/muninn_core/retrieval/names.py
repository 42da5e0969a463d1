"""The words of names: of files and of what chunks define. They are asked for again and again, so they are kept.

Tens of thousands are kept, so they are tuples, not sets, and strings that are equal are one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from sys import intern
from typing import NamedTuple

from muninn_core.retrieval.query import beginning
from muninn_core.source.identifiers import words

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


class Name(NamedTuple):
    """A name that a chunk defines: its distinct words and their beginnings."""

    name: str
    words: tuple[str, ...]
    beginnings: tuple[str, ...]


class Defined(NamedTuple):
    """The distinct names that a chunk defines, as they are written, and as words."""

    written: tuple[str, ...]
    names: tuple[Name, ...]
    beginnings: tuple[str, ...]


@lru_cache(maxsize=16_000)
def defined(symbol: str) -> Defined:
    """Return what a chunk defines, by its `symbol`: names with blanks between."""
    written = tuple(dict.fromkeys(symbol.split()))
    split = ((name, _parts(name)) for name in written)
    names = tuple([Name(name, parts, _beginnings(parts)) for name, parts in split if parts])
    if len(names) == 1:
        return Defined(written, names, names[0].beginnings)
    return Defined(written, names, _beginnings([word for name in names for word in name.words]))


def _beginnings(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([intern(beginning(word)) for word in words]))


def _parts(name: str) -> tuple[str, ...]:
    """Return the distinct words of a name, without those that are a run of several in one piece."""
    found: dict[str, None] = {}
    for run in _RUN.findall(name):
        expanded = words(run).split()
        found.update(dict.fromkeys(expanded[1:] if len(expanded) > 1 else expanded))
    return tuple(map(intern, found))
