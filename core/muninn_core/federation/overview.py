"""The state of each repository of the list: what can be found in it, and how current its index is."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from muninn_core.errors import MuninnError
from muninn_core.federation.member import Member, location_of
from muninn_core.federation.registry import ListedRepository
from muninn_core.index.read_only_index import NoIndex, has_index, index_facts
from muninn_core.launch.repository_location import RepositoryLocation
from muninn_core.launch.runtime import Address
from muninn_core.launch.transport import connect, uses_tcp
from muninn_core.model.value import replace
from muninn_core.protocol.families.repositories import Repository, RepositoryStatus
from muninn_core.store.records.timestamps import timestamp

_CONNECT_SECONDS = 0.5


def overview(
    entry: ListedRepository, here: RepositoryLocation, runtime: str, open_member: Callable[[], Member]
) -> Repository:
    """Return the state of a repository. `runtime` is the runtime directory, "" where it is not known."""
    made = Repository(name=entry.name, path=entry.path, rules=entry.rules)
    try:
        location = location_of(entry)
    except NoIndex as error:
        return _with_problem(made, "missing", error)
    state: RepositoryStatus = "running" if _is_running(location, runtime) else "stopped"
    state = "this" if location.root == here.root else state
    try:
        facts = index_facts(Path(location.cache))
        memories = len(open_member().memories())
    except MuninnError as error:
        return _with_problem(made, "unusable" if has_index(Path(location.cache)) else "unindexed", error)
    first = f"`muninn --repo {location.root} index --wait` waits for it."
    return replace(
        made,
        state=state,
        problem="it is not indexed whole yet" if facts.unfinished else "",
        hint=first if facts.unfinished else "",
        files=len(facts.stamps),
        chunks=facts.chunks,
        memories=memories,
        indexed=timestamp(datetime.fromtimestamp(facts.changed, UTC)),
        behind=sum(_differs(location.root, path, *stamp) for path, stamp in facts.stamps.items()),
    )


def _with_problem(made: Repository, state: RepositoryStatus, error: MuninnError) -> Repository:
    return replace(made, state=state, problem=error.message, hint=error.hint)


def _is_running(location: RepositoryLocation, runtime: str) -> bool:
    """Whether a daemon of the repository listens."""
    if not runtime:
        return False
    with suppress(OSError):
        connection, _ = connect(Address(runtime, location.identity), tcp=uses_tcp(), timeout=_CONNECT_SECONDS)
        connection.close()
        return True
    return False


def _differs(root: str, path: str, size: int, mtime_ns: int) -> bool:
    """Whether a file was changed or deleted since it was indexed."""
    try:
        status = os.stat(f"{root}/{path}")  # noqa: PTH116 (hot)
    except OSError:
        return True
    return (status.st_size, status.st_mtime_ns) != (size, mtime_ns)
