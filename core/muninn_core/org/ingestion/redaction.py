"""Redaction and purge in the database: the text goes at once from all branches, and no later push brings it back.

A memory that one branch redacts is redacted in all branches of its repository, also in those that were pushed before.
An administrator purges a memory or a content from the whole tenant. Rows of `redaction` and `purge` stay.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from muninn_core.errors import BadParams, NotFoundError
from muninn_core.index.manifest.reader import memory_key
from muninn_core.model.memory import Memory
from muninn_core.model.value import encode_json, replace
from muninn_core.near_match import shorten
from muninn_core.org.access.principals import find_repository, set_tenant
from muninn_core.org.database.connections import Connection, Database
from muninn_core.org.ingestion.storage import (
    add_statistics,
    collect,
    count_files,
    is_storable,
    lock_tenant,
    read_memory,
)
from muninn_core.store.records.record_history import REDACTED_FIELDS

_CONTENT_DIGITS = (40, 64)


def redacted_memories(connection: Connection, tenant: int, repository: int, memories: Mapping[str, Memory]) -> set[str]:
    """Note the memories that a push redacts, take them from all branches of the repository, and return all redacted."""
    new = [identity for identity, memory in memories.items() if memory.redacted]
    connection.execute(
        "INSERT INTO redaction(tenant, repository, memory) SELECT %s, %s, unnest(%s::text[]) ON CONFLICT DO NOTHING",
        (tenant, repository, new),
    )
    rows = connection.execute("SELECT memory FROM redaction WHERE repository = %s", (repository,))
    known = {row[0] for row in rows}
    _take(connection, tenant, known, "b.repository = %(repository)s", {"repository": repository})
    return known


def purged_contents(connection: Connection, tenant: int) -> set[bytes]:
    """Return the ids of the contents that must not be stored."""
    rows = connection.execute("SELECT content FROM purge WHERE tenant = %s", (tenant,))
    return {bytes(row[0]) for row in rows}


def blanked(memories: Mapping[str, Memory], gone: Collection[str]) -> dict[str, Memory]:
    """Return memories, the redacted ones without their text."""
    return {key: _blank(memory) if key in gone else memory for key, memory in memories.items()}


def redact(database: Database, tenant: int, repository: str, memory: str) -> int:
    """Redact a memory of a repository in all of its branches; return in how many it had a text.

    Raises NotFoundError for a memory that no branch has; its text is not stored later, too.
    """
    if not is_storable(memory):
        raise BadParams(f"'{shorten(memory)}' is not the id of a memory", hint="`muninn org memories` has them.")
    with database.transaction("muninn_writer") as connection:
        number = find_repository(connection, tenant, repository)
        lock_tenant(connection, tenant)
        connection.execute(
            "INSERT INTO redaction(tenant, repository, memory) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING",
            (tenant, number, memory),
        )
        row = connection.execute(
            "SELECT EXISTS (SELECT 1 FROM memory m JOIN branch b ON b.id = m.branch "
            "WHERE m.tenant = %s AND m.id = %s AND b.repository = %s)",
            (tenant, memory, number),
        ).fetchone()
        changed = _take(connection, tenant, [memory], "b.repository = %(repository)s", {"repository": number})
    if row is None or not row[0]:
        raise NotFoundError(
            f"no branch of the repository '{repository}' has the memory {shorten(memory)}",
            hint="Give the whole id: `muninn org memories` has it. A later push of this id is stored without its text.",
        )
    return changed


def purge(database: Database, tenant: int, content: str) -> int:
    """Delete a content, by the id of its git object, from all repositories; return the number of files that it was.

    Raises BadParams for no id of an object, NotFoundError for a content that is not there; it is not stored later, too.
    """
    if len(content) not in _CONTENT_DIGITS or not set(content) <= set("0123456789abcdef"):
        raise BadParams(f"'{content[:80]}' is not the id of a git object", hint="`git rev-parse REV:PATH` prints it.")
    wanted = bytes.fromhex(content)
    with database.transaction("muninn_writer") as connection:
        set_tenant(connection, tenant)
        lock_tenant(connection, tenant)
        connection.execute(
            "INSERT INTO purge(tenant, content) VALUES (%s, %s) ON CONFLICT DO NOTHING", (tenant, wanted)
        )
        sql = "SELECT id FROM file WHERE tenant = %s AND content = %s"
        files = [row[0] for row in connection.execute(sql, (tenant, wanted))]
        _drop(connection, tenant, files)
    if not files:
        raise NotFoundError(f"no file has the content {content}", hint="It will not be stored by a later push.")
    return len(files)


def _take(
    connection: Connection, tenant: int, memories: Iterable[str], where: str, values: Mapping[str, object]
) -> int:
    """Blank memories in the branches of a condition, and delete their chunks there; return how many rows changed."""
    ids = list(memories)
    rows = connection.execute(
        "SELECT m.branch, m.id, m.data FROM memory m JOIN branch b ON b.id = m.branch "
        f"WHERE m.tenant = %(tenant)s AND m.id = ANY(%(ids)s) AND {where}".encode(),
        {"tenant": tenant, "ids": ids, **values},
    ).fetchall()
    changed = 0
    for branch, identity, data in rows:
        memory = read_memory(data)
        if memory.redacted and not memory.text:
            continue
        changed += 1
        connection.execute(
            "UPDATE memory SET data = %s WHERE tenant = %s AND branch = %s AND id = %s",
            (encode_json(_blank(memory)), tenant, branch, identity),
        )
    places = connection.execute(
        "SELECT p.branch, p.file FROM place p JOIN branch b ON b.id = p.branch "
        "JOIN file f ON f.tenant = p.tenant AND f.id = p.file "
        f"WHERE p.tenant = %(tenant)s AND f.path = ANY(%(keys)s) AND {where}".encode(),
        {"tenant": tenant, "keys": [memory_key(each) for each in ids], **values},
    ).fetchall()
    _remove(connection, tenant, places)
    return changed


def _drop(connection: Connection, tenant: int, files: list[int]) -> None:
    """Delete files from all branches."""
    sql = "SELECT branch, file FROM place WHERE tenant = %s AND file = ANY(%s)"
    _remove(connection, tenant, connection.execute(sql, (tenant, files)).fetchall())
    collect(connection, tenant, files)


def _remove(connection: Connection, tenant: int, places: Iterable[tuple[int, int]]) -> None:
    """Delete files from branches, with their statistics, and those that no branch holds any more."""
    by_branch: dict[int, list[int]] = {}
    for branch, file in places:
        by_branch.setdefault(branch, []).append(file)
    for branch, files in by_branch.items():
        add_statistics(connection, tenant, branch, count_files(connection, tenant, (), files))
        connection.execute(
            "DELETE FROM place WHERE tenant = %s AND branch = %s AND file = ANY(%s)", (tenant, branch, files)
        )
        connection.execute("UPDATE branch SET generation = generation + 1 WHERE id = %s", (branch,))
    collect(connection, tenant, sorted({file for files in by_branch.values() for file in files}))


def _blank(memory: Memory) -> Memory:
    return replace(memory, **REDACTED_FIELDS, redacted=True)
