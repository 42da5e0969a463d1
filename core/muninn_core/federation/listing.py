"""What an organisation's server lists for `symbols`, `memories` and `graph`, for a daemon that merges it with its own.

The values travel as JSON.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from muninn_core.federation.importers import ListedImporter
from muninn_core.federation.remote_candidates import RemoteBranch
from muninn_core.model.memory import Memory
from muninn_core.model.value import Value
from muninn_core.protocol.families.code import CodeSymbol
from muninn_core.source.code.definition import Definition


class Listing(Value, forbid_unknown_fields=False):
    """The first results of a list, and the branches that they are from.

    `total` is the number of all results. `note` says what the list lacks.
    """

    total: int
    note: str = ""
    branches: tuple[RemoteBranch, ...] = ()
    symbols: tuple[CodeSymbol, ...] = ()
    memories: tuple[Memory, ...] = ()
    importers: tuple[ListedImporter, ...] = ()


class ListedSymbol(NamedTuple):
    """A definition and the file that has it."""

    path: str
    definition: Definition


class ListedNames:
    """The listed definitions of one repository: what `symbol_search` needs of an index."""

    def __init__(self, symbols: Sequence[CodeSymbol]) -> None:
        self._symbols = symbols

    def names(self) -> list[str]:
        """Return the distinct names."""
        return list(self._by_name)

    def named(self, name: str) -> list[ListedSymbol]:
        """Return the definitions of a name, by path and line."""
        return self._by_name.get(name, [])

    @cached_property
    def _by_name(self) -> dict[str, list[ListedSymbol]]:
        found: dict[str, list[ListedSymbol]] = {}
        for each in sorted(self._symbols, key=lambda one: (one.path, one.start_line)):
            lines = (each.start_line, each.end_line, each.start_line)
            definition = Definition(each.name, each.kind, each.container, *lines, each.signature, each.comment)
            found.setdefault(each.name, []).append(ListedSymbol(each.path, definition))
        return found
