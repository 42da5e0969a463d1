"""Pushes a branch of a git repository to the database.

Files that the tenant lacks are cut and stored first, in batches, which other callers can't find yet. One transaction
then moves the branch. A push that is interrupted is repeated: what it stored is not cut again. Equal pushes change
nothing, and a push of a commit that the branch already contains is refused as out of date.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from muninn_core import git
from muninn_core.errors import PreconditionError
from muninn_core.index.extraction.workers import worker_count
from muninn_core.index.manifest.reader import memory_key
from muninn_core.org.access.principals import find_repository, set_tenant
from muninn_core.org.database.connections import Connection, Database, Interrupted
from muninn_core.org.database.migrate import check_version
from muninn_core.org.ingestion.chunking import CUTTER, ChunkedFile, chunk_files, chunk_memories
from muninn_core.org.ingestion.redaction import blanked, purged_contents, redacted_memories
from muninn_core.org.ingestion.source_tree import SourceTree, read_tree, recallable
from muninn_core.org.ingestion.storage import (
    Branch,
    Key,
    add_statistics,
    clear_statistics,
    collect,
    count_files,
    delete_branch,
    files_of,
    finish_branch,
    is_storable,
    lock_branch,
    lock_tenant,
    missing,
    put_memories,
    put_places,
    store_files,
)
from muninn_core.worktree.indexing.index_updater import text_of

log = logging.getLogger("muninn.org")

_BATCH = 200
"""Files that are stored in one transaction."""


_ATTEMPTS = 5
"""Attempts of a push, while other pushes move the same branch or delete files that it shares."""

Progress = Callable[[int, int], None]
"""Called with the numbers of files that are done, and of all files to be cut."""


class OlderCommit(PreconditionError):
    """The branch already contains the commit of a push."""


class Target(NamedTuple):
    """Where a push goes: tenant, repository and full name of the branch."""

    tenant: int
    repository: str
    ref: str


class Pushed(NamedTuple):
    """The result of a push: numbers of files that were cut, that the branch gained and lost, and of its memories."""

    commit: str
    cut: int
    added: int
    removed: int
    memories: int
    unchanged: bool


def push(
    database: Database,
    target: Target,
    root: Path,
    rev: str,
    *,
    force: bool = False,
    workers: int = 0,
    progress: Progress = lambda done, total: None,
) -> Pushed:
    """Bring a commit of the repository at `root` to a branch of the database.

    `progress(done, total)` counts the files that are cut. `force` moves the branch back to an earlier commit. Raises
    OlderCommit for such a commit without it, NotFoundError, GitError, DatabaseError.

    Files and memories whose path or id the database can't have are left out, and the log has their number.
    """
    tree = _storable(read_tree(root, rev), target)
    remembered = list(chunk_memories(text_of(memory) for memory in recallable(tree.memories)))
    for attempt in range(_ATTEMPTS):
        try:
            return _attempt(database, target, root, tree, remembered, force, workers, progress)
        except (PreconditionError, Interrupted) as error:
            if isinstance(error, OlderCommit) or attempt + 1 == _ATTEMPTS:
                raise
    raise AssertionError("the last attempt returns or raises")


def _storable(tree: SourceTree, target: Target) -> SourceTree:
    """Return a commit without the files and memories whose path or id the database can't have."""
    files = {path: oid for path, oid in tree.files.items() if is_storable(path)}
    memories = {identity: each for identity, each in tree.memories.items() if is_storable(memory_key(identity))}
    left_out = len(tree.files) - len(files) + len(tree.memories) - len(memories)
    if left_out:
        log.warning("%s %s: %d paths or ids are too long or have a NUL", target.repository, target.ref, left_out)
    return tree._replace(files=files, memories=memories)


def _attempt(
    database: Database,
    target: Target,
    root: Path,
    tree: SourceTree,
    remembered: Sequence[ChunkedFile],
    force: bool,
    workers: int,
    progress: Progress,
) -> Pushed:
    """Push once. Raises PreconditionError when another push changed what this one relied on."""
    with database.transaction("muninn_writer") as connection:
        check_version(connection)
        repository = find_repository(connection, target.tenant, target.repository)
        branch = lock_branch(connection, target.tenant, repository, target.ref)
    if (branch.commit, branch.cutter) == (tree.commit, CUTTER):
        return Pushed(tree.commit, 0, 0, 0, len(tree.memories), True)
    if not force:
        refuse_older(root, branch.commit, tree.commit)
    keys = _allowed_keys(database, target.tenant, tree)
    cut, unreadable = _store_missing(database, target.tenant, root, tree, keys, workers, progress)
    with database.transaction("muninn_writer") as connection:
        set_tenant(connection, target.tenant)
        lock_tenant(connection, target.tenant)
        # The repository may be deleted, or be a new one, and a content may be purged by now.
        still = find_repository(connection, target.tenant, target.repository) == repository
        still = still and lock_branch(connection, target.tenant, repository, target.ref) == branch
        still = still and purged_contents(connection, target.tenant).isdisjoint(content for _, content in keys)
        if not still or set(missing(connection, target.tenant, keys)) != unreadable:
            raise PreconditionError(f"other pushes changed {target.ref} meanwhile", hint="Push again.")
        gone = redacted_memories(connection, target.tenant, repository, tree.memories)
        tree = tree._replace(memories=blanked(tree.memories, gone))
        remembered = [each for each in remembered if each.path not in set(map(memory_key, gone))]
        added, removed = _move(connection, target.tenant, branch, tree, keys, remembered)
    return Pushed(tree.commit, cut, added, removed, len(tree.memories), False)


