"""Finds definitions by name: whole, by its beginning, by CamelHumps, or by any part of it."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Protocol

from muninn_core.source.code.definition import KINDS
from muninn_core.source.files.classify import language_of, path_traits

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from muninn_core.retrieval.graphs.code_graph import Named
    from muninn_core.source.code.definition import Definition

_PARTS = re.compile(r"[A-Z0-9][a-z]*|[a-z]+")
_HUMPS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|_")
_LAST = frozenset({"test", "vendored", "generated"})
_RANK = {kind: number for number, kind in enumerate(KINDS)}


class Names(Protocol):
    """The names of all definitions."""

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
    """Return the best `limit` definitions for a name, and the number of all matches.

    `Class.method` restricts matches to members of a class. The order is: exact name, prefix, CamelHumps (`gUN` for
    getUserName), substring; then tests, vendored and generated files last; then kind, length of name, path and line.
    """
    found, total = find_across({"": code}, query, limit=limit, kind=kind, language=language, path=path)
    return [one for _, one in found], total


def find_across(
    codes: Mapping[str, Names],
    query: str,
    *,
    limit: int,
    kind: str | None = None,
    language: str | None = None,
    path: str | None = None,
) -> tuple[list[tuple[str, Named]], int]:
    """Return (name of the repository, definition) of the best matches in several repositories, ordered as in `find`.

    Equal matches are ordered by the names of their repositories.
    """
    found = [
        (order, name, one)
        for name, code in codes.items()
        for order, one in _matches(code, query, kind=kind, language=language, path=path)
    ]
    found.sort(key=lambda match: (*match[0][:4], match[1], *match[0][4:]))
    return [(name, one) for _, name, one in found[:limit]], len(found)


_Order = tuple[int, bool, int, int, str, int]


def _matches(
    code: Names, query: str, *, kind: str | None, language: str | None, path: str | None
) -> list[tuple[_Order, Named]]:
    """Return the matches with their sort keys: (rank, put last, kind, length of the name, path, line)."""
    container, _, name = query.strip().replace("::", ".").replace("#", ".").rpartition(".")
    close = name_ranker(name)
    ranked = sorted((rank, len(each), each) for each in code.names() if (rank := _rank(close, each)) is not None)
    found: list[tuple[_Order, Named]] = []
    for rank, length, each in ranked:
        for one in code.named(each):
            what = one.definition
            if kind is not None and what.kind != kind:
                continue
            if container and not f".{_owner(what)}".lower().endswith(f".{container}".lower()):
                continue
            if language is not None and language_of(one.path) != language:
                continue
            if path is not None and not (fnmatchcase(one.path, path) or one.path.startswith(path.rstrip("/") + "/")):
                continue
            behind = not _LAST.isdisjoint(path_traits(one.path))
            order = (rank, behind, _RANK[what.kind], length, one.path, what.start)
            found.append((order, one))
    return found


def _rank(close: Callable[[str], int | None], name: str) -> int | None:
    """Return the rank of a name; a dotted one (`Plug.Conn`) is found by its last part as well as by its whole."""
    rank = close(name.rpartition(".")[2]) if "." in name else None
    return close(name) if rank is None else rank


def _owner(definition: Definition) -> str:
    """Return what a definition is in, with the first parts of its own name if that is dotted (`Plug.Conn`)."""
    return ".".join(filter(None, (definition.container, definition.name.rpartition(".")[0])))


def name_ranker(query: str) -> Callable[[str], int | None]:
    """Return a function that ranks a name against the query: 0 is equal, higher is less similar, None is no match.

    It runs on all names of a repository, so cheap string tests come first.
    """
    lower = query.lower()
    bare, humps = lower.replace("_", ""), [part.lower() for part in _PARTS.findall(query)]
    in_order = re.compile(".*".join(map(re.escape, humps)))

    def close(name: str) -> int | None:
        low = name.lower()
        if query == name:
            return 0
        if low.startswith(lower):
            return 1 if low == lower else 2
        if len(humps) > 1 and in_order.search(low) and _humped(humps, name):
            return 3
        return 4 if bare in low.replace("_", "") or lower in low else None

    return close


def _humped(wanted: Sequence[str], name: str) -> bool:
    """Whether each wanted part begins a hump of the name, in order: `gUN`, `getNa`, `g_u_n`."""
    humps = iter(hump.lower() for hump in _HUMPS.findall(name) if hump != "_")
    return all(any(hump.startswith(part) for hump in humps) for part in wanted)
