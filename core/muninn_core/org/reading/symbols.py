"""The names of definitions in the branches that a question reads."""

from __future__ import annotations

import re

from muninn_core.index.manifest.code_facts import Symbol
from muninn_core.org.reading.file_rows import FileRows

_HUMPS = re.compile(r"[A-Z0-9][a-z]*|[a-z]+")


class SymbolNames:
    """The names that a query may match. `symbol_search.find` ranks them."""

    def __init__(self, stored: FileRows, query: str) -> None:
        self._stored = stored
        self._pattern = _pattern(query.strip().replace("::", ".").replace("#", ".").rpartition(".")[2])
        self._symbols: dict[str, list[Symbol]] | None = None

    def names(self) -> list[str]:
        """Return the distinct names of definitions that the query may match."""
        return list(self._found())

    def named(self, name: str) -> list[Symbol]:
        """Return the definitions of a name, by path and line."""
        return self._found().get(name, [])

    def _found(self) -> dict[str, list[Symbol]]:
        if self._symbols is None:
            self._symbols = self._stored.symbols(self._pattern)
        return self._symbols


def _pattern(name: str) -> str:
    """Return a regular expression, without regard to case, for all names that a query may match."""
    letters = "_*".join(map(_escaped, name.replace("_", ""))) or _escaped(name)
    humps = ".*".join(map(_escaped, _HUMPS.findall(name)))
    return f"{letters}|{humps}" if humps else letters


def _escaped(text: str) -> str:
    return "".join(letter if letter.isalnum() else f"\\{letter}" for letter in text)
