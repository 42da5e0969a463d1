"""The database, the tenant and the token that a command works with, from its options and the environment."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager

from muninn_core.errors import BadParams
from muninn_core.org.access import principals
from muninn_core.org.database.connections import Connection, Database, administration

TRIAL = "trial"
"""The tenant of an embedded server, and of commands that name none."""


def address_of(options: argparse.Namespace, environ: Mapping[str, str]) -> str:
    """Return the address of the database. Raises BadParams when none is named."""
    address = options.database or environ.get("MUNINN_ORG_DATABASE")
    if not address:
        raise BadParams("no database is named", hint="Use --database postgresql://… or set MUNINN_ORG_DATABASE.")
    return str(address)


def database_of(options: argparse.Namespace, environ: Mapping[str, str]) -> AbstractContextManager[Database]:
    """Open the database for a block."""
    return closing(Database(address_of(options, environ)))


@contextmanager
def writing(options: argparse.Namespace, environ: Mapping[str, str]) -> Iterator[tuple[Connection, int]]:
    """Run the block in a transaction that may write; it gets the connection and the id of the tenant."""
    tenant = tenant_of(options, environ)
    with database_of(options, environ) as database, database.transaction("muninn_writer") as connection:
        yield connection, tenant


def tenant_of(options: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Return the id of the named tenant. Raises NotFoundError for an unknown one."""
    with administration(address_of(options, environ)) as connection:
        return principals.find_tenant(connection, options.tenant)


def token_of(environ: Mapping[str, str]) -> str:
    """Return the token of a client. Raises BadParams for none."""
    token = environ.get("MUNINN_ORG_TOKEN", "").strip()
    if not token:
        raise BadParams("there is no token", hint="Set MUNINN_ORG_TOKEN; `muninn org token create` creates one.")
    if not (token.isascii() and token.isprintable()):
        raise BadParams("MUNINN_ORG_TOKEN is not a token", hint="It has a line break or a character outside ASCII.")
    return token
