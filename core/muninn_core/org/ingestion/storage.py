"""Writes the chunked files and memories of a branch. The caller opens the transaction, as the role of writers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from muninn_core.index.vectors.vector_index import KIND_BITS
from muninn_core.index.words.term_counts import LIST_BITS, count_terms
from muninn_core.model.chunk import SOURCE_KINDS, Chunk, SourceKind
from muninn_core.model.memory import Memory
from muninn_core.model.value import decoder_of, encode_json
from muninn_core.org.database.connections import Connection, copy_rows
from muninn_core.org.ingestion.chunking import CUTTER, ChunkData, ChunkedFile, Numbered, Statistics, chunk_data
from muninn_core.org.ingestion.package_names import names_of_packages
from muninn_core.source.code.definition import Syntax
from muninn_core.source.identifiers import split_words

Part = tuple[bytes, bytes]
"""A row of the inverted lists of a word: entries of chunks and of files."""

Key = tuple[str, bytes]
"""The path and the id of the content of a file. The path of a memory is its key."""

CHUNK_COLUMNS = "tenant, id, file, kind, data, counts, vector, encoding, states"
FILE_COLUMNS = "tenant, id, content, path, cutter, kind, language, generated, counts, syntax"
FREQUENCY_COLUMNS = "tenant, word, branch, part, body, symbol, title, path, whole, chunks, files"
_PART = (168, 56)
"""The entries of chunks and of files in one row, so that rows of eight bytes each fit into the index of words."""

_MOVES = 0x6D756E69
"""The first key of the advisory locks of tenants."""

_MAX_COMMITS = 20
"""Commits of earlier pushes that are known of a branch."""

_MAX_NAME_BYTES = 2_000
"""The longest name that is stored. A row of an index of PostgreSQL has at most 2,704 bytes."""

_MAX_CHUNKED = 500
"""Files that are read at once to subtract their statistics."""

read_chunk = decoder_of(tuple[Chunk, str])
read_memory = decoder_of(Memory)
read_syntax = decoder_of(Syntax)


class Branch(NamedTuple):
    """A branch in the database. `commit` is "" before its first push, `cutter` the version that cut its files."""

    id: int
    commit: str
    cutter: int


def lock_branch(connection: Connection, tenant: int, repository: int, ref: str) -> Branch:
    """Return a branch, created if needed. Until the end of the transaction, other pushes to it wait."""
    connection.execute(
        "INSERT INTO branch(tenant, repository, ref, commit, committed) VALUES (%s, %s, %s, '', now()) "
        "ON CONFLICT DO NOTHING",
        (tenant, repository, ref),
    )
    row = connection.execute(
        "SELECT id, commit, cutter FROM branch WHERE repository = %s AND ref = %s FOR UPDATE", (repository, ref)
    ).fetchone()
    assert row is not None
    return Branch(*row)


def lock_tenant(connection: Connection, tenant: int) -> None:
    """Let one transaction at a time move branches of a tenant, so that no file is deleted that another one shares."""
    connection.execute("SELECT pg_advisory_xact_lock(%s, %s)", (_MOVES, tenant))


def missing(connection: Connection, tenant: int, keys: Iterable[Key]) -> list[Key]:
    """Return those of the keys that the tenant does not have in this version of the cutter."""
    connection.execute("CREATE TEMP TABLE IF NOT EXISTS wanted(path text, content bytea) ON COMMIT DROP")
    connection.execute("DELETE FROM wanted")
    copy_rows(connection, "COPY wanted(path, content) FROM STDIN", iter(keys))
    rows = connection.execute(
        "SELECT w.path, w.content FROM wanted w WHERE NOT EXISTS (SELECT 1 FROM file f WHERE f.tenant = %s "
        "AND f.path = w.path AND f.content = w.content AND f.cutter = %s) ORDER BY w.path",
        (tenant, CUTTER),
    )
    return rows.fetchall()


def store_files(connection: Connection, tenant: int, files: Sequence[ChunkedFile]) -> None:
    """Store files that the tenant does not have. A file that another push stored meanwhile is left as it is."""
    ids = next_ids(connection, "file_id", len(files))
    connection.execute("CREATE TEMP TABLE IF NOT EXISTS cut(LIKE file INCLUDING DEFAULTS) ON COMMIT DROP")
    connection.execute("DELETE FROM cut")
    rows = (file_row(tenant, number, file) for number, file in zip(ids, files, strict=True))
    copy_rows(connection, f"COPY cut({FILE_COLUMNS}) FROM STDIN", rows)
    stored = connection.execute(
        f"INSERT INTO file({FILE_COLUMNS}) SELECT {FILE_COLUMNS} FROM cut ON CONFLICT DO NOTHING RETURNING id"
    )
    new = {row[0] for row in stored}
    kept = [(number, file) for number, file in zip(ids, files, strict=True) if number in new]
    _store_chunks(connection, tenant, kept)
    symbols = ((tenant, name, number) for number, file in kept for name in names_of(file))
    _insert(connection, "symbol", "tenant, name, file", symbols)
    packages = ((tenant, name, number) for number, file in kept for name in sorted(names_of_packages(file)))
    _insert(connection, "dependency", "tenant, name, file", packages)


def _store_chunks(connection: Connection, tenant: int, files: Sequence[tuple[int, ChunkedFile]]) -> None:
    ids = iter(next_ids(connection, "chunk_id", sum(len(file.chunks) for _, file in files)))
    rows = (
        chunk_row(tenant, chunk_id(piece.chunk.kind, next(ids)), number, piece)
        for number, file in files
        for piece in file.chunks
    )
    _insert(connection, "chunk", CHUNK_COLUMNS, rows)


def put_places(connection: Connection, tenant: int, branch: int, keys: Iterable[Key]) -> tuple[list[int], list[int]]:
    """Let a branch hold exactly the files of some keys, of which those that the tenant lacks are left out.

    Returns the ids of the files that it did not have before, and of those that it has no more.
    """
    connection.execute("CREATE TEMP TABLE IF NOT EXISTS wanted(path text, content bytea) ON COMMIT DROP")
    connection.execute("DELETE FROM wanted")
    copy_rows(connection, "COPY wanted(path, content) FROM STDIN", iter(keys))
    gone = connection.execute(
        "DELETE FROM place p USING file f WHERE p.tenant = %(tenant)s AND p.branch = %(branch)s "
        "AND f.tenant = p.tenant AND f.id = p.file AND NOT EXISTS (SELECT 1 FROM wanted w "
        "WHERE w.path = f.path AND w.content = f.content AND f.cutter = %(cutter)s) RETURNING p.file",
        {"tenant": tenant, "branch": branch, "cutter": CUTTER},
    ).fetchall()
    new = connection.execute(
        "INSERT INTO place(tenant, branch, file) SELECT %(tenant)s, %(branch)s, f.id FROM wanted w JOIN file f "
        "ON f.tenant = %(tenant)s AND f.path = w.path AND f.content = w.content AND f.cutter = %(cutter)s "
        "ON CONFLICT DO NOTHING RETURNING file",
        {"tenant": tenant, "branch": branch, "cutter": CUTTER},
    ).fetchall()
    return sorted(row[0] for row in new), sorted(row[0] for row in gone)


def count_files(connection: Connection, tenant: int, added: Sequence[int], removed: Sequence[int]) -> Statistics:
    """Return the statistics of added files without those of removed ones."""
    found = Statistics()
    for ids, sign in ((added, 1), (removed, -1)):
        for start in range(0, len(ids), _MAX_CHUNKED):
            for item in _read_files(connection, tenant, ids[start : start + _MAX_CHUNKED]):
                found.add(item, sign)
    return found


def add_statistics(connection: Connection, tenant: int, branch: int, statistics: Statistics) -> None:
    """Add statistics to those of a branch, and the entries to its inverted lists."""
    rows = list(statistics.rows())
    stored_rows = connection.execute(
        "SELECT word, chunks, files FROM frequency WHERE tenant = %s AND branch = %s AND word = ANY(%s) "
        "ORDER BY word, part",
        (tenant, branch, [row[0] for row in rows]),
        binary=True,
    )
    stored: dict[str, list[Part]] = {}
    for word, *lists in stored_rows:
        stored.setdefault(word, []).append((lists[0], lists[1]))
    gone = [np.unique(np.array(ids, np.int64)) for ids in statistics.gone]
    ends: list[tuple[str, int]] = []

    def changed() -> Iterator[Sequence[object]]:
        for word, sums, *new in rows:
            before = stored.get(word, [])
            after = _parts(
                [_changed_list([part[table] for part in before], gone[table], new[table]) for table in (0, 1)]
            )
            ends.append((word, len(after)))
            for number, (part, *numbers) in enumerate(_numbered(after, sums)):
                if number == 0 or before[number : number + 1] != [part]:
                    yield word, number, *numbers, *part

    columns = "body integer, symbol integer, title integer, path integer, whole integer, chunks bytea, files bytea"
    connection.execute(
        f"CREATE TEMP TABLE IF NOT EXISTS added(word text, part integer, {columns}) ON COMMIT DROP".encode()
    )
    connection.execute("DELETE FROM added")
    copy_rows(connection, "COPY added FROM STDIN", changed())
    connection.execute(
        f"INSERT INTO frequency AS f({FREQUENCY_COLUMNS}) "
        "SELECT %s, word, %s, part, body, symbol, title, path, whole, chunks, files FROM added "
        "ON CONFLICT (tenant, word, branch, part) DO UPDATE SET body = f.body + excluded.body, "
        "symbol = f.symbol + excluded.symbol, title = f.title + excluded.title, path = f.path + excluded.path, "
        "whole = f.whole + excluded.whole, chunks = excluded.chunks, files = excluded.files",
        (tenant, branch),
    )
    shorter = [(word, end) for word, end in ends if end < len(stored.get(word, ()))]
    connection.execute(
        "DELETE FROM frequency f USING unnest(%s::text[], %s::integer[]) AS s(word, parts) "
        "WHERE f.tenant = %s AND f.branch = %s AND f.word = s.word AND f.part >= s.parts",
        ([word for word, _ in shorter], [end for _, end in shorter], tenant, branch),
    )
    connection.execute(
        "UPDATE branch SET chunks = chunks + %s, documents = documents + %s, lengths = "
        "ARRAY(SELECT a + b FROM unnest(lengths, %s::bigint[]) AS pair(a, b)) WHERE id = %s",
        (statistics.chunks, statistics.documents, statistics.lengths, branch),
    )


def frequency_rows(
    tenant: int, branch: int, word: str, sums: Sequence[int], lists: Sequence[Sequence[int]]
) -> Iterator[tuple[object, ...]]:
    """Yield the rows of `FREQUENCY_COLUMNS` of a word, from its entries of chunks and of files."""
    for number, (part, *numbers) in enumerate(
        _numbered(_parts([np.sort(np.array(each, "<i8")) for each in lists]), sums)
    ):
        yield tenant, word, branch, number, *numbers, *part


def _numbered(parts: Sequence[Part], sums: Sequence[int]) -> Iterator[tuple[Any, ...]]:
    """Yield each part with the sums of its word, which the first one has."""
    for number, part in enumerate(parts):
        yield part, *(sums if number == 0 else (0,) * len(sums))


def _parts(lists: Sequence[NDArray[np.int64]]) -> list[Part]:
    """Return the rows of the inverted lists of chunks and of files, entries by id."""
    count = max(-(-len(entries) // most) for entries, most in zip(lists, _PART, strict=True))
    slices = [
        [entries[number * most : (number + 1) * most].tobytes() for number in range(count)]
        for entries, most in zip(lists, _PART, strict=True)
    ]
    return list(zip(*slices, strict=True))


def _changed_list(stored: Sequence[bytes], gone: NDArray[np.int64], new: Sequence[int]) -> NDArray[np.int64]:
    """Return an inverted list from its parts, without the entries of some documents and with new ones, by id."""
    kept = np.frombuffer(b"".join(stored), "<i8")
    if len(gone) and len(kept):
        kept = kept[~np.isin(kept >> LIST_BITS, gone)]
    return np.sort(np.concatenate([kept, np.array(new, "<i8")]))


def clear_statistics(connection: Connection, tenant: int, branch: int) -> None:
    """Delete the statistics of a branch, to count all of its files again."""
    connection.execute("DELETE FROM frequency WHERE tenant = %s AND branch = %s", (tenant, branch))
    connection.execute("UPDATE branch SET chunks = 0, documents = 0, lengths = '{0,0,0,0,0}' WHERE id = %s", (branch,))


def files_of(connection: Connection, tenant: int, branch: int) -> list[int]:
    """Return the ids of the files of a branch."""
    rows = connection.execute("SELECT file FROM place WHERE tenant = %s AND branch = %s ORDER BY 1", (tenant, branch))
    return [row[0] for row in rows]


def put_memories(connection: Connection, tenant: int, branch: int, memories: Mapping[str, Memory]) -> None:
    """Let a branch hold exactly these folded memories. Rows that stay the same are not written."""
    rows = {identity: encode_json(memory) for identity, memory in memories.items()}
    known = connection.execute("SELECT id, data FROM memory WHERE tenant = %s AND branch = %s", (tenant, branch))
    stored = {identity: bytes(data) for identity, data in known}
    changed = [identity for identity in stored if rows.get(identity) != stored[identity]]
    connection.execute(
        "DELETE FROM memory WHERE tenant = %s AND branch = %s AND id = ANY(%s)", (tenant, branch, changed)
    )
    new = ((tenant, branch, key, data) for key, data in rows.items() if stored.get(key) != data)
    _insert(connection, "memory", "tenant, branch, id, data", new)


def finish_branch(connection: Connection, branch: int, commit: str, committed: datetime) -> None:
    """Store that a branch is at a commit now."""
    connection.execute(
        "UPDATE branch SET commit = %(commit)s, committed = %(committed)s, pushed = now(), cutter = %(cutter)s, "
        "generation = generation + 1, "
        "commits = (%(commit)s::text || array_remove(commits, %(commit)s::text))[:%(most)s] WHERE id = %(branch)s",
        {"commit": commit, "committed": committed, "cutter": CUTTER, "most": _MAX_COMMITS, "branch": branch},
    )


def delete_branch(connection: Connection, tenant: int, branch: int) -> None:
    """Delete a branch with its places, memories and statistics, and what only it held."""
    gone = connection.execute(
        "DELETE FROM place WHERE tenant = %s AND branch = %s RETURNING file", (tenant, branch)
    ).fetchall()
    connection.execute("DELETE FROM memory WHERE tenant = %s AND branch = %s", (tenant, branch))
    connection.execute("DELETE FROM frequency WHERE tenant = %s AND branch = %s", (tenant, branch))
    connection.execute("DELETE FROM branch WHERE tenant = %s AND id = %s", (tenant, branch))
    collect(connection, tenant, [row[0] for row in gone])


def collect(connection: Connection, tenant: int, files: Sequence[int]) -> int:
    """Delete those of the files that no branch holds; return their number."""
    found = connection.execute(
        "DELETE FROM file f WHERE f.tenant = %s AND f.id = ANY(%s) AND NOT EXISTS "
        "(SELECT 1 FROM place p WHERE p.tenant = f.tenant AND p.file = f.id) RETURNING f.id",
        (tenant, list(files)),
    ).fetchall()
    gone = [row[0] for row in found]
    for table in ("chunk", "symbol", "dependency"):
        connection.execute(f"DELETE FROM {table} WHERE tenant = %s AND file = ANY(%s)".encode(), (tenant, gone))
    return len(gone)


def _read_files(connection: Connection, tenant: int, ids: Sequence[int]) -> Iterator[Numbered]:
    """Yield stored files with the words of their fields, which are made from the texts again."""
    pieces: dict[int, list[ChunkData]] = {}
    numbers: dict[int, list[int]] = {}
    sql = "SELECT file, id, data FROM chunk WHERE tenant = %s AND file = ANY(%s) ORDER BY id"
    for file, number, data in connection.execute(sql, (tenant, list(ids))):
        chunk, extra = read_chunk(data)
        pieces.setdefault(file, []).append(chunk_data(chunk, extra, split_words(chunk.text)))
        numbers.setdefault(file, []).append(number)
    sql = "SELECT id, path, content, kind, language, generated FROM file WHERE tenant = %s AND id = ANY(%s)"
    for number, path, content, kind, language, generated in connection.execute(sql, (tenant, list(ids))):
        chunks = tuple(pieces.get(number, ()))
        whole = " ".join([split_words(path), *(each.fields["body"] for each in chunks)])
        file = ChunkedFile(path, content, SOURCE_KINDS[kind], language, generated, Syntax(), chunks, whole)
        yield Numbered(number, numbers.get(number, ()), file)


def _insert(connection: Connection, table: str, columns: str, rows: Iterator[Sequence[object]]) -> None:
    """Insert rows through a temporary table, since COPY does not write to tables with row security."""
    connection.execute(
        f"CREATE TEMP TABLE IF NOT EXISTS new_{table}(LIKE {table} INCLUDING DEFAULTS) ON COMMIT DROP".encode()
    )
    connection.execute(f"DELETE FROM new_{table}".encode())
    copy_rows(connection, f"COPY new_{table}({columns}) FROM STDIN", rows)
    connection.execute(f"INSERT INTO {table}({columns}) SELECT {columns} FROM new_{table}".encode())


def next_ids(connection: Connection, sequence: str, count: int) -> list[int]:
    """Return new numbers of a sequence."""
    rows = connection.execute("SELECT nextval(%s::regclass) FROM generate_series(1, %s)", (sequence, count))
    return [row[0] for row in rows]


def names_of(file: ChunkedFile) -> list[str]:
    """Return the distinct names of the definitions of a file, by which they are found."""
    return sorted({each.name for each in file.syntax.definitions if is_storable(each.name)})


def is_storable(name: str) -> bool:
    """Whether a path, a name or an id fits into a row of an index, and PostgreSQL takes its characters."""
    return "\0" not in name and len(name.encode()) <= _MAX_NAME_BYTES


def file_row(tenant: int, number: int, file: ChunkedFile) -> tuple[object, ...]:
    """Return a row of `FILE_COLUMNS`."""
    kind = SOURCE_KINDS.index(file.kind)
    counts = count_terms({"whole": file.whole})
    facts = (file.content, file.path, CUTTER, kind, file.language, file.generated)
    return (tenant, number, *facts, counts, encode_json(file.syntax))


def chunk_id(kind: SourceKind, number: int) -> int:
    """Return the id of a chunk from its running number."""
    return (SOURCE_KINDS.index(kind) << KIND_BITS) + number


def chunk_row(tenant: int, number: int, file: int, piece: ChunkData) -> tuple[object, ...]:
    """Return a row of `CHUNK_COLUMNS`."""
    kind = SOURCE_KINDS.index(piece.chunk.kind)
    data, counts = encode_json((piece.chunk, piece.extra)), count_terms(piece.fields)
    vectors = (None if row is None else row.tobytes() for row in (piece.vector, piece.encoding))
    return (tenant, number, file, kind, data, counts, *vectors, piece.states)
