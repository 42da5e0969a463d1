"""Tenants, repositories, principals and tokens: who may read and push what."""

from __future__ import annotations

import hashlib
import re
import secrets
import time
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Literal, NamedTuple

from muninn_core.errors import BadParams, BusyError, NotFoundError, RefusedError
from muninn_core.org.database.connections import Connection, Interrupted, translated

Kind = Literal["user", "group", "service"]
TokenScope = Literal["read", "push", "list"]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@/+-]{0,199}")
_TOKEN = re.compile(r"muninn_[A-Za-z0-9_-]{43}")
_REMOTE = re.compile(r"(?:https://|ssh://|/)[^\s\0]{1,500}")
_MIN_SECRET_LENGTH = 16
_MAX_LIFETIME = timedelta(days=366)

_LOCK_SECONDS = 1
_LOCK_ATTEMPTS = 60
"""How long a deletion waits for the tables at a time, and between two times, and how often."""


class InvalidToken(RefusedError):
    """The token is unknown, expired or revoked."""


class Caller(NamedTuple):
    """The holder of a token. `repository` is the only one that a push token may push to.

    `changed`: the primary got the person or new groups of the person, which a replica may not have yet.
    """

    token: int
    tenant: int
    principal: int
    name: str
    scope: TokenScope
    repository: str | None
    changed: bool = False


class TokenRow(NamedTuple):
    """A token without its secret."""

    id: int
    principal: str
    scope: str
    repository: str | None
    created: datetime
    expires: datetime
    revoked: datetime | None


def set_tenant(connection: Connection, tenant: int) -> None:
    """Let the transaction write rows of a tenant."""
    connection.execute("SELECT set_config('muninn.tenant', %s, true)", (str(tenant),))


def find_tenant(connection: Connection, name: str) -> int:
    """Return the id of a tenant, as the owner of the tables sees it. Raises NotFoundError."""
    row = connection.execute("SELECT id FROM muninn.tenant WHERE name = %s", (name,)).fetchone()
    if row is None:
        raise NotFoundError(
            f"there is no tenant '{name}'",
            hint="Name one with `--tenant` or in MUNINN_ORG_TENANT; `muninn org tenant list` shows them.",
        )
    return int(row[0])


def create_tenant(connection: Connection, name: str) -> int:
    """Create a tenant with its partitions; the connection is an administrator's. Raises BadParams."""
    if connection.execute("SELECT 1 FROM muninn.tenant WHERE name = %s", (checked_name(name),)).fetchone():
        raise BadParams(f"there is a tenant '{name}' already", hint="`muninn org tenant list` shows them.")
    row = connection.execute("SELECT muninn.create_tenant(%s)", (name,)).fetchone()
    assert row is not None
    return int(row[0])


def delete_tenant(connection: Connection, name: str) -> None:
    """Delete a tenant with all that it has; the connection is an administrator's, in autocommit mode.

    It waits for pushes and questions of all tenants in short turns, since those that begin meanwhile wait for it.
    Raises NotFoundError, BusyError.
    """
    find_tenant(connection, name)
    connection.execute(f"SET lock_timeout = '{_LOCK_SECONDS}s'".encode())
    for _ in range(_LOCK_ATTEMPTS):
        try:
            with translated():
                connection.execute("SELECT muninn.drop_tenant(%s)", (name,))
        except Interrupted:
            time.sleep(_LOCK_SECONDS)
        else:
            return
    raise BusyError("pushes or questions use the tables, which the deletion needs alone", hint="Try again later.")


def find_repository(connection: Connection, tenant: int, name: str) -> int:
    """Let the transaction write rows of a tenant, and return the id of a repository. Raises NotFoundError."""
    set_tenant(connection, tenant)
    row = connection.execute("SELECT id FROM repository WHERE tenant = %s AND name = %s", (tenant, name)).fetchone()
    if row is None:
        raise NotFoundError(f"there is no repository '{name}'", hint="`muninn org repository create` creates one.")
    return int(row[0])


