"""Definitions, imports and calls of the indexed code, in tables of the manifest.

The tables hold facts of single files. `source/code/resolve.py` resolves imports to files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence, Set
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from muninn_core.source.code.definition import KINDS, Definition, Import, Syntax
from muninn_core.source.code.imports import lookup_names

if TYPE_CHECKING:
    import sqlite3

Rows = Callable[..., list[Any]]
"""Runs a query with its parameters on the manifest."""

SCHEMA = """
CREATE TABLE sources(id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, stem TEXT NOT NULL);
CREATE INDEX sources_stem ON sources(stem);
CREATE TABLE symbols(source INTEGER NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL, kind INTEGER NOT NULL,
  container TEXT NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL, lead INTEGER NOT NULL,
  signature TEXT NOT NULL, comment TEXT NOT NULL, PRIMARY KEY(source, number)) WITHOUT ROWID;
CREATE INDEX symbols_name ON symbols(name COLLATE NOCASE);
CREATE TABLE imports(source INTEGER NOT NULL, number INTEGER NOT NULL, line INTEGER NOT NULL, module TEXT NOT NULL,
  names TEXT NOT NULL, PRIMARY KEY(source, number)) WITHOUT ROWID;
CREATE TABLE tails(tail TEXT NOT NULL, source INTEGER NOT NULL, PRIMARY KEY(tail, source)) WITHOUT ROWID;
CREATE INDEX tails_source ON tails(source);
CREATE TABLE calls(name TEXT NOT NULL, source INTEGER NOT NULL, lines TEXT NOT NULL,
  PRIMARY KEY(name, source)) WITHOUT ROWID;
