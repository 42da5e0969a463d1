"""The arguments of `muninn org`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Protocol

from muninn_core.org.answers.verbs import READING_VERBS
from muninn_core.protocol.catalogue import METHODS
from muninn_server.mcp.tools import schema_with, tools_of

_MAX_DAYS = 36_500
_YES = "erase without asking; scripts need it"


class _Command(Protocol):
    """Adds a command to the parser."""

    def __call__(self, name: str, about: str, *, of_tenant: bool = True) -> argparse.ArgumentParser:
        """Return the parser of the command, with the options of the database."""
        ...


def org_parser() -> argparse.ArgumentParser:
    """Return the parser of `muninn org`."""
    parser = argparse.ArgumentParser(
        prog="muninn org",
        description="The memory of an organisation (docs/organisation.md).",
        epilog="example:\n  muninn org recall 'where are sessions stored'",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, about: str, *, of_tenant: bool = True) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=about, description=about)
        made.add_argument("--database", help="address of the database; default: MUNINN_ORG_DATABASE")
        if of_tenant:
            made.add_argument("--tenant", help="the organisation; default: MUNINN_ORG_TENANT, else trial")
        return made

    _add_service(command)
    _add_access(command)
    _add_clients(command)
    _add_questions(commands.add_parser)
    return parser


def _add_service(command: _Command) -> None:
    serve = command("serve", "Serve verbs and pushes over HTTP.", of_tenant=False)
    serve.add_argument("--trial", metavar="FOLDER", help="start an embedded PostgreSQL server in a folder")
    serve.add_argument("--replica", metavar="URL", help="database that answers questions, such as a streaming replica")
    serve.add_argument("--host", default="127.0.0.1", help="address to listen on; put TLS in front of any other")
    serve.add_argument("--port", type=int, default=8765)
    serve.add_argument("--mirrors", default="muninn-mirrors", help="folder of the repositories that are pushed")
    serve.add_argument("--workers", type=int, default=0, help="processes that cut files; default: one per core")
    serve.add_argument("--public-url", default="", help="address that clients use; default: the one that it listens on")
    serve.add_argument("--issuer", action="append", default=[], help="an identity provider that MCP clients log in at")
    work = command("work", "Fetch and index the branches that webhooks name.", of_tenant=False)
    work.add_argument("--mirrors", default="muninn-mirrors", help="folder of the fetched repositories")
    work.add_argument("--workers", type=int, default=0, help="processes that cut files; default: one per core")
    work.add_argument("--once", action="store_true", help="end when no job is due")
    migrating = command("migrate", "Create or upgrade the tables.", of_tenant=False)
    migrating.add_argument("--login", help="role of `serve`, which is created with the password in MUNINN_ORG_PASSWORD")
    sweeping = command("sweep", "Delete what interrupted pushes and deleted repositories left.")
    sweeping.add_argument("--mirrors", help="folder of the mirrors, to delete what they have no use for any more")


def _add_access(command: _Command) -> None:
    tenant = command("tenant", "Create, list or delete organisations.", of_tenant=False)
    tenant.add_argument("action", choices=("create", "list", "delete"))
    tenant.add_argument("name", nargs="?", default="")
    tenant.add_argument("--yes", action="store_true", help=_YES)
    repository = command("repository", "Create, change or delete a repository, or delete a branch.")
    repository.add_argument("action", choices=("create", "change", "delete", "delete-branch"))
    repository.add_argument("name")
    repository.add_argument("--ref", help="the default branch, or the branch to delete; a new one has main")
    repository.add_argument("--yes", action="store_true", help=_YES)
    readers = repository.add_mutually_exclusive_group()
    readers.add_argument("--open", action="store_true", help="everyone of the organisation may read it")
    readers.add_argument("--private", action="store_true", help="only those with a right may read it, as a new one")
    remote = command("remote", "Set where a repository is fetched from; prints the secret of its webhook.")
    remote.add_argument("name")
    remote.add_argument("remote", help="https://…, ssh://… or a folder; git's own credentials apply")
    remote.add_argument("--branch", action="append", default=[], help="pattern of further branches: release/*")
    for name, about in (("grant", "Let a user or group read a repository."), ("revoke", "Withdraw this right.")):
        granting = command(name, about)
        granting.add_argument("principal")
        granting.add_argument("repository")
        granting.add_argument("--kind", choices=("user", "group", "service"), default="user")
        if name == "grant":
            granting.add_argument(
                "--days", type=_days, help="the right ends after these days; default: it does not end"
            )
    member = command("member", "Make a user a member of a group.")
    member.add_argument("user")
    member.add_argument("group")
    member.add_argument("--remove", action="store_true", help="end the membership")
    listed = command("list", "List repositories with their branches and rights, groups and identity providers.")
    listed.add_argument("repository", nargs="*", help="only these repositories")
    listed.add_argument("--url", help="ask a server instead of a database; a token to list is in MUNINN_ORG_TOKEN")
    listed.add_argument("--json", action="store_true", help="print the list as JSON")
    provider = command("provider", "Let people of an identity provider (OpenID Connect) ask.")
    provider.add_argument("issuer", help="the claim `iss` of its tokens: https://…")
    provider.add_argument("--audience", default="", help="the claim `aud` of its tokens")
    provider.add_argument("--keys", default="", help="address of its public keys, the `jwks_uri` of its metadata")
    provider.add_argument("--claim", default="sub", help="the claim that names a person; default: sub")
    provider.add_argument("--groups-claim", default="", help="the claim with the names of the person's groups")
    provider.add_argument("--remove", action="store_true", help="people of this provider ask no more")
    redacting = command("redact", "Erase a memory from all branches of a repository.")
    redacting.add_argument("repository")
    redacting.add_argument("memory")
    redacting.add_argument("--yes", action="store_true", help=_YES)
    purging = command("purge", "Erase a content from all repositories; no push stores it again.")
    purging.add_argument("content", help="the id of the git object: `git rev-parse REV:PATH` prints it")
    purging.add_argument("--yes", action="store_true", help=_YES)
    token = command("token", "Create, list or revoke tokens.")
    token.add_argument("action", choices=("create", "list", "revoke"))
    token.add_argument("subject", nargs="?", default="", help="the user to create it for, or the number to revoke")
    scope = token.add_mutually_exclusive_group()
    scope.add_argument("--push", metavar="REPOSITORY", help="a token that pushes to this repository, and reads nothing")
    scope.add_argument("--list", action="store_true", help="a token for `muninn org list`, which reads no content")
    token.add_argument("--days", type=_days, default=90, help="days until it expires; default: 90, at most 366")
    token.add_argument("--json", action="store_true", help="list the tokens as a line of JSON each")


def _days(given: str) -> int:
    """Return a number of days, as a type of argparse."""
    days = int(given) if given.isascii() and given.isdigit() else 0
    if not 0 < days <= _MAX_DAYS:
        raise argparse.ArgumentTypeError(f"it is a number from 1 to {_MAX_DAYS:,}")
    return days


def _add_clients(command: _Command) -> None:
    pushing = command("push", "Push a commit to a server, or to a database.")
    pushing.add_argument("rev", nargs="?", default="HEAD")
    pushing.add_argument("--repo", default=".", help="a work tree or bare repository")
    pushing.add_argument("--name", required=True, help="the repository's name in the organisation")
    pushing.add_argument("--ref", default="main", help="the branch")
    pushing.add_argument("--url", help="address of the server; its token is in MUNINN_ORG_TOKEN")
    pushing.add_argument("--force", action="store_true", help="move the branch back to an earlier commit")
    pushing.add_argument("--json", action="store_true", help="print the result as JSON")


def _add_questions(add_parser: Callable[..., argparse.ArgumentParser]) -> None:
    """Add the reading verbs. A verb's positional parameters are those of the local command line."""
    for name, verb in READING_VERBS.items():
        method = METHODS[name]
        asking = add_parser(name, help=method.summary, description=method.summary)
        fields = schema_with(tools_of(("all",))[name], verb.takes)["properties"]
        for each in method.positional:
            if each in fields:
                nargs = "*" if fields[each].get("type") == "array" else "?" if each != method.positional[0] else None
                nargs = "?" if nargs is None and each in method.may_omit else nargs
                asking.add_argument(each, nargs=nargs, help=fields[each].get("description"))
        asking.add_argument("--url", required=True)
        asking.add_argument("--repository", action="append", default=[], help="only this repository; may be repeated")
        asking.add_argument("--ref", default="", help="this branch instead of the default ones")
        asking.add_argument(
            "--set", action="append", default=[], metavar="NAME=VALUE", help=f"another parameter: {', '.join(fields)}"
        )
        asking.add_argument("--json", action="store_true")