def create_repository(connection: Connection, tenant: int, name: str, default_ref: str, *, private: bool) -> int:
    """Create a repository and return its id. Raises BadParams, also for a name that there is."""
    set_tenant(connection, tenant)
    row = connection.execute(
        "INSERT INTO repository(tenant, name, default_ref, visibility) VALUES (%s, %s, %s, %s) "
        "ON CONFLICT (tenant, name) DO NOTHING RETURNING id",
        (tenant, checked_name(name), default_ref, _visibility(private)),
    ).fetchone()
    if row is None:
        raise BadParams(
            f"there is a repository '{name}' already", hint="`muninn org repository change` changes its settings."
        )
    return int(row[0])


def change_repository(
    connection: Connection, tenant: int, name: str, default_ref: str | None = None, *, private: bool | None = None
) -> None:
    """Change the default branch or the visibility of a repository; None leaves it as it is. Raises NotFoundError."""
    repository = find_repository(connection, tenant, name)
    connection.execute(
        "UPDATE repository SET default_ref = coalesce(%s, default_ref), visibility = coalesce(%s, visibility) "
        "WHERE id = %s",
        (default_ref, None if private is None else _visibility(private), repository),
    )


def _visibility(private: bool) -> str:
    return "private" if private else "tenant"


def put_remote(
    connection: Connection, tenant: int, repository: int, remote: str, secret: str, branches: Sequence[str] = ()
) -> None:
    """Set where a repository is fetched from, the secret of its webhook, and patterns of further branches.

    Raises BadParams for an address that git would take as an option or a program, and for a short secret.
    """
    if not _REMOTE.fullmatch(remote):
        raise BadParams(f"'{remote[:200]}' is not a remote", hint="Use https://…, ssh://… or the path of a folder.")
    if secret and len(secret) < _MIN_SECRET_LENGTH:
        raise BadParams(f"the webhook's secret has fewer than {_MIN_SECRET_LENGTH} characters")
    set_tenant(connection, tenant)
    connection.execute(
        "UPDATE repository SET remote = %s, hook_secret = %s, branches = %s WHERE id = %s",
        (remote, secret, list(branches), repository),
    )


def put_principal(connection: Connection, tenant: int, kind: Kind, name: str) -> int:
    """Return the id of a principal, which is created if needed. Raises BadParams."""
    set_tenant(connection, tenant)
    row = connection.execute(
        "INSERT INTO principal(tenant, kind, name) VALUES (%s, %s, %s) ON CONFLICT (tenant, kind, name) "
        "DO UPDATE SET name = excluded.name RETURNING id",
        (tenant, kind, checked_name(name)),
    ).fetchone()
    assert row is not None
    return int(row[0])


def put_member(connection: Connection, tenant: int, group: int, principal: int) -> None:
    """Make a principal a member of a group."""
    set_tenant(connection, tenant)
    connection.execute(
        "INSERT INTO member(tenant, in_group, principal) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING",
        (tenant, group, principal),
    )


def remove_member(connection: Connection, tenant: int, group: str, user: str) -> None:
    """End a user's membership of a group. Raises NotFoundError."""
    set_tenant(connection, tenant)
    done = connection.execute(
        "DELETE FROM member m USING principal g, principal u WHERE m.in_group = g.id AND m.principal = u.id "
        "AND m.tenant = %s AND g.kind = 'group' AND g.name = %s AND u.kind = 'user' AND u.name = %s",
        (tenant, group, user),
    )
    if not done.rowcount:
        raise NotFoundError(f"{user} is no member of {group}", hint="`muninn org list` shows the members.")


