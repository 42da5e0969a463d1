"""Operation: versions of the tables, backups with PostgreSQL tools, read-only databases, failed migrations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psycopg
import pytest
from repositories import git

from muninn_core.errors import BadParams, ReadOnlyError
from muninn_core.org.database import migrate as migrating
from muninn_core.org.database.connections import Database, DatabaseError, connect
from muninn_core.org.database.migrate import check_version, migrate, migrations
from muninn_core.org.ingestion.pushes import push
from muninn_core.org.reading.branches import enter
from muninn_core.org.reading.reader import PostgresReader


@pytest.fixture(scope="module")
def filled(home, tmp_path_factory: pytest.TempPathFactory):
    """A database with one pushed repository, and a person who may read it."""
    root = tmp_path_factory.mktemp("filled") / "one"
    root.mkdir()
    (root / "ledger.py").write_text("def settle(account):\n    return account.balance\n")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "All")
    push(home.database, home.repository("one"), root, "HEAD", workers=1)
    return home, home.principal("ann", "one")


def found(database: Database, tenant: int, principal: int) -> list[tuple[str, float]]:
    """Return the paths and scores of a search."""
    with database.transaction("muninn_reader", snapshot=True) as connection:
        reader = PostgresReader(connection, tenant, enter(connection, tenant, principal))
        return reader.whole_files(["settl", "account"], 5)


def test_a_backup_restores_the_same_answers_and_rights(filled) -> None:
    home, ann = filled
    name = home.admin.rpartition("/")[2]
    archive = str(home.server.programs().parents[3] / "archive")
    dumped = home.server.run_program("pg_dump", "--format=custom", f"--file={archive}", home.admin)
    assert dumped.returncode == 0, dumped.stderr
    with connect(home.admin) as connection:
        connection.execute(f"CREATE DATABASE restored_{name}".encode())
    restored = home.admin.rpartition("/")[0] + f"/restored_{name}"
    done = home.server.run_program("pg_restore", "--exit-on-error", f"--dbname={restored}", archive)
    assert done.returncode == 0, done.stderr
    database = Database(home.app.rpartition("/")[0] + f"/restored_{name}")
    assert found(database, home.tenant, ann) == found(home.database, home.tenant, ann) != []
    assert found(database, home.tenant, ann + 1_000) == []
    database.close()


def test_tables_of_another_version_are_named_and_upgraded(filled, monkeypatch: pytest.MonkeyPatch) -> None:
    home, ann = filled
    assert migrate(home.admin) == ()
    newer = (*migrations(), migrating.Migration(9_000, "later", "ALTER TABLE muninn.tenant ADD COLUMN note text"))
    monkeypatch.setattr(migrating, "migrations", lambda: newer)
    with home.database.transaction("muninn_reader") as connection, pytest.raises(DatabaseError, match="needs 9000"):
        check_version(connection)
    before = found(home.database, home.tenant, ann)
    assert migrate(home.admin) == ("later",)
    assert found(home.database, home.tenant, ann) == before  # a server that runs goes on while the tables change
    monkeypatch.undo()
    with home.database.transaction("muninn_reader") as connection, pytest.raises(DatabaseError, match="knows"):
        check_version(connection)


def test_a_failed_migration_changes_nothing(make_home, monkeypatch: pytest.MonkeyPatch) -> None:
    home = make_home()
    broken = migrating.Migration(9_000, "broken", "CREATE TABLE muninn.half(id integer); SELECT no_such_function()")
    monkeypatch.setattr(migrating, "migrations", lambda: (*migrations(), broken))
    with pytest.raises(DatabaseError):
        migrate(home.admin)
    with connect(home.admin) as connection:
        assert connection.execute("SELECT to_regclass('muninn.half')").fetchone() == (None,)
    with pytest.raises(BadParams):
        migrate(home.admin, "bad; DROP ROLE postgres")


def test_a_database_without_tables_and_a_read_only_one_are_named(filled, make_home) -> None:
    home, ann = filled
    with connect(home.admin) as connection:
        connection.execute(b"CREATE DATABASE bare")
    bare = Database(home.app.rpartition("/")[0] + "/bare")
    with pytest.raises(DatabaseError, match="no tables"), bare.transaction("muninn_reader") as connection:
        check_version(connection)
    bare.close()
    standby = make_home()
    name = standby.admin.rpartition("/")[2]
    with connect(home.admin) as connection:
        connection.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on".encode())
    with pytest.raises(ReadOnlyError):
        standby.repository("one")
    assert found(standby.database, standby.tenant, ann) == []


def test_a_database_with_another_encoding_is_refused(home) -> None:
    with connect(home.admin) as connection:
        connection.execute(b"CREATE DATABASE latin ENCODING 'SQL_ASCII' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'")
    with pytest.raises(BadParams, match="the database has the encoding SQL_ASCII") as refused:
        migrate(home.admin.rpartition("/")[0] + "/latin")
    assert "ENCODING 'UTF8'" in refused.value.hint


def test_the_login_works_where_everyone_lost_their_rights(make_home, tmp_path: Path) -> None:
    home = make_home()
    with connect(home.admin) as connection:
        connection.execute(f"REVOKE ALL ON DATABASE {home.admin.rpartition('/')[2]} FROM PUBLIC".encode())
    with pytest.raises(DatabaseError, match="permission denied for database"):
        home.repository("one")
    migrate(home.admin, "muninn_app")
    (tmp_path / "ledger.py").write_text("def settle(account):\n    return account.balance\n")
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "All")
    assert push(home.database, home.repository("one"), tmp_path, "HEAD", workers=1).added == 1


def test_no_statement_has_the_password_of_the_login(make_home, monkeypatch: pytest.MonkeyPatch) -> None:
    home = make_home()
    said: list[str] = []
    execute = psycopg.Connection.execute

    def noting(self: Any, query: Any, *values: Any, **more: Any) -> Any:
        said.append(f"{query} {values}")
        return execute(self, query, *values, **more)

    monkeypatch.setattr(psycopg.Connection, "execute", noting)
    migrate(home.admin, "muninn_other", "pa'ss word")
    monkeypatch.undo()
    assert any("ALTER ROLE muninn_other PASSWORD" in each for each in said)
    assert "ss word" not in "".join(said)
    with connect(f"postgresql://muninn_other:pa'ss%20word@{home.admin.partition('@')[2]}") as connection:
        assert connection.execute("SELECT current_user").fetchone() == ("muninn_other",)
    with pytest.raises(BadParams, match="MUNINN_ORG_PASSWORD is empty"):
        migrate(home.admin, "muninn_other", "")
