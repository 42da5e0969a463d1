"""Creates and upgrades the tables. It needs a login that may create roles; the application's login may not."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from muninn_core.errors import BadParams
from muninn_core.org.database.connections import Connection, DatabaseError, connect, translated

_FOLDER = Path(__file__).parent / "migrations"
_LOCK = 0x6D756E696E6E
"""The key of the advisory lock that lets one migration run at a time."""

_LOGIN = re.compile(r"[a-z_][a-z0-9_]{0,62}")

_PREPARE = """
DO $$
DECLARE role text;
BEGIN
  FOREACH role IN ARRAY ARRAY['muninn_owner', 'muninn_reader', 'muninn_writer'] LOOP
    IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = role) THEN
      EXECUTE format('CREATE ROLE %I NOLOGIN NOSUPERUSER NOBYPASSRLS', role);
    END IF;
  END LOOP;
END
$$;
GRANT muninn_owner, muninn_reader, muninn_writer TO CURRENT_USER;
-- A database whose rights were taken from everyone lets its owner alone use temporary tables.
DO $$
BEGIN
  IF has_database_privilege(current_database(), 'TEMPORARY WITH GRANT OPTION') THEN
    EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO muninn_writer', current_database());
  END IF;
END
$$;
CREATE SCHEMA IF NOT EXISTS muninn AUTHORIZATION muninn_owner;
"""

_AS_OWNER = """
SET ROLE muninn_owner;
SET search_path = muninn, public;
CREATE TABLE IF NOT EXISTS migration(number integer PRIMARY KEY, name text NOT NULL,
  applied timestamptz NOT NULL DEFAULT now());
GRANT SELECT ON migration TO PUBLIC;
GRANT USAGE ON SCHEMA muninn TO PUBLIC;
"""


class Migration(NamedTuple):
    """A numbered step of the schema."""

    number: int
    name: str
    sql: str


def migrations() -> tuple[Migration, ...]:
    """Return all steps in their order."""
    files = sorted(_FOLDER.glob("*.sql"))
    return tuple(Migration(int(each.name[:4]), each.stem[5:], each.read_text("utf-8")) for each in files)


def migrate(url: str, login: str | None = None, password: str | None = None) -> tuple[str, ...]:
    """Bring the tables to this version, and return the names of the steps that were missing.

    `login` is the role with which the application connects: it is created with `password`, or gets the rights that it
    lacks. Steps run in one transaction, so that a failure changes nothing. Raises BadParams, DatabaseError.
    """
    if login is not None and not _LOGIN.fullmatch(login):
        raise BadParams(f"'{login}' is not a name of a role", hint="Use lower-case letters, digits and underscores.")
    if password == "":
        raise BadParams("the password in MUNINN_ORG_PASSWORD is empty", hint="Set it, or leave the variable out.")
    connection = connect(url)
    try:
        _check_encoding(connection)
        with translated(), connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            connection.execute(_PREPARE)
            if login is not None:
                _grant_login(connection, login, password)
            connection.execute(_AS_OWNER)
            return _apply_missing(connection)
    finally:
        connection.close()


def check_version(connection: Connection) -> None:
    """Raise DatabaseError when the tables are older than this version, or have steps that it does not know."""
    known = {each.number for each in migrations()}
    applied = {row[0] for row in connection.execute("SELECT number FROM migration")}
    if applied - known:
        raise DatabaseError(
            f"the database has the version {max(applied)}, and this Muninn knows {max(known)}",
            hint="Upgrade Muninn on this machine.",
        )
    if known - applied:
        raise DatabaseError(
            f"the database has the version {max(applied, default=0)}, and this Muninn needs {max(known)}",
            hint="Run `muninn org migrate`.",
        )


def _check_encoding(connection: Connection) -> None:
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise BadParams(
            f"the database has the encoding {encoding}, which has not all characters of texts",
            hint="Make one with `CREATE DATABASE muninn ENCODING 'UTF8' TEMPLATE template0`.",
        )


def _apply_missing(connection: Connection) -> tuple[str, ...]:
    applied = {row[0] for row in connection.execute("SELECT number FROM migration")}
    missing = [each for each in migrations() if each.number not in applied]
    for each in missing:
        connection.execute(each.sql.encode())
        connection.execute("INSERT INTO migration(number, name) VALUES (%s, %s)", (each.number, each.name))
    return tuple(each.name for each in missing)


def _grant_login(connection: Connection, login: str, password: str | None) -> None:
    """Create the application's role if it is missing, and let it take the roles of readers and writers."""
    if connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (login,)).fetchone() is None:
        connection.execute(f"CREATE ROLE {login} LOGIN NOSUPERUSER NOBYPASSRLS NOINHERIT".encode())
    if password is not None:
        # Hashed here: the text of a statement can get into the log of the database.
        hashed = connection.pgconn.encrypt_password(password.encode(), login.encode(), b"scram-sha-256").decode()
        connection.execute(f"ALTER ROLE {login} PASSWORD '{hashed}'".encode())
    connection.execute(f"GRANT muninn_reader, muninn_writer TO {login}".encode())
    connection.execute(
        "DO $$ BEGIN IF has_database_privilege(current_database(), 'CONNECT WITH GRANT OPTION') THEN "
        f"EXECUTE format('GRANT CONNECT ON DATABASE %I TO {login}', current_database()); END IF; END $$".encode()
    )
