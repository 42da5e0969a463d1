"""Fills an organisation with renamed copies of its repositories, past the speed of pushes.

A copy renames a third of all names, as `bench growth` does, and its chunks are cut into words by the code of a push. A
vector is mixed from those of two chunks. Clones have other vectors and the same words.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np

from bench.harness.figure import Figure
from bench.speed.growth import WORD, Renaming
from muninn_core.index.vectors.quantise import quantise
from muninn_core.index.words.term_counts import LIST_BITS
from muninn_core.model.chunk import SOURCE_KINDS, Chunk
from muninn_core.model.value import replace
from muninn_core.org.database.connections import Connection, connect, copy_rows
from muninn_core.org.ingestion.chunking import CUTTER, ChunkData, ChunkedFile, Numbered, Row, Statistics, chunk_data
from muninn_core.org.ingestion.storage import (
    CHUNK_COLUMNS,
    FILE_COLUMNS,
    FREQUENCY_COLUMNS,
    chunk_id,
    chunk_row,
    file_row,
    frequency_rows,
    names_of,
    next_ids,
    read_chunk,
    read_syntax,
)
from muninn_core.source.identifiers import split_words

_MOST = 500
"""The chunks of a copied repository: larger ones are split."""


class Base(NamedTuple):
    """The files of a repository that is copied, and the words of all names."""

    name: str
    files: Sequence[ChunkedFile]


class Job(NamedTuple):
    """A copy to make: its number, and where."""

    admin: str
    tenant: int
    asker: int
    number: int


_bases: list[Base] = []
_vocabulary: list[str] = []
_vectors: list[Row] = []


def grow(admin: str, tenant: int, asker: int, chunks: int) -> list[Figure]:
    """Copy all repositories of a tenant until it has about so many chunks."""
    began = time.perf_counter()
    with connect(admin) as connection:
        connection.execute("SET search_path = muninn, public")
        _load(connection, tenant)
        size = sum(len(file.chunks) for base in _bases for file in base.files)
    jobs = [Job(admin, tenant, asker, number) for number in range(1, max(1, chunks // size))]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for number, _ in enumerate(pool.map(_copy, jobs)):
            if number % 5 == 0:
                print(f"copied {size * (number + 2):,} chunks in {time.perf_counter() - began:.0f} s", file=sys.stderr)
    figures = [Figure("copies", time.perf_counter() - began, "s", note=f"{len(jobs)} of {len(_bases)} repositories")]
    with connect(admin) as connection:
        connection.execute("VACUUM (ANALYZE)")
    return figures


def _load(connection: Connection, tenant: int) -> None:
    """Read the repositories that are copied, the words of their names, and their vectors."""
    _bases.extend(_read(connection, tenant))
    _vocabulary.extend(sorted({word for base in _bases for file in base.files for word in _words(file)}))
    _vectors.extend(
        piece.vector for base in _bases for file in base.files for piece in file.chunks if piece.vector is not None
    )


def small_bases(connection: Connection, tenant: int, least: int, most: int) -> list[Base]:
    """Return renamed copies of all repositories of a tenant, cut into parts of different sizes."""
    _load(connection, tenant)
    random = np.random.default_rng(0)
    parts = [
        part for base in _bases for part in _split(base.name, base.files, lambda: int(random.integers(least, most)))
    ]
    renaming = Renaming(1, _vocabulary)
    return [Base(f"{part.name}-{number}", _renamed(part, renaming, number)) for number, part in enumerate(parts)]


def _read(connection: Connection, tenant: int) -> Iterator[Base]:
    sql = (
        "SELECT r.name, b.id FROM branch b JOIN repository r ON r.id = b.repository "
        "WHERE b.tenant = %s AND b.commit <> ''"
    )
    for name, branch in connection.execute(sql, (tenant,)).fetchall():
        pieces: dict[int, list[ChunkData]] = {}
        sql = (
            "SELECT c.file, c.data, c.vector FROM chunk c JOIN place p ON p.tenant = c.tenant "
            "AND p.file = c.file WHERE c.tenant = %s AND p.branch = %s ORDER BY c.id"
        )
        for file, data, vector in connection.execute(sql, (tenant, branch)):
            row = None if vector is None else np.frombuffer(vector, np.int8)
            pieces.setdefault(file, []).append(chunk_data(read_chunk(data)[0], "", "", row))
        sql = (
            "SELECT f.id, f.path, f.content, f.kind, f.language, f.generated, f.syntax FROM file f JOIN place p "
            "ON p.tenant = f.tenant AND p.file = f.id WHERE f.tenant = %s AND p.branch = %s AND f.kind <> 2"
        )
        rows = connection.execute(sql, (tenant, branch)).fetchall()
        files = [
            ChunkedFile(
                path, content, SOURCE_KINDS[kind], language, generated, read_syntax(syntax),
                tuple(pieces.get(number, ())), "",
            )
            for number, path, content, kind, language, generated, syntax in rows
        ]  # fmt: skip
        yield from _split(name, files, lambda: _MOST)


def _split(name: str, files: Sequence[ChunkedFile], most: Callable[[], int]) -> Iterator[Base]:
    """Yield repositories of about `most()` chunks, which is called for each."""
    part: list[ChunkedFile] = []
    number, wanted = 0, most()
    for file in files:
        part.append(file)
        if sum(len(each.chunks) for each in part) >= wanted:
            yield Base(f"{name}.{number}", part)
            part, number, wanted = [], number + 1, most()
    if part:
        yield Base(f"{name}.{number}", part)


def _words(file: ChunkedFile) -> set[str]:
    return {word.lower() for piece in file.chunks for word in WORD.findall(piece.chunk.text)}


def _copy(job: Job) -> None:
    renaming = Renaming(job.number, _vocabulary)
    with connect(job.admin) as connection, connection.transaction():
        connection.execute("SET search_path = muninn, public")
        for base in _bases:
            store(
                connection, job.tenant, job.asker, f"{base.name}-{job.number:04}", _renamed(base, renaming, job.number)
            )


def _renamed(base: Base, renaming: Renaming, number: int) -> list[ChunkedFile]:
    """Return the files of a copy, with words and vectors."""
    name, files = f"{base.name} {number} ", []
    random = np.random.default_rng(number)
    for file in base.files:
        path = _renamed_path(file.path, renaming)
        bodies, cut = [], []
        for piece in file.chunks:
            chunk = _renamed_chunk(piece.chunk, renaming, path)
            bodies.append(split_words(chunk.text))
            cut.append(
                chunk_data(chunk, "", bodies[-1], None if piece.vector is None else _mixed(piece.vector, random))
            )
        definitions = tuple(each._replace(name=renaming[each.name]) for each in file.syntax.definitions)
        files.append(
            file._replace(
                path=path,
                content=hashlib.sha1(name.encode() + file.content, usedforsecurity=False).digest(),
                syntax=file.syntax._replace(definitions=definitions),
                chunks=tuple(cut),
                whole=" ".join([split_words(path), *bodies]),
            )
        )
    return files


def _mixed(vector: Row, random: np.random.Generator) -> Row:
    """Return the vector of a renamed chunk: a third of it is that of another chunk."""
    other = _vectors[random.integers(len(_vectors))]
    mixed = 2 * vector.astype(np.float32) + other.astype(np.float32)
    return quantise(mixed[None] / np.linalg.norm(mixed))[0]


def _renamed_path(path: str, renaming: Renaming) -> str:
    stem, dot, ending = path.rpartition(".")
    return f"{renaming.apply(stem)}{dot}{ending}"


def _renamed_chunk(chunk: Chunk, renaming: Renaming, path: str) -> Chunk:
    parts = (chunk.text, chunk.symbol, chunk.title, chunk.signature, chunk.comment)
    text, symbol, title, signature, comment = renaming.apply("\0".join(parts)).split("\0")
    return replace(chunk, path=path, text=text, symbol=symbol, title=title, signature=signature, comment=comment)


def store(connection: Connection, tenant: int, asker: int, name: str, files: Sequence[ChunkedFile]) -> None:
    """Write a repository with one branch, which the asker may read."""
    statistics = Statistics()
    chunk_ids = iter(next_ids(connection, "chunk_id", sum(len(file.chunks) for file in files)))
    numbered = [
        Numbered(number, [chunk_id(piece.chunk.kind, next(chunk_ids)) for piece in file.chunks], file)
        for number, file in zip(next_ids(connection, "file_id", len(files)), files, strict=True)
    ]
    for each in numbered:
        statistics.add(each)
    sql = "INSERT INTO repository(tenant, name, default_ref) VALUES (%s, %s, 'main') RETURNING id"
    repository = connection.execute(sql, (tenant, name)).fetchone()[0]  # type: ignore[index]  # it returns a row
    connection.execute("INSERT INTO access VALUES (%s, %s, %s)", (tenant, repository, asker))
    sql = (
        "INSERT INTO branch(tenant, repository, ref, commit, committed, generation, cutter, chunks, documents, "
        "lengths) VALUES (%s, %s, 'main', %s, %s, 1, %s, %s, %s, %s) RETURNING id"
    )
    commit = hashlib.sha1(name.encode(), usedforsecurity=False).hexdigest()
    numbers = (statistics.chunks, statistics.documents, statistics.lengths)
    row = (tenant, repository, commit, datetime.now(UTC), CUTTER, *numbers)
    branch = connection.execute(sql, row).fetchone()[0]  # type: ignore[index]
    rows = (file_row(tenant, each.number, each.file) for each in numbered)
    copy_rows(connection, f"COPY file({FILE_COLUMNS}) FROM STDIN", rows)
    chunks = (
        chunk_row(tenant, number, each.number, piece)
        for each in numbered
        for number, piece in zip(each.chunks, each.file.chunks, strict=True)
    )
    copy_rows(connection, f"COPY chunk({CHUNK_COLUMNS}) FROM STDIN", chunks)
    copy_rows(connection, "COPY place FROM STDIN", ((tenant, branch, each.number) for each in numbered))
    symbols = ((tenant, name, each.number) for each in numbered for name in names_of(each.file))
    copy_rows(connection, "COPY symbol FROM STDIN", symbols)
    frequencies = (
        row for word, sums, *lists in statistics.rows() for row in frequency_rows(tenant, branch, word, sums, lists)
    )
    copy_rows(connection, f"COPY frequency({FREQUENCY_COLUMNS}) FROM STDIN", frequencies)


def clone(admin: str, tenant: int, asker: int, times: int) -> list[Figure]:
    """Clone all repositories of a tenant some times."""
    began = time.perf_counter()
    with connect(admin) as connection:
        connection.execute("SET search_path = muninn, public")
        sql = (
            "SELECT b.id, b.repository, r.name FROM branch b JOIN repository r ON r.id = b.repository "
            "WHERE b.tenant = %s AND b.commit <> '' ORDER BY b.id"
        )
        originals = connection.execute(sql, (tenant,)).fetchall()
        if not _vectors:
            _vectors.extend(_read_vectors(connection, tenant))
        last = connection.execute("SELECT max(id & (1::bigint << 40) - 1) FROM chunk").fetchone()[0]  # type: ignore[index]
        last = max(last, connection.execute("SELECT max(id) FROM file").fetchone()[0])  # type: ignore[index]
        for number in range(1, times + 1):
            with connection.transaction():
                _clone_all(connection, tenant, asker, originals, number, number * last)
            print(f"cloned {number} times in {time.perf_counter() - began:.0f} s", file=sys.stderr)
        connection.execute("SELECT setval('chunk_id', %s), setval('file_id', %s)", ((times + 1) * last,) * 2)
        connection.execute("VACUUM (ANALYZE)")
    return [Figure("clones", time.perf_counter() - began, "s", note=f"{times} of {len(originals)} repositories")]


def clone_until(connection: Connection, tenant: int, asker: int, names: Sequence[str], count: int) -> None:
    """Clone the repositories of some names until the tenant has so many branches."""
    sql = (
        "SELECT b.id, b.repository, r.name FROM branch b JOIN repository r ON r.id = b.repository "
        "WHERE b.tenant = %s AND r.name = ANY(%s) ORDER BY b.id"
    )
    originals = connection.execute(sql, (tenant, list(names))).fetchall()
    made: int = connection.execute("SELECT count(*) FROM branch WHERE tenant = %s", (tenant,)).fetchone()[0]  # type: ignore[index]
    while made < count:
        last = connection.execute("SELECT max(id & (1::bigint << 40) - 1) FROM chunk").fetchone()[0]  # type: ignore[index]
        last = max(last, connection.execute("SELECT max(id) FROM file").fetchone()[0])  # type: ignore[index]
        some = originals[: count - made]
        with connection.transaction():
            _clone_all(connection, tenant, asker, some, made, last)
            connection.execute("SELECT setval('chunk_id', %s), setval('file_id', %s)", (2 * last,) * 2)
        made += len(some)


def _read_vectors(connection: Connection, tenant: int) -> Iterator[Row]:
    """Yield vectors of a tenant, to mix others from."""
    sql = "SELECT vector FROM chunk WHERE tenant = %s AND vector IS NOT NULL ORDER BY id LIMIT 20000"
    for (vector,) in connection.execute(sql, (tenant,)):
        yield np.frombuffer(vector, np.int8)


def _clone_all(
    connection: Connection, tenant: int, asker: int, originals: Sequence[tuple[int, int, str]], number: int, shift: int
) -> None:
    """Clone branches with their files; ids are greater by `shift`."""
    connection.execute("CREATE TEMP TABLE mixed(id bigint PRIMARY KEY, vector bytea) ON COMMIT DROP")
    random = np.random.default_rng(-number % (1 << 32))
    for old, repository, name in originals:
        ids = [row[0] for row in connection.execute("SELECT file FROM place WHERE branch = %s", (old,))]
        sql = "SELECT id, vector FROM chunk WHERE tenant = %s AND file = ANY(%s) AND vector IS NOT NULL"
        rows = connection.execute(sql, (tenant, ids), binary=True).fetchall()
        connection.execute("DELETE FROM mixed")
        mixed = ((chunk, _mixed(np.frombuffer(row, np.int8), random).tobytes()) for chunk, row in rows)
        copy_rows(connection, "COPY mixed FROM STDIN", mixed)
        sql = (
            "INSERT INTO repository(tenant, name, default_ref) SELECT tenant, %s, default_ref FROM repository "
            "WHERE id = %s RETURNING id"
        )
        made = connection.execute(sql, (f"{name}-{number}", repository)).fetchone()[0]  # type: ignore[index]
        connection.execute("INSERT INTO access VALUES (%s, %s, %s)", (tenant, made, asker))
        sql = (
            "INSERT INTO branch(tenant, repository, ref, commit, committed, generation, cutter, chunks, documents, "
            "lengths) SELECT tenant, %s, ref, commit, committed, generation, cutter, chunks, documents, lengths "
            "FROM branch WHERE id = %s RETURNING id"
        )
        branch = connection.execute(sql, (made, old)).fetchone()[0]  # type: ignore[index]
        values = {"tenant": tenant, "files": ids, "shift": shift, "branch": branch, "name": name.encode()}
        for statement in _CLONE:
            connection.execute(statement.encode(), values)
        _clone_lists(connection, tenant, old, branch, shift)


_CLONE = (
    "INSERT INTO file(tenant, id, content, path, cutter, kind, language, generated, counts, syntax) SELECT tenant, "
    "id + %(shift)s, sha256(content || int8send(%(shift)s) || %(name)s), path, cutter, kind, language, generated, "
    "counts, syntax FROM file WHERE tenant = %(tenant)s AND id = ANY(%(files)s) ON CONFLICT DO NOTHING",
    "INSERT INTO chunk(tenant, id, file, kind, data, counts, vector) SELECT c.tenant, c.id + %(shift)s, "
    "c.file + %(shift)s, c.kind, c.data, c.counts, m.vector FROM chunk c LEFT JOIN mixed m ON m.id = c.id "
    "WHERE c.tenant = %(tenant)s AND c.file = ANY(%(files)s) ON CONFLICT DO NOTHING",
    "INSERT INTO place SELECT %(tenant)s, %(branch)s, unnest(%(files)s::bigint[]) + %(shift)s",
    "INSERT INTO symbol SELECT tenant, name, file + %(shift)s FROM symbol WHERE tenant = %(tenant)s "
    "AND file = ANY(%(files)s) ON CONFLICT DO NOTHING",
)
"""What copies the rows of the files of a branch. Files that two branches share are shared by their clones."""


def _clone_lists(connection: Connection, tenant: int, old: int, branch: int, shift: int) -> None:
    """Clone the statistics of a branch, with the ids of its inverted lists shifted."""
    sql = (
        "SELECT word, part, body, symbol, title, path, whole, chunks, files FROM frequency "
        "WHERE tenant = %s AND branch = %s ORDER BY word, part"
    )
    rows = connection.execute(sql, (tenant, old), binary=True).fetchall()
    lists = [_shifted([row[column] for row in rows], shift) for column in (-2, -1)]
    frequencies = (
        (tenant, word, branch, *numbers, chunks, files)
        for (word, *numbers, _, _), chunks, files in zip(rows, *lists, strict=True)
    )
    copy_rows(connection, f"COPY frequency({FREQUENCY_COLUMNS}) FROM STDIN", frequencies)


def _shifted(lists: Sequence[bytes], shift: int) -> list[bytes]:
    joined = (np.frombuffer(b"".join(lists), "<i8") + (shift << LIST_BITS)).tobytes()
    ends = np.cumsum([len(each) for each in lists])
    return [joined[end - len(each) : end] for end, each in zip(ends.tolist(), lists, strict=True)]