def _allowed_keys(database: Database, tenant: int, tree: SourceTree) -> list[Key]:
    """Return the keys of the files of a commit without purged contents.

    Deletes what an attempt stored of a content that was purged meanwhile.
    """
    keys = [(path, bytes.fromhex(oid)) for path, oid in tree.files.items()]
    with database.transaction("muninn_writer") as connection:
        set_tenant(connection, tenant)
        purged = purged_contents(connection, tenant)
        refused = [key for key in keys if key[1] in purged]
        rows = connection.execute(
            "SELECT id FROM file WHERE tenant = %s AND path = ANY(%s) AND content = ANY(%s)",
            (tenant, [path for path, _ in refused], [content for _, content in refused]),
        )
        collect(connection, tenant, [row[0] for row in rows])
    return [key for key in keys if key[1] not in purged]


def _move(
    connection: Connection,
    tenant: int,
    branch: Branch,
    tree: SourceTree,
    keys: Sequence[Key],
    remembered: Sequence[ChunkedFile],
) -> tuple[int, int]:
    """Let a branch hold a commit. Returns how many files it gained and lost."""
    of_memories = [(each.path, each.content) for each in remembered]
    unknown = set(missing(connection, tenant, of_memories))
    store_files(connection, tenant, [each for each in remembered if (each.path, each.content) in unknown])
    added, removed = put_places(connection, tenant, branch.id, [*keys, *of_memories])
    if branch.cutter == CUTTER:
        statistics = count_files(connection, tenant, added, removed)
    else:  # the words of files that another version cut can't be subtracted
        clear_statistics(connection, tenant, branch.id)
        statistics = count_files(connection, tenant, files_of(connection, tenant, branch.id), ())
    add_statistics(connection, tenant, branch.id, statistics)
    put_memories(connection, tenant, branch.id, tree.memories)
    finish_branch(connection, branch.id, tree.commit, tree.time)
    collect(connection, tenant, removed)
    return len(added), len(removed)


def sweep(database: Database, tenant: int, older_than: timedelta = timedelta(days=1)) -> int:
    """Delete the files that no branch holds and that interrupted pushes stored before. Returns their number."""
    with database.transaction("muninn_writer") as connection:
        set_tenant(connection, tenant)
        lock_tenant(connection, tenant)
        rows = connection.execute(
            "SELECT id FROM file f WHERE tenant = %s AND stored <= now() - %s AND NOT EXISTS "
            "(SELECT 1 FROM place p WHERE p.tenant = f.tenant AND p.file = f.id)",
            (tenant, older_than),
        )
        return collect(connection, tenant, [row[0] for row in rows])


def remove_branch(database: Database, target: Target) -> bool:
    """Delete a branch and what only it held; False when there is none. Raises NotFoundError, DatabaseError."""
    with database.transaction("muninn_writer") as connection:
        repository = find_repository(connection, target.tenant, target.repository)
        lock_tenant(connection, target.tenant)
        row = connection.execute(
            "SELECT id FROM branch WHERE repository = %s AND ref = %s FOR UPDATE", (repository, target.ref)
        ).fetchone()
        if row is not None:
            delete_branch(connection, target.tenant, row[0])
        return row is not None


def remove_repository(database: Database, tenant: int, name: str) -> None:
    """Delete a repository, its branches and what only they held. Raises NotFoundError, DatabaseError."""
    with database.transaction("muninn_writer") as connection:
        repository = find_repository(connection, tenant, name)
        lock_tenant(connection, tenant)
        for row in connection.execute("SELECT id FROM branch WHERE repository = %s FOR UPDATE", (repository,)):
            delete_branch(connection, tenant, row[0])
        connection.execute("DELETE FROM repository WHERE id = %s", (repository,))


def refuse_older(root: Path, indexed: str, commit: str) -> None:
    """Raise OlderCommit when the indexed commit contains another one, as far as the repository at `root` knows."""
    if indexed and indexed != commit and git.is_ancestor(root, commit, indexed):
        raise OlderCommit(
            f"the database has {indexed[:12]}, which is newer than {commit[:12]}",
            hint="A late push changes nothing. After a reset of the branch, push with --force.",
        )


def _store_missing(
    database: Database,
    tenant: int,
    root: Path,
    tree: SourceTree,
    keys: Sequence[Key],
    workers: int,
    progress: Progress,
) -> tuple[int, set[Key]]:
    """Cut and store the files that the tenant lacks, in batches that stay if the push ends.

    Returns the number of stored files, and the keys of files that can't be read as text.
    """
    with database.transaction("muninn_writer") as connection:
        set_tenant(connection, tenant)
        wanted = missing(connection, tenant, keys)
    done = 0
    unreadable = set(wanted)
    for batch in _batches(chunk_files(_contents(root, wanted), tree.most, worker_count(workers))):
        with database.transaction("muninn_writer") as connection:
            set_tenant(connection, tenant)
            store_files(connection, tenant, batch)
        unreadable -= {(file.path, file.content) for file in batch}
        done += len(batch)
        progress(done, len(wanted))
    return done, unreadable


def _contents(root: Path, keys: Sequence[Key]) -> Iterator[tuple[str, bytes, bytes]]:
    """Yield (path, id, content) of blobs."""
    paths: dict[str, list[str]] = {}
    for path, content in keys:
        paths.setdefault(content.hex(), []).append(path)
    for oid, data in git.read_blobs(root, paths):
        for path in paths[oid]:
            yield path, bytes.fromhex(oid), data


def _batches(files: Iterator[ChunkedFile]) -> Iterator[list[ChunkedFile]]:
    while batch := list(islice(files, _BATCH)):
        yield batch
