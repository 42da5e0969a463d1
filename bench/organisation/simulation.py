"""`python -m bench org --repositories 1000 3000 10000`: an organisation of many small repositories, and others.

Real repositories are cut into small ones (`--small`), which are cloned until the organisation has as many as
wanted. Other organisations of the same database grow with it. A streaming replica of the server follows from the
start. At each size, questions, pushes, the replica and its delay are measured.
"""

from __future__ import annotations

import os
import random
import socket
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from bench.harness.figure import Figure, percentile, table
from bench.organisation import database, growth, recalls, repositories
from muninn_core.errors import DaemonError
from muninn_core.org.access import principals
from muninn_core.org.database.connections import Connection, Database, connect
from muninn_core.org.ingestion.pushes import Target, push
from muninn_core.org.reading.branches import enter
from muninn_core.org.reading.vectors import TenantVectors

_OTHERS = 2
"""Other organisations of the database, each with a tenth of the repositories."""

_NOBODY = 65_534
_PUSHES = 10
_CALLERS = (1, 10, 100)
_FILES = 12
"""The files of the repository that is pushed to."""


@contextmanager
def replica(org: database.Org) -> Iterator[str]:
    """Yield the administrator's address of a streaming replica on loopback, which ends with the block."""
    with tempfile.TemporaryDirectory(prefix="muninn-replica-") as name:
        folder = Path(name)
        if os.geteuid() == 0:  # as root, the server runs as the user nobody
            os.chown(folder, _NOBODY, _NOBODY)
        data = folder / "data"
        run = org.server.run_program
        copied = run("pg_basebackup", "-d", org.admin, "-D", str(data), "-R", "-X", "stream", "-c", "fast")
        if copied.returncode:
            raise DaemonError(f"the replica can't be made: {copied.stderr.strip()[-500:]}")
        with socket.create_server(("127.0.0.1", 0)) as probe:
            port = probe.getsockname()[1]
        options = f"-p {port} -c unix_socket_directories='' -c shared_buffers=512MB"
        started = run("pg_ctl", "-D", str(data), "-o", options, "-l", str(folder / "log"), "-w", "-t", "170", "start")
        if started.returncode:
            raise DaemonError(f"the replica can't be started: {started.stderr.strip()[-500:]}")
        try:
            parts = urlsplit(org.admin)
            yield parts._replace(netloc=f"{parts.netloc.rpartition(':')[0]}:{port}").geturl()
        finally:
            run("pg_ctl", "-D", str(data), "-m", "immediate", "-w", "stop")


