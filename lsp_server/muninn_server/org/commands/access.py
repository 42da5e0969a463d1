"""Commands of an administrator: organisations, repositories, rights, tokens, identity providers, erasure."""

from __future__ import annotations

import argparse
import json
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from muninn_core.errors import BadParams, NotFoundError
from muninn_core.model.counting import number_of
from muninn_core.org.access import principals
from muninn_core.org.access.identity import put_provider, remove_provider
from muninn_core.org.database.connections import Connection, Database, administration
from muninn_core.org.ingestion.mirrors import sweep_mirrors
from muninn_core.org.ingestion.pushes import Target, remove_branch, remove_repository, sweep
from muninn_core.org.ingestion.redaction import purge, redact
from muninn_server.org.commands.environment import address_of, database_of, tenant_of, writing

_DEFAULT_REF = "main"


def change_tenant(options: argparse.Namespace, environ: Mapping[str, str]) -> None:
    """Create, list or delete organisations."""
    if options.action != "list" and not options.name:
        raise BadParams(f"`muninn org tenant {options.action}` needs the name of an organisation")
    with administration(address_of(options, environ)) as connection:
        if options.action == "list":
            for (name,) in connection.execute("SELECT name FROM muninn.tenant ORDER BY name"):
                print(name)
            return
        if options.action == "create":
            principals.create_tenant(connection, options.name)
        else:
            principals.delete_tenant(connection, options.name)
    print(f"{options.action}d the tenant {options.name}")


def change_repository(options: argparse.Namespace, environ: Mapping[str, str]) -> None:
    """Create, change or delete a repository, or delete a branch."""
    tenant = tenant_of(options, environ)
    with database_of(options, environ) as database:
        if options.action == "delete":
            remove_repository(database, tenant, options.name)
        elif options.action == "delete-branch":
            if not options.ref:
                raise BadParams("no branch is named", hint="Name the branch to delete with `--ref BRANCH`.")
            if not remove_branch(database, Target(tenant, options.name, options.ref)):
                raise NotFoundError(
                    f"the repository '{options.name}' has no branch '{options.ref}'",
                    hint=f"`muninn org list {options.name}` shows its branches.",
                )
        else:
            _put_repository(database, tenant, options)
    print(f"{options.action}: {options.name}")


def _put_repository(database: Database, tenant: int, options: argparse.Namespace) -> None:
    with database.transaction("muninn_writer") as connection:
        if options.action == "create":
            principals.create_repository(
                connection, tenant, options.name, options.ref or _DEFAULT_REF, private=not options.open
            )
            return
        if not (options.ref or options.open or options.private):
            raise BadParams("nothing is to be changed", hint="Give `--ref BRANCH`, `--open` or `--private`.")
        private = options.private if options.open or options.private else None
        principals.change_repository(connection, tenant, options.name, options.ref, private=private)


def set_remote(options: argparse.Namespace, environ: Mapping[str, str]) -> None:
    """Set the remote of a repository. Prints the secret of its webhook, which is new each time."""
    secret = secrets.token_urlsafe(32)
    with writing(options, environ) as (connection, tenant):
        repository = principals.find_repository(connection, tenant, options.name)
        principals.put_remote(connection, tenant, repository, options.remote, secret, options.branch)
    print(secret)


def change_grant(options: argparse.Namespace, environ: Mapping[str, str]) -> None:
    """Let a principal read a repository, or withdraw this right."""
    with writing(options, environ) as (connection, tenant):
        repository = principals.find_repository(connection, tenant, options.repository)
        if options.command == "grant":
            principal = principals.put_principal(connection, tenant, options.kind, options.principal)
            expires = datetime.now(UTC) + timedelta(days=options.days) if options.days is not None else None
            principals.grant(connection, tenant, repository, principal, expires)
        else:
            principals.revoke(connection, tenant, repository, options.kind, options.principal)
    print(f"{options.command}: {options.principal}, {options.repository}")