CREATE INDEX calls_source ON calls(source);
"""
"""`sources` numbers the files; a file keeps its number while it exists. `tails` holds the last parts of the modules
that a file imports, by which the importers of a file are found."""

_TABLES = ("symbols", "imports", "tails", "calls")
_CONTAINERS = re.compile(r"__init__\.pyi?|index\.(?:[mc]?[jt]sx?|vue|d\.ts)|mod\.rs")
"""Files that are imported by the name of their folder."""


class Symbol(NamedTuple):
    """A definition and the path of its file."""

    path: str
    definition: Definition


class Code:
    """The tables on one connection. `rows` runs queries. Changes must be made in a transaction of the manifest."""

    def __init__(self, rows: Rows, connection: sqlite3.Connection) -> None:
        self._rows = rows
        self._connection = connection

    # --- reading ---

    def number(self, path: str) -> int | None:
        """Return the number of a file."""
        found = self._rows("SELECT id FROM sources WHERE path = ?", (path,))
        return found[0][0] if found else None

    def outline(self, path: str) -> list[Definition]:
        """Return the definitions of a file by line."""
        sql = f"SELECT {_SYMBOL} FROM symbols WHERE source = (SELECT id FROM sources WHERE path = ?)"
        return [_definition(row) for row in self._rows(sql + " ORDER BY number", (path,))]

    def named(self, name: str) -> list[Symbol]:
        """Return the definitions of exactly this name, by path and line."""
        return self._symbols("s.name = ? COLLATE NOCASE AND s.name = ?", (name, name))

    def names(self, first: str = "", last: str = "") -> list[str]:
        """Return the distinct names of definitions: all, or those from `first` up to `last`, ignoring case."""
        if not first:
            return [row[0] for row in self._rows("SELECT DISTINCT name FROM symbols")]
        sql = "SELECT DISTINCT name FROM symbols WHERE name >= ? COLLATE NOCASE AND name < ? COLLATE NOCASE"
        return [row[0] for row in self._rows(sql, (first, last))]

    def exists(self, path: str) -> bool:
        """Whether a file is indexed."""
        return self.number(path) is not None

    def text(self, path: str) -> str:
        """Return the text of an indexed file, "" for an unknown path."""
        return "".join(row[0] for row in self._rows("SELECT text FROM chunks WHERE path = ? ORDER BY id", (path,)))

    def with_stem(self, stem: str) -> list[str]:
        """Return the files that are imported by this name (see `stem_of`), sorted."""
        return [row[0] for row in self._rows("SELECT path FROM sources WHERE stem = ? ORDER BY path", (stem,))]

    def folder(self, path: str) -> list[str]:
        """Return the files directly in a folder, sorted; "" is the root."""
        first = f"{path}/" if path else ""
        rows = self._rows(
            "SELECT path FROM sources WHERE path >= ? AND path < ? AND instr(substr(path, ?), '/') = 0 ORDER BY path",
            (first, f"{path}0" if path else "\U0010ffff", len(first) + 1),
        )
        return [row[0] for row in rows]

    def importing(self, path: str) -> list[tuple[str, Import]]:
        """Return (file, import) of the imports that could mean a file, by its name or its folder's; by path and line.

        Of a file with such an import, the imports of dots only (`from .. import x`) are returned, too.
        """
        wanted = marks(path)
        places = ",".join("?" * len(wanted))
        asked = f"SELECT DISTINCT source FROM tails WHERE tail IN ({places})"
        columns = "f.path, i.line, i.module, i.names FROM imports i JOIN sources f ON f.id = i.source"
        sql = f"SELECT {columns} WHERE i.source IN ({asked}) ORDER BY f.path, i.number"
        rows = self._rows(sql, sorted(wanted))
        return [
            (each, Import(line, module, _names(names)))
            for each, line, module, names in rows
            if may_refer_to(module, _names(names), wanted)
        ]

    def importing_modules(self, modules: Sequence[str]) -> list[tuple[str, Import]]:
        """Return (file, import) of the imports of some modules or of parts of them, by path and line."""
        tests, parameters = [], []
        for module in modules:
            tests.append("i.module = ? OR substr(i.module, 1, ?) IN (?, ?, ?)")
            parameters += [module, len(module) + 1, f"{module}.", f"{module}/", f"{module}:"]
        if not tests:
            return []
        columns = "f.path, i.line, i.module, i.names FROM imports i JOIN sources f ON f.id = i.source"
        rows = self._rows(f"SELECT {columns} WHERE {' OR '.join(tests)} ORDER BY f.path, i.number", parameters)
        return [(path, Import(line, module, _names(names))) for path, line, module, names in rows]

    def imports(self, path: str) -> list[Import]:
        """Return the imports of a file by line."""
        sql = "SELECT line, module, names FROM imports WHERE source = (SELECT id FROM sources WHERE path = ?)"
        rows = self._rows(sql + " ORDER BY number", (path,))
        return [Import(line, module, _names(names)) for line, module, names in rows]

    def called(self, name: str) -> list[tuple[str, tuple[int, ...]]]:
        """Return (path, lines) of the files that call a name, by path."""
        sql = "SELECT f.path, c.lines FROM calls c JOIN sources f ON f.id = c.source WHERE c.name = ?"
        return [(path, _numbers(lines)) for path, lines in self._rows(sql + " ORDER BY f.path", (name,))]

    def calls(self, path: str) -> list[tuple[str, tuple[int, ...]]]:
        """Return (name, lines) of what a file calls, by name."""
        sql = "SELECT name, lines FROM calls WHERE source = (SELECT id FROM sources WHERE path = ?) ORDER BY name"
        return [(name, _numbers(lines)) for name, lines in self._rows(sql, (path,))]

    def sizes(self) -> dict[str, int]:
        """Return {path: number of definitions} of all files, by path."""
        sql = "SELECT f.path, COUNT(s.source) FROM sources f LEFT JOIN symbols s ON s.source = f.id"
        return dict(self._rows(sql + " GROUP BY f.id ORDER BY f.path"))

    def counts(self) -> dict[str, int]:
        """Return the numbers of files, definitions, imports and calls (distinct names per file)."""
        tables = ("sources", "symbols", "imports", "calls")
        return {table: int(self._rows(f"SELECT COUNT(*) FROM {table}")[0][0]) for table in tables}

    def _symbols(self, condition: str, parameters: Sequence[object]) -> list[Symbol]:
        columns = ", ".join("s." + column.strip() for column in _SYMBOL.split(","))
        sql = f"SELECT {columns}, f.path FROM symbols s JOIN sources f ON f.id = s.source WHERE {condition}"
        rows = self._rows(sql + " ORDER BY f.path, s.number", parameters)
        return [Symbol(row[-1], _definition(row[:-1])) for row in rows]

    # --- writing ---

    def put(self, path: str, syntax: Syntax) -> None:
        """Store the facts of a file, in place of earlier ones."""
        number = self.number(path)
        if number is None:
            cursor = self._connection.execute("INSERT INTO sources(path, stem) VALUES(?, ?)", (path, stem_of(path)))
            assert cursor.lastrowid is not None
            number = cursor.lastrowid
        else:
            self._clear(number)
        insert = self._connection.executemany
        insert(
            "INSERT INTO symbols VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (number, n, d.name, _NUMBERS[d.kind], d.container, d.start, d.end, d.lead, d.signature, d.comment)
                for n, d in enumerate(syntax.definitions)
            ),
        )
        insert(
            "INSERT INTO imports VALUES(?, ?, ?, ?, ?)",
            ((number, n, i.line, i.module, ",".join(i.names)) for n, i in enumerate(syntax.imports)),
        )
        insert("INSERT INTO tails VALUES(?, ?)", ((tail, number) for tail in sorted(tails_of(path, syntax))))
        insert(
            "INSERT INTO calls VALUES(?, ?, ?)",
            ((c.name, number, " ".join(map(str, c.lines))) for c in syntax.calls),
        )

    def remove(self, path: str) -> None:
        """Delete a file."""
        number = self.number(path)
        if number is not None:
            self._clear(number)
            self._connection.execute("DELETE FROM sources WHERE id = ?", (number,))

    def _clear(self, number: int) -> None:
        for table in _TABLES:
            self._connection.execute(f"DELETE FROM {table} WHERE source = ?", (number,))


_SYMBOL = "name, kind, container, start, end, lead, signature, comment"
_NUMBERS = {kind: number for number, kind in enumerate(KINDS)}


def stem_of(path: str) -> str:
    """Return the name by which a file is imported: its own without suffixes, or its folder's."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0] or name
    if _CONTAINERS.fullmatch(name):
        return folder.rpartition("/")[2] or stem
    if name == "lib.rs" and folder.endswith("src"):
        return folder.removesuffix("/src").rpartition("/")[2].replace("-", "_")
    return stem


