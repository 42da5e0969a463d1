"""Rows about files: where they are, their texts, definitions and imports, and names of packages."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from muninn_core.index.manifest.code_facts import Symbol
from muninn_core.model.chunk import SOURCE_KINDS, SourceKind
from muninn_core.org.ingestion.chunking import CUTTER
from muninn_core.org.ingestion.storage import read_chunk, read_syntax
from muninn_core.org.reading.rows import Rows
from muninn_core.source.code.definition import Syntax

_MAX_SYMBOL_FILES = 2_000
"""The most files whose definitions are read for one query."""


class HeldFile(NamedTuple):
    """A file that a branch holds, by its path in the repository."""

    branch: int
    id: int
    path: str


class FileRows:
    """The files of the branches that a question reads."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def at(self, path: str) -> list[HeldFile]:
        """Return the files at a path, by branch."""
        rows = self._rows(
            "SELECT p.branch, f.id, f.path FROM file f JOIN place p ON p.tenant = f.tenant AND p.file = f.id "
            "WHERE f.tenant = %(tenant)s AND f.path = %(path)s AND f.kind <> 2 ORDER BY 1",
            path=path,
        )
        return list(map(HeldFile._make, rows))

    def of_branch(self, branch: int) -> list[tuple[int, str, SourceKind, str]]:
        """Return (id, path, kind, language) of the files of a branch, by path."""
        rows = self._rows(
            "SELECT f.id, f.path, f.kind, f.language FROM place p JOIN file f ON f.tenant = p.tenant AND f.id = p.file "
            "WHERE p.tenant = %(tenant)s AND p.branch = %(branch)s AND f.kind <> 2",
            branch=branch,
        )
        found = ((number, path, SOURCE_KINDS[kind], language) for number, path, kind, language in rows)
        return sorted(found, key=lambda row: row[1])

    def counts(self) -> dict[int, int]:
        """Return {branch: number of its files}."""
        return dict(
            self._rows(
                "SELECT p.branch, count(*) FROM place p JOIN file f ON f.tenant = p.tenant AND f.id = p.file "
                "WHERE p.tenant = %(tenant)s AND f.kind <> 2 GROUP BY p.branch"
            )
        )

    def syntax(self, files: Sequence[int]) -> dict[int, Syntax]:
        """Return {file id: what the file defines and imports}."""
        sql = "SELECT id, syntax FROM file WHERE tenant = %(tenant)s AND id = ANY(%(files)s)"
        return {file: read_syntax(data) for file, data in self._rows(sql, files=list(files))}

    def syntax_of_branch(self, branch: int) -> list[tuple[int, str, Syntax]]:
        """Return (id, path, syntax) of the files of a branch, by path."""
        rows = self._rows(
            "SELECT f.id, f.path, f.syntax FROM place p JOIN file f ON f.tenant = p.tenant AND f.id = p.file "
            "WHERE p.tenant = %(tenant)s AND p.branch = %(branch)s AND f.kind <> 2",
            branch=branch,
        )
        return sorted((number, path, read_syntax(data)) for number, path, data in rows)

    def texts(self, files: Sequence[int]) -> dict[int, str]:
        """Return {file id: text}; a blank file is left out."""
        sql = "SELECT file, data FROM chunk WHERE tenant = %(tenant)s AND file = ANY(%(files)s) ORDER BY id"
        found: dict[int, list[str]] = {}
        for file, data in self._rows(sql, files=list(files)):
            found.setdefault(file, []).append(read_chunk(data)[0].text)
        return {file: "".join(parts) for file, parts in found.items()}

    def comment(self, file: int) -> str:
        """Return the comment of the first chunk of a file."""
        sql = "SELECT data FROM chunk WHERE tenant = %(tenant)s AND file = %(file)s ORDER BY id LIMIT 1"
        rows = self._rows(sql, file=file)
        return read_chunk(rows[0][0])[0].comment if rows else ""

    def symbols(self, pattern: str) -> dict[str, list[Symbol]]:
        """Return {name: definitions by path and line} of the names that match a regular expression of PostgreSQL."""
        return self._symbols("s.name ~* %(wanted)s", pattern)

    def named(self, name: str) -> list[Symbol]:
        """Return the definitions of exactly this name, by path and line."""
        return self._symbols("s.name = %(wanted)s", name).get(name, []) if "\0" not in name else []

    def _symbols(self, condition: str, wanted: str) -> dict[str, list[Symbol]]:
        rows = self._rows(
            f"SELECT s.file, array_agg(s.name) FROM symbol s WHERE s.tenant = %(tenant)s AND {condition} "
            f"GROUP BY s.file ORDER BY s.file LIMIT {_MAX_SYMBOL_FILES}",
            wanted=wanted,
        )
        names = {file: set(found) for file, found in rows}
        paths = self._rows.paths_of(list(names))
        found: dict[str, list[Symbol]] = {}
        for file, syntax in self.syntax(list(names)).items():
            for each in syntax.definitions:
                if each.name in names[file]:
                    found.setdefault(each.name, []).append(Symbol(paths[file], each))
        return {name: sorted(each, key=lambda one: (one.path, one.definition.start)) for name, each in found.items()}

    def naming(
        self, names: Sequence[tuple[str, int]], own: Collection[tuple[int, int]], limit: int
    ) -> list[tuple[int, int, str]]:
        """Return (file id, branch, path) of at most `limit` files with one of some names of packages.

        `names` are (name, number of the package), and `own` has (number, branch) of the branches that are left out for
        a package. A file that several branches hold is there for each of them.
        """
        rows = self._rows(
            "SELECT DISTINCT d.file, p.branch, f.path FROM unnest(%(names)s::text[], %(numbers)s::integer[]) "
            "AS s(name, number) JOIN dependency d ON d.tenant = %(tenant)s AND d.name = s.name "
            "JOIN place p ON p.tenant = d.tenant AND p.file = d.file "
            "JOIN file f ON f.tenant = d.tenant AND f.id = d.file "
            "WHERE NOT EXISTS (SELECT 1 FROM unnest(%(own)s::integer[], %(branches)s::integer[]) AS o(number, branch) "
            "WHERE o.number = s.number AND o.branch = p.branch) ORDER BY p.branch, d.file LIMIT %(limit)s",
            names=[name for name, _ in names],
            numbers=[number for _, number in names],
            own=[number for number, _ in own],
            branches=[branch for _, branch in own],
            limit=limit,
        )
        return [(file, branch, self._rows.branches.qualified(branch, path)) for file, branch, path in rows]

    def publishers(self, names: Sequence[str]) -> set[tuple[int, int]]:
        """Return (place in `names`, branch) of the branches with a file that has the name of a package."""
        rows = self._rows(
            "SELECT DISTINCT d.name, p.branch FROM dependency d "
            "JOIN place p ON p.tenant = d.tenant AND p.file = d.file "
            "WHERE d.tenant = %(tenant)s AND d.name = ANY(%(names)s)",
            names=list(names),
        )
        return {(number, branch) for found, branch in rows for number, name in enumerate(names) if name == found}

    def cut_before(self) -> int:
        """Return the number of branches whose files an earlier version cut."""
        sql = "SELECT count(*) FROM branch WHERE tenant = %(tenant)s AND cutter <> %(cutter)s AND commit <> ''"
        return int(self._rows(sql, cutter=CUTTER)[0][0])
