"""The folders of the bare mirrors of repositories."""

from __future__ import annotations

import hashlib
import re
import shutil
from pathlib import Path

from muninn_core.git import mirror
from muninn_core.org.database.connections import Connection

_MIRROR = re.compile(r"[0-9a-f]{32}\.git")


def mirror_of(folder: Path, tenant: int, repository: str) -> Path:
    """Return the mirror of a repository, made if needed. Its name is a hash, since names may contain slashes."""
    return mirror.open_mirror(folder / _name(tenant, repository))


def sweep_mirrors(connection: Connection, folder: Path, age: str = "1.hour.ago") -> int:
    """Delete the mirrors of repositories that are gone, and what the others have no use for any more.

    The connection is an administrator's. What only commits need that are no branch's go when it is older than `age`.
    Folders with names of another form are no mirrors and stay. Returns the number of deleted mirrors. Raises GitError,
    DatabaseError.
    """
    rows = connection.execute(
        "SELECT r.tenant, r.name, coalesce(array_agg(c) FILTER (WHERE c IS NOT NULL), '{}') FROM muninn.repository r "
        "LEFT JOIN muninn.branch b ON b.repository = r.id LEFT JOIN unnest(b.commits[:1]) c ON true GROUP BY r.id"
    )
    known = {_name(tenant, name): set(commits) for tenant, name, commits in rows}
    deleted = 0
    for each in sorted(folder.glob("*.git")):
        if each.name in known:
            mirror.prune(each, known[each.name], age)
        elif _MIRROR.fullmatch(each.name):
            shutil.rmtree(each)
            deleted += 1
    return deleted


def _name(tenant: int, repository: str) -> str:
    return hashlib.sha256(f"{tenant}/{repository}".encode()).hexdigest()[:32] + ".git"