def tails_of(path: str, syntax: Syntax) -> set[str]:
    """Return the last parts of the modules that a file imports, by which the importers of a file are found."""
    found = {tail for one in syntax.imports for tail in lookup_names(one.module, one.names)}
    if any(not one.module.strip("./") for one in syntax.imports):
        found.update(path.split("/")[:-1])  # `from .. import x` means an enclosing folder
    return found


@lru_cache(maxsize=8_192)
def marks(path: str) -> frozenset[str]:
    """Return the last parts of module names that may mean a file."""
    folder, _, name = path.rpartition("/")
    return frozenset({stem_of(path), name, name.partition(".")[0], folder.rpartition("/")[2], name.removesuffix(".h")})


def may_refer_to(module: str, names: tuple[str, ...], wanted: Set[str]) -> bool:
    """Whether an import could mean a file with these `marks`. An import of dots only could mean any file."""
    return not _tails(module, names).isdisjoint(wanted) or not module.strip("./")


@lru_cache(maxsize=20_000)
def _tails(module: str, names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(lookup_names(module, names))


@lru_cache(maxsize=20_000)
def _names(listed: str) -> tuple[str, ...]:
    return tuple(listed.split(",")) if listed else ()


def _definition(row: Sequence[Any]) -> Definition:
    name, kind, container, start, end, lead, signature, comment = row
    return Definition(name, KINDS[kind], container, start, end, lead, signature, comment)


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split()))
