"""A database of an organisation with one tenant, for a measurement."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import psutil

from muninn_core.org.access import principals
from muninn_core.org.database.connections import Database, connect
from muninn_core.org.database.embedded_postgres import EmbeddedServer
from muninn_core.org.database.migrate import migrate
from muninn_core.org.reading.branches import enter
from muninn_core.org.reading.vectors import TenantVectors

LOGIN, PASSWORD = "muninn_app", "bench"


class Org(NamedTuple):
    """A database with a tenant, and the principal of the questions."""

    server: EmbeddedServer
    admin: str
    database: Database
    tenant: int
    asker: int
    vectors: TenantVectors

    def cpu(self) -> float:
        """Return the processor seconds of this process with its ended children, and of the server."""
        own = os.times()
        return own.user + own.system + own.children_user + own.children_system + self.server_cpu()

    def server_cpu(self) -> float:
        """Return the processor seconds of the database's processes, ended ones included."""
        with connect(self.admin) as connection:
            row = connection.execute("SELECT setting FROM pg_settings WHERE name = 'data_directory'").fetchone()
        pid = int((Path(row[0]) / "postmaster.pid").read_text().split()[0])
        times = psutil.Process(pid).cpu_times()
        living = sum(map(_processor_seconds, psutil.Process(pid).children(recursive=True)))
        return times.user + times.system + times.children_user + times.children_system + living


def _processor_seconds(process: psutil.Process) -> float:
    try:
        return sum(process.cpu_times()[:2])
    except psutil.NoSuchProcess:  # it ended meanwhile, and counts among the ended children
        return 0.0


@contextmanager
def organisation(folder: Path) -> Iterator[Org]:
    """Start a server with the tables and one tenant; it ends with the block."""
    server = EmbeddedServer(folder, {"shared_buffers": "512MB", "maintenance_work_mem": "256MB"})
    admin = server.start()
    try:
        migrate(admin, LOGIN, PASSWORD)
        with connect(admin) as connection:
            tenant = principals.create_tenant(connection, "bench")
        database = Database(f"postgresql://{LOGIN}:{PASSWORD}@{admin.partition('@')[2]}")
        with database.transaction("muninn_writer") as connection:
            asker = principals.put_principal(connection, tenant, "user", "bench")
        yield Org(server, admin, database, tenant, asker, TenantVectors())
        database.close()
    finally:
        server.stop()


def size(org: Org) -> int:
    """Return the number of stored chunks."""
    with org.database.transaction("muninn_reader", snapshot=True) as connection:
        enter(connection, org.tenant, org.asker)
        row = connection.execute("SELECT coalesce(sum(chunks), 0) FROM branch").fetchone()
    return int(row[0])
