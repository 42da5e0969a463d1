"""Rows of chunks and files for candidates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from muninn_core.model.chunk import SOURCE_KINDS, SourceKind
from muninn_core.org.reading.rows import Rows


class RowOfChunk(NamedTuple):
    """What is stored of a chunk beside its text. The vectors are 8-bit numbers."""

    file: int
    counts: bytes
    vector: bytes | None
    encoding: bytes | None
    states: bytes | None


class RowOfFile(NamedTuple):
    """What is stored of a file beside its path."""

    id: int
    kind: SourceKind
    language: str
    generated: bool
    counts: bytes


def commits(rows: Rows) -> dict[int, list[str]]:
    """Return {id of a branch: the commits of its last pushes, the newest first}."""
    return dict(rows("SELECT id, commits FROM branch WHERE tenant = %(tenant)s"))


def rows_of_chunks(rows: Rows, ids: Sequence[int]) -> dict[int, RowOfChunk]:
    """Return {id: row} of chunks."""
    found = rows(
        "SELECT id, file, counts, vector, encoding, states FROM chunk WHERE tenant = %(tenant)s AND id = ANY(%(ids)s)",
        ids=list(ids),
    )
    return {number: RowOfChunk(*row) for number, *row in found}


def rows_of_files(rows: Rows, ids: Sequence[int]) -> list[RowOfFile]:
    """Return the rows of files, by id."""
    found = rows(
        "SELECT id, kind, language, generated, counts FROM file WHERE tenant = %(tenant)s AND id = ANY(%(ids)s) "
        "ORDER BY 1",
        ids=list(ids),
    )
    return [
        RowOfFile(number, SOURCE_KINDS[kind], language, generated, bytes(counts))
        for number, kind, language, generated, counts in found
    ]