def grant(
    connection: Connection, tenant: int, repository: int, principal: int, expires: datetime | None = None
) -> None:
    """Let a principal read a private repository until a time, or for ever."""
    set_tenant(connection, tenant)
    connection.execute(
        "INSERT INTO access(tenant, repository, principal, expires) "
        "VALUES (%s, %s, %s, coalesce(%s::timestamptz, 'infinity')) "
        "ON CONFLICT (principal, repository) DO UPDATE SET expires = excluded.expires",
        (tenant, repository, principal, expires),
    )


def revoke(connection: Connection, tenant: int, repository: int, kind: Kind, name: str) -> None:
    """Take a principal's right to read a private repository. Raises NotFoundError."""
    set_tenant(connection, tenant)
    done = connection.execute(
        "DELETE FROM access a USING principal p WHERE a.principal = p.id AND a.repository = %s AND p.tenant = %s "
        "AND p.kind = %s AND p.name = %s",
        (repository, tenant, kind, name),
    )
    if not done.rowcount:
        raise NotFoundError(
            f"the {kind} '{name}' has no right of its own to this repository",
            hint="`muninn org list` shows the rights.",
        )


def create_token(
    connection: Connection,
    tenant: int,
    principal: int,
    scope: TokenScope,
    lifetime: timedelta,
    repository: int | None = None,
) -> str:
    """Create a token and return it. The database has its SHA-256 only. Raises BadParams.

    A token of the scope `push` is for one repository.
    """
    if not timedelta(0) < lifetime <= _MAX_LIFETIME:
        raise BadParams("a token lives between a second and 366 days", hint="Create another one when it expires.")
    if (scope == "push") != (repository is not None):
        raise BadParams("a token to push names one repository, and another token names none")
    set_tenant(connection, tenant)
    token = f"muninn_{secrets.token_urlsafe(32)}"
    connection.execute(
        "INSERT INTO token(tenant, principal, hash, scope, repository, expires) "
        "VALUES (%s, %s, %s, %s, %s, now() + %s)",
        (tenant, principal, _hash(token), scope, repository, lifetime),
    )
    return token


def list_tokens(connection: Connection, tenant: int) -> list[TokenRow]:
    """Return the tokens of a tenant, the newest first."""
    set_tenant(connection, tenant)
    rows = connection.execute(
        "SELECT t.id, p.name, t.scope, r.name, t.created, t.expires, t.revoked FROM token t "
        "JOIN principal p ON p.id = t.principal LEFT JOIN repository r ON r.id = t.repository "
        "WHERE t.tenant = %s ORDER BY t.id DESC",
        (tenant,),
    )
    return [TokenRow(*row) for row in rows]


def revoke_token(connection: Connection, tenant: int, token: int) -> None:
    """Revoke a token at once. Raises NotFoundError."""
    set_tenant(connection, tenant)
    done = connection.execute(
        "UPDATE token SET revoked = now() WHERE tenant = %s AND id = %s AND revoked IS NULL", (tenant, token)
    )
    if not done.rowcount:
        raise NotFoundError(f"there is no token {token} in force", hint="`muninn org token list` shows them.")


def authenticate(connection: Connection, token: str, scope: TokenScope) -> Caller:
    """Return the holder of a token. Raises InvalidToken, and RefusedError for a token of another scope."""
    row = None
    if _TOKEN.fullmatch(token):
        sql = "SELECT id, tenant, principal, name, scope, repository FROM authenticate(%s)"
        row = connection.execute(sql, (_hash(token),)).fetchone()
    if row is None:
        raise InvalidToken("the token is not valid", hint="It may have expired. `muninn org token create` creates one.")
    caller = Caller(*row)
    if caller.scope != scope:
        raise RefusedError(f"this token is for the scope '{caller.scope}', and '{scope}' is needed")
    return caller


def checked_name(name: str) -> str:
    """Return a name of a tenant, repository or principal. Raises BadParams."""
    if not _NAME.fullmatch(name):
        raise BadParams(
            f"'{name[:200]}' is not a name", hint="Use letters, digits and ._@/+-, at most 200, with a letter first."
        )
    return name


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