def change_member(options: argparse.Namespace, environ: Mapping[str, str]) -> None:
    """Add a user to a group, or remove them."""
    with writing(options, environ) as (connection, tenant):
        if options.remove:
            principals.remove_member(connection, tenant, options.group, options.user)
        else:
            group = principals.put_principal(connection, tenant, "group", options.group)
            principals.put_member(
                connection, tenant, group, principals.put_principal(connection, tenant, "user", options.user)
            )
    print(f"{options.user} is {'no longer ' if options.remove else ''}a member of {options.group}")


def change_tokens(options: argparse.Namespace, environ: Mapping[str, str]) -> None:
    """Create, list or revoke tokens. Prints a new token, which is shown only once."""
    lines: list[str] = []
    with writing(options, environ) as (connection, tenant):
        if options.action == "list":
            rows = principals.list_tokens(connection, tenant)
            lines = [json.dumps(row._asdict(), default=str) if options.json else _described(row) for row in rows]
        elif options.action == "revoke":
            principals.revoke_token(connection, tenant, _token_number(options.subject))
        else:
            lines = [_new_token(connection, tenant, options)]
    for line in lines:
        print(line)


def _token_number(given: str) -> int:
    if not (given.isascii() and given.isdigit()):
        raise BadParams(f"'{given}' is not the number of a token", hint="`muninn org token list` shows the numbers.")
    return int(given)


def _described(row: principals.TokenRow) -> str:
    """Return a token on one line: its number, principal and scope, and until when it is in force."""
    scope = f"pushes to {row.repository}" if row.repository else f"{row.scope}s"
    end = f"revoked {row.revoked:%Y-%m-%d}" if row.revoked else f"until {row.expires:%Y-%m-%d}"
    return f"{row.id:>6}  {row.principal}  {scope}  {end}"


def _new_token(connection: Connection, tenant: int, options: argparse.Namespace) -> str:
    repository = None
    if options.push is not None:
        repository = principals.find_repository(connection, tenant, options.push)
    kind: principals.Kind = "user" if options.push is None else "service"
    principal = principals.put_principal(connection, tenant, kind, options.subject)
    scope: principals.TokenScope = "push" if options.push is not None else "list" if options.list else "read"
    return principals.create_token(connection, tenant, principal, scope, timedelta(days=options.days), repository)


def change_provider(options: argparse.Namespace, environ: Mapping[str, str]) -> None:
    """Declare or remove an identity provider."""
    if not options.remove and not (options.audience and options.keys):
        raise BadParams("a provider needs `--audience` and `--keys`", hint="`--remove` removes a declared one.")
    with writing(options, environ) as (connection, tenant):
        if options.remove:
            remove_provider(connection, tenant, options.issuer)
        else:
            put_provider(
                connection, tenant, options.issuer, options.audience, options.keys, options.claim, options.groups_claim
            )
    print(f"people of {options.issuer} {'can no longer' if options.remove else 'may'} log in")


def erase(options: argparse.Namespace, environ: Mapping[str, str]) -> None:
    """Redact a memory, or purge a content."""
    tenant = tenant_of(options, environ)
    with database_of(options, environ) as database:
        if options.command == "redact":
            number = redact(database, tenant, options.repository, options.memory)
            print(f"redacted in {number_of(number, 'branch', 'branches')}")
        else:
            print(f"files deleted: {purge(database, tenant, options.content)}; backups and mirrors still have them")


def sweep_remains(options: argparse.Namespace, environ: Mapping[str, str]) -> None:
    """Delete what interrupted pushes and deleted repositories left."""
    tenant = tenant_of(options, environ)
    with database_of(options, environ) as database:
        print(f"files of interrupted pushes deleted: {sweep(database, tenant)}")
    if options.mirrors is not None:
        with administration(address_of(options, environ)) as connection:
            print(f"mirrors deleted: {sweep_mirrors(connection, Path(options.mirrors).absolute())}")
