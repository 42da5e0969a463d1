"""Finds definitions by name: whole, by its beginning, by CamelHumps, or by any part of it."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Protocol

from muninn_core.source.classify import language_of, traits
from muninn_core.source.definition import KINDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from muninn_core.retrieval.graph import Named

_HUMPS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|_")
_BEHIND = frozenset({"test", "vendored", "generated"})
_RANK = {kind: number for number, kind in enumerate(KINDS)}


class Names(Protocol):
    """The names that there are, and what they stand for."""

    def names(self) -> Sequence[str]:
        """Return the distinct names of definitions."""

    def named(self, name: str) -> Sequence[Named]:
        """Return the definitions of a name."""


def find(
    code: Names,
    query: str,
    *,
    limit: int,
    kind: str | None = None,
    language: str | None = None,
    path: str | None = None,
) -> tuple[list[Named], int]:
    """Return the best definitions for a name, and how many there are in all.

    `Class.method` asks for a method of a class. The whole name comes before its beginning, that before humps (`gUN`
    for getUserName), these before parts; then what is written here and no test, by kind, shorter names, path and line.
    """
    container, _, name = query.strip().replace("::", ".").replace("#", ".").rpartition(".")
    ranked = sorted((rank, len(each), each) for each in code.names() if (rank := closeness(name, each)) is not None)
    found: list[tuple[tuple[int, bool, int, int, str, int], Named]] = []
    for rank, length, each in ranked:
        for one in code.named(each):
            what = one.definition
            if kind is not None and what.kind != kind:
                continue
            if container and not f".{what.container}".lower().endswith(f".{container}".lower()):
                continue
            if language is not None and language_of(one.path) != language:
                continue
            if path is not None and not (fnmatchcase(one.path, path) or one.path.startswith(path.rstrip("/") + "/")):
                continue
            behind = not _BEHIND.isdisjoint(traits(one.path))
            order = (rank, behind, _RANK[what.kind], length, one.path, what.start)
            found.append((order, one))
    found.sort(key=lambda pair: pair[0])
    return [one for _, one in found[:limit]], len(found)


def closeness(query: str, name: str) -> int | None:
    """Return how close a name is to what was asked for: 0 is the same, higher is further, None is not at all."""
    if query == name:
        return 0
    low, lower = name.lower(), query.lower()
    if low == lower:
        return 1
    if low.startswith(lower):
        return 2
    if _humped(query, name):
        return 3
    if lower in low or lower.replace("_", "") in low.replace("_", ""):
        return 4
    return None


def _humped(query: str, name: str) -> bool:
    """Whether each hump of the query begins a hump of the name, in order: `gUN`, `getNa`, `g_u_n`."""
    wanted = re.findall(r"[A-Z0-9][a-z]*|[a-z]+", query)
    if len(wanted) < 2:
        return False
    humps = iter(hump.lower() for hump in _HUMPS.findall(name) if hump != "_")
    return all(any(hump.startswith(part.lower()) for hump in humps) for part in wanted)
