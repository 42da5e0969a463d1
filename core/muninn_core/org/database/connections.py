"""Connections to the database of an organisation. The only importer of psycopg.

The application logs in as a role that owns nothing. A transaction takes the role `muninn_reader` or `muninn_writer`,
whose rows are those of the caller, and gives it back at its end.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Literal

from muninn_core.errors import BadParams, MuninnError, NotFoundError, ReadOnlyError, RefusedError, StorageError
from muninn_core.extras import install_command

try:
    import psycopg
    import psycopg.conninfo
except ImportError as error:
    raise NotFoundError(
        "the memory of an organisation needs psycopg, which is not installed",
        hint=f"Install it with `{install_command('org')}`.",
    ) from error

Role = Literal["muninn_reader", "muninn_writer"]
Connection = psycopg.Connection[Any]
Copy = psycopg.Copy

_CONNECT_SECONDS = 10
_MAX_IDLE = 16
"""The most open connections that wait for a transaction."""

_KEEPALIVE = {
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": "60000",
}
"""A connection whose other end is gone without a word ends after a minute, unless the address says otherwise."""

_AGAIN = (
    psycopg.errors.DeadlockDetected,
    psycopg.errors.SerializationFailure,
    psycopg.errors.LockNotAvailable,
)

_SETTINGS = "SET search_path = muninn, public"


class DatabaseError(MuninnError):
    """The database can't be reached, or it refused a query."""

    code = -32040
    kind = "database"


class InvalidRows(DatabaseError):
    """The database refused the values of a statement. It refuses them again."""


class Interrupted(DatabaseError):
    """The database ended a transaction for the sake of another one, or of a replica's replay. It may be run again."""


def connect(url: str) -> Connection:
    """Return a connection in autocommit mode. Raises DatabaseError, or BadParams for an invalid address."""
    try:
        given = psycopg.conninfo.conninfo_to_dict(url)
    except psycopg.ProgrammingError:  # its text has the address, and so the password
        raise BadParams(
            "the address of the database can't be read", hint="It is postgresql://USER:PASSWORD@HOST:PORT/NAME."
        ) from None
    with translated():
        all_given = {**_KEEPALIVE, "connect_timeout": _CONNECT_SECONDS, **given, "application_name": "muninn"}
        connection: Connection = psycopg.connect(psycopg.conninfo.make_conninfo("", **all_given), autocommit=True)
        return connection


@contextmanager
def administration(url: str) -> Iterator[Connection]:
    """Connect with an administrator's login for the block. Raises as `connect` does, DatabaseError, RefusedError."""
    with connect(url) as connection, translated():
        yield connection


class Database:
    """Connections of the application. Safe to use from several threads."""

    def __init__(self, url: str) -> None:
        """`url` is a `postgresql://` address with the application's login. Nothing is connected yet."""
        self._url = url
        self._lock = threading.Lock()
        self._idle: list[Connection] = []
        self._closed = False

    @contextmanager
    def transaction(self, role: Role, *, snapshot: bool = False) -> Iterator[Connection]:
        """Run the block in a transaction of a role. With `snapshot` it reads one state and writes nothing.

        The block's exception rolls back. Raises DatabaseError, ReadOnlyError.
        """
        connection = self._take()
        try:
            with translated(), connection.transaction():
                if snapshot:
                    connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
                connection.execute(f"SET LOCAL ROLE {role}")
                yield connection
        finally:
            self._give_back(connection)

    def close(self) -> None:
        """Close the connections that wait; those in use close at the end of their transactions."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for each in idle:
            each.close()

    def _take(self) -> Connection:
        while (idle := self._take_idle()) is not None:
            if _is_alive(idle):
                return idle
            idle.close()
        connection = connect(self._url)
        with translated():
            connection.execute(_SETTINGS)
        return connection

    def _take_idle(self) -> Connection | None:
        with self._lock:
            return self._idle.pop() if self._idle else None

    def _give_back(self, connection: Connection) -> None:
        with self._lock:
            healthy = not (connection.closed or connection.broken)
            if healthy and not self._closed and len(self._idle) < _MAX_IDLE:
                self._idle.append(connection)
                return
        connection.close()


def _is_alive(connection: Connection) -> bool:
    """Whether a connection still works. The server may have ended it while it waited."""
    try:
        connection.execute(b"")
    except psycopg.OperationalError:
        return False
    return True


@contextmanager
def translated() -> Iterator[None]:
    """Raise errors of the database as errors with a hint."""
    try:
        yield
    except psycopg.errors.ReadOnlySqlTransaction as error:
        raise ReadOnlyError(
            "the database takes no writes", hint="It may be a standby. Name the primary in the address."
        ) from error
    except psycopg.errors.InsufficientPrivilege as error:
        raise RefusedError(
            f"the database refused it: {_first_line(error)}",
            hint="Use an administrator's login here. `muninn org migrate --login` gives the server's login its rights.",
        ) from error
    except (psycopg.errors.UndefinedTable, psycopg.errors.UndefinedFunction, psycopg.errors.InvalidSchemaName) as error:
        raise DatabaseError(
            f"the database has no tables of this version: {_first_line(error)}", hint="Run `muninn org migrate`."
        ) from error
    except (psycopg.errors.DiskFull, psycopg.errors.OutOfMemory) as error:
        raise StorageError(f"the database can't store it: {_first_line(error)}") from error
    except _AGAIN as error:
        raise Interrupted(f"the database ended a query: {_first_line(error)}", hint="Try again.") from error
    except psycopg.errors.QueryCanceled as error:
        raise DatabaseError(
            f"the database ended a query: {_first_line(error)}", hint="Look at its locks, its load and its timeouts."
        ) from error
    except psycopg.errors.ProgramLimitExceeded as error:
        raise InvalidRows(f"the database refused a query: {_first_line(error)}") from error
    except psycopg.OperationalError as error:
        raise DatabaseError(f"the database can't be reached: {_first_line(error)}", hint=_hint_of(error)) from error
    except (psycopg.IntegrityError, psycopg.DataError) as error:
        raise InvalidRows(f"the database refused a query: {_first_line(error)}") from error
    except psycopg.Error as error:
        raise DatabaseError(f"the database refused a query: {_first_line(error)}") from error


def copy_rows(connection: Connection, statement: str, rows: Iterator[Sequence[object]]) -> None:
    """Write rows with COPY."""
    opened: AbstractContextManager[Copy] = connection.cursor().copy(statement.encode())
    with opened as copy:
        for row in rows:
            copy.write_row(row)


def _hint_of(error: Exception) -> str:
    if "too many" in str(error) or "slots are reserved" in str(error):
        return "Raise its `max_connections`, or run fewer servers and workers."
    return "Check its address and that it runs."


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