def simulated(
    org: database.Org, roots: Sequence[Path], folder: Path, sizes: Sequence[int], chunks: Sequence[int], each: int
) -> list[Figure]:
    """Return the figures of an organisation at some numbers of repositories; `org` has the pushed ones.

    `chunks` are the least and the most of a repository.
    """
    asked = recalls.questions(org, each)
    pushed = _sources(roots, folder)
    figures: list[Figure] = []
    with replica(org) as copy, connect(org.admin) as connection:
        connection.execute("SET search_path = muninn, public")
        bases = growth.small_bases(connection, org.tenant, *chunks)
        others = []
        for number in range(_OTHERS):
            tenant = principals.create_tenant(connection, f"other-{number}")
            others.append(org._replace(tenant=tenant, asker=_principal(org, tenant), vectors=TenantVectors()))
        main = org._replace(vectors=TenantVectors())
        login = f"postgresql://{database.LOGIN}:{database.PASSWORD}@{copy.partition('@')[2]}"
        reading = main._replace(admin=copy, database=Database(login), vectors=TenantVectors())
        _create(main, "simulated")
        for size in sizes:
            began = time.perf_counter()
            _fill(connection, main, bases, size)
            for other in others:
                _fill(connection, other, bases, size // 10)
            connection.execute("VACUUM (ANALYZE)")
            print(f"{size:,} repositories after {time.perf_counter() - began:.0f} s", file=sys.stderr)
            found = _at(main, reading, others[0], asked, pushed, size)
            print(table(found), file=sys.stderr)
            figures += found
        reading.database.close()
    return figures


def _at(
    main: database.Org,
    reading: database.Org,
    other: database.Org,
    asked: Sequence[str],
    pushed: Path,
    size: int,
) -> list[Figure]:
    """Return the figures at a size."""
    found = [Figure(f"{size:,} repositories", database.size(main), "chunks", note=_bytes(main, size))]
    for count in (*(each for each in _CALLERS if each < size), None):
        person = main.asker if count is None else _person(main, count)
        recalls.asking(main, asked[:2], 1, 2, person)  # the first question reads vectors
        who = f"of {'all' if count is None else count} of {size:,}"
        found.append(recalls.asking(main, asked, 1, len(asked), person, who))
    recalls.asking(other, asked[:2], 1, 2)
    found.append(recalls.asking(other, asked, 1, len(asked), None, f"other organisation of {size // 10:,}"))
    _caught_up(main.admin, reading.admin)
    recalls.asking(reading, asked[:2], 1, 2)
    found.append(recalls.asking(reading, asked, 1, len(asked), None, f"at the replica, of all of {size:,}"))
    return found + _pushes(main, reading.admin, pushed, size)


def _pushes(org: database.Org, copy: str, root: Path, size: int) -> list[Figure]:
    """Return the times of pushes of one changed file, and until the replica has them."""
    walls, delays, spent = [], [], []
    for number in range(_PUSHES):
        changed = sorted(root.glob("*.py"))[number % _FILES]
        changed.write_text(
            changed.read_text("utf-8") + f"\n\ndef grown_{size}_{number}():\n    return {number}\n", "utf-8"
        )
        repositories.commit(root)
        began, cpu = time.perf_counter(), org.cpu()
        push(org.database, Target(org.tenant, "simulated", "main"), root, "HEAD", workers=1)
        walls.append(time.perf_counter() - began)
        spent.append(org.cpu() - cpu)
        delays.append(1000 * _caught_up(org.admin, copy))
    note = f"one file of {_FILES}, p50 {percentile(walls, 0.5):.2f} s, processor {1000 * sum(spent) / _PUSHES:.0f} ms"
    return [
        Figure(f"push at {size:,} repositories, p95", percentile(walls, 0.95), "s", 10.0, note),
        Figure("delay of the replica after a push, p95", percentile(delays, 0.95), "ms", note=f"{_PUSHES} pushes"),
    ]


def _caught_up(admin: str, copy: str) -> float:
    """Wait until the replica has replayed what the primary wrote; return the seconds."""
    began = time.perf_counter()
    with connect(admin) as primary, connect(copy) as follower:
        written = primary.execute("SELECT pg_current_wal_insert_lsn()").fetchone()
        assert written is not None
        sql = "SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn"
        while not follower.execute(sql, (written[0],)).fetchone()[0]:  # type: ignore[index]  # it returns a row
            time.sleep(0.002)
    return time.perf_counter() - began


def _fill(connection: Connection, org: database.Org, bases: Sequence[growth.Base], size: int) -> None:
    """Add repositories to an organisation until it has so many: the parts first, then clones of these."""
    names = [base.name for base in bases]
    known = connection.execute("SELECT name FROM repository WHERE tenant = %s", (org.tenant,)).fetchall()
    stored = {row[0] for row in known}
    with connection.transaction():
        for base in bases[: max(0, size - len(stored))]:
            if base.name not in stored:
                growth.store(connection, org.tenant, org.asker, base.name, base.files)
    growth.clone_until(connection, org.tenant, org.asker, names, size)


def _principal(org: database.Org, tenant: int) -> int:
    with org.database.transaction("muninn_writer") as connection:
        return principals.put_principal(connection, tenant, "user", "bench")


def _create(org: database.Org, name: str) -> None:
    with org.database.transaction("muninn_writer") as connection:
        number = principals.create_repository(connection, org.tenant, name, "main", private=True)
        principals.grant(connection, org.tenant, number, org.asker)


def _person(org: database.Org, count: int) -> int:
    """Return a person who may read some repositories."""
    with org.database.transaction("muninn_reader", snapshot=True) as connection:
        names = [branch.repository for branch in enter(connection, org.tenant, org.asker)]
    with org.database.transaction("muninn_writer") as connection:
        person = principals.put_principal(connection, org.tenant, "user", f"sees-{count}")
        for name in random.Random(count).sample(names, count):
            principals.grant(connection, org.tenant, principals.find_repository(connection, org.tenant, name), person)
    return person


def _sources(roots: Sequence[Path], folder: Path) -> Path:
    """Return a small repository for pushes."""
    root = folder / "simulated"
    root.mkdir(parents=True)
    files = [each for each in sorted(roots[0].rglob("*.py")) if 200 < each.stat().st_size < 20_000][:_FILES]
    for number, each in enumerate(files):
        (root / f"part_{number:02}.py").write_text(each.read_text("utf-8", "replace"), "utf-8")
    repositories.git(root, "init", "-q", "-b", "main")
    repositories.commit(root)
    return root


def _bytes(org: database.Org, size: int) -> str:
    with connect(org.admin) as connection:
        names = ", ".join(f"'muninn.{each}_{org.tenant}'" for each in repositories.TABLES)
        sql = f"SELECT sum(pg_total_relation_size(c)) FROM unnest(ARRAY[{names}]::regclass[]) c"
        row = connection.execute(sql.encode()).fetchone()
    assert row is not None
    return f"{int(row[0]) / 1e9:.1f} GB, {int(row[0]) / size / 1000:.0f} kB a repository"
