"""Works through the queue: fetches a branch from its forge, and pushes it to the database or deletes it."""

from __future__ import annotations

import logging
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

from muninn_core.errors import MuninnError, NotFoundError
from muninn_core.git import mirror
from muninn_core.org.access.principals import set_tenant
from muninn_core.org.database.connections import Connection, Database
from muninn_core.org.database.migrate import check_version
from muninn_core.org.ingestion.mirrors import mirror_of
from muninn_core.org.ingestion.pushes import Target, push, remove_branch

MAX_ATTEMPTS = 6
"""A job that failed so often stays in the queue with its error, until it is queued again."""

_FIRST_SECONDS = 15
"""The time until the second try. It doubles with each further one."""

log = logging.getLogger("muninn.org")


class Job(NamedTuple):
    """A branch to look at. `equal` has the ids of the jobs for the same branch, which are done with it."""

    tenant: int
    id: int
    equal: list[int]
    repository: str
    ref: str
    remote: str
    default_ref: str
    branches: list[str]
    tries: int


class Worker:
    """Works through the queue of all tenants. Several workers share it."""

    def __init__(self, database: Database, mirrors: Path, workers: int = 0) -> None:
        """`mirrors` is the folder of the fetched repositories, `workers` the number of processes that cut files."""
        self._database = database
        self._mirrors = mirrors
        self._workers = workers

    def work_once(self) -> Job | None:
        """Do the next job and return it; None when no job is due. A failed job is tried again later, also after a bug.

        An open transaction locks the repository: when this process is killed, another worker takes the job.
        """
        with self._database.transaction("muninn_writer") as connection:
            check_version(connection)
            row: Any = connection.execute("SELECT * FROM take_job()").fetchone()
            if row is None:
                return None
            job = Job(*row)
            set_tenant(connection, job.tenant)
            try:
                self._do(job)
            except MuninnError as error:
                log.warning("job %d failed: %s", job.id, type(error).__name__)
                _put_back(connection, job, error.message)
                done = job.equal
            except Exception as error:  # otherwise it stays the first of the queue, and ends each worker that takes it
                log.exception("job %d failed", job.id)
                _put_back(connection, job, f"a bug: {type(error).__name__}; the log of `muninn org work` has its trace")
                done = job.equal
            else:
                done = [job.id, *job.equal]
            connection.execute("DELETE FROM job WHERE id = ANY(%s)", (done,))
            return job

    def _do(self, job: Job) -> None:
        target = Target(job.tenant, job.repository, job.ref)
        wanted = job.ref == job.default_ref or any(fnmatchcase(job.ref, pattern) for pattern in job.branches)
        if not job.remote:
            raise NotFoundError(f"the repository {job.repository} has no remote to fetch from")
        folder = mirror_of(self._mirrors, job.tenant, job.repository)
        commit = mirror.fetch_branch(folder, job.remote, job.ref) if wanted else ""
        if commit:
            # The forge's commit is the branch, whether it moved forward or back.
            push(self._database, target, folder, commit, force=True, workers=self._workers)
        else:
            remove_branch(self._database, target)


def _put_back(connection: Connection, job: Job, reason: str) -> None:
    storable = reason.encode("utf-8", "replace").decode().replace("\0", "")  # it may have bytes of git's output
    tries = job.tries + 1
    delay = f"{_FIRST_SECONDS * 2**job.tries} seconds" if tries < MAX_ATTEMPTS else "infinity"
    due = "'infinity'::timestamptz" if delay == "infinity" else "now() + %(delay)s::interval"
    connection.execute(
        f"UPDATE job SET tries = %(tries)s, error = %(error)s, not_before = {due} WHERE id = %(id)s".encode(),
        {"tries": tries, "error": storable[:500], "delay": delay, "id": job.id},
    )
