"""Queries in the transaction of one question, and the paths of files in the branches that it reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from muninn_core.org.database.connections import Connection
from muninn_core.org.reading.branches import ReadBranches
from muninn_core.source.files.qualified import split


class Rows:
    """Runs queries. Row security limits what they see."""

    def __init__(self, connection: Connection, tenant: int, branches: ReadBranches) -> None:
        self.connection = connection
        self.tenant = tenant
        self.branches = branches

    def __call__(self, sql: str, **values: object) -> list[Any]:
        """Return the rows of a query. It may use `tenant`, and the values by their names."""
        values = {"tenant": self.tenant, **values}
        return self.connection.execute(sql.encode(), values, binary=True).fetchall()

    def paths_of(self, files: Sequence[int]) -> dict[int, str]:
        """Return {file id: path}, in the first branch by name that holds the file."""
        rows = self(
            "SELECT id, path, first FROM files_by_id(%(files)s::bigint[], %(order)s::integer[])",
            files=list(files),
            order=self.branches.ordered,
        )
        order = self.branches.order
        return {number: self.branches.qualified(order[first - 1], path) for number, path, first in rows}

    def files_at(self, paths: Sequence[str]) -> set[int]:
        """Return the ids of the files at some paths."""
        wanted = set(paths)
        bare = {split(path)[1] if len(self.branches) > 1 else path for path in wanted}
        rows = self(
            "SELECT p.branch, f.path, f.id FROM file f JOIN place p ON p.tenant = f.tenant AND p.file = f.id "
            "WHERE f.tenant = %(tenant)s AND f.path = ANY(%(paths)s)",
            paths=[path for path in bare if "\0" not in path],
        )
        return {number for branch, path, number in rows if self.branches.qualified(branch, path) in wanted}
