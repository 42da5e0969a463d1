"""`muninn org`: serve an organisation's memory, administrate it, push to it and ask it.

Administration needs the address of the database with an administrator's login, by `--database` or in the variable
MUNINN_ORG_DATABASE, and the organisation, by `--tenant` or in MUNINN_ORG_TENANT. Clients need the address of the server
and a token, by `--url` and in MUNINN_ORG_TOKEN.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import secrets
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote, urlsplit, urlunsplit

from muninn_core.context.results.text import render
from muninn_core.errors import BadParams, MuninnError, NotFoundError
from muninn_core.model.value import encode_json, from_plain
from muninn_core.org.access import principals
from muninn_core.org.access.identity import put_provider, remove_provider
from muninn_core.org.access.listing import Listing, listing
from muninn_core.org.answers.verbs import ASKED
from muninn_core.org.database.connections import Connection, Database, DatabaseError, administration
from muninn_core.org.database.embedded_postgres import EmbeddedServer
from muninn_core.org.database.migrate import migrate
from muninn_core.org.ingestion.mirrors import sweep_mirrors
from muninn_core.org.ingestion.pushes import Target, push, remove_branch, remove_repository, sweep
from muninn_core.org.ingestion.redaction import purge, redact
from muninn_core.org.ingestion.worker import Worker
from muninn_core.org.service import Service
from muninn_core.protocol.catalogue import METHODS
from muninn_server.http_listener import serving
from muninn_server.mcp.tools import schema_with, tools_of
from muninn_server.org.application import Application
from muninn_server.org.client import Client
from muninn_server.org.listing_text import listing_text


class _Command(Protocol):
    """Adds a command to the parser."""

    def __call__(self, name: str, about: str, *, of_tenant: bool = True) -> argparse.ArgumentParser:
        """Return the parser of the command, with the options of the database."""
        ...


_LOGIN = "muninn_app"
_TENANT = "trial"
_POLL_SECONDS = 2.0
_MAX_DAYS = 36_500
_YES = "erase without asking; scripts need it"


def main(argv: Sequence[str], environ: Mapping[str, str]) -> int:
    """Run one command. Returns its exit status: 1 for an error, which is printed."""
    options = _parser().parse_args(argv)
    if getattr(options, "tenant", "") is None:
        options.tenant = environ.get("MUNINN_ORG_TENANT") or _TENANT
    try:
        if not _is_confirmed(options):
            print("Nothing was erased.", file=sys.stderr)
            return 1
        _COMMANDS[options.command](options, environ)
    except MuninnError as error:
        print(f"muninn: {error.line}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _is_confirmed(options: argparse.Namespace) -> bool:
    """Whether a command erases nothing, has `--yes`, or a person agrees. Raises BadParams without a terminal."""
    erased = _erased(options)
    if not erased or options.yes:
        return True
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise BadParams(f"this erases {erased} for good", hint="There is no terminal to ask on: add --yes to erase.")
    print(f"Erases {erased} for good. Backups keep it.\nErase it? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _erased(options: argparse.Namespace) -> str:
    """Return what a command erases for good, "" for nothing."""
    match options.command, getattr(options, "action", ""):
        case "redact", _:
            return f"the memory {options.memory} from all branches of the repository '{options.repository}'"
        case "purge", _:
            return f"the content {options.content} from all repositories of '{options.tenant}'"
        case "repository", "delete":
            return f"the repository '{options.name}' of '{options.tenant}', with its branches and rights,"
        case "tenant", "delete":
            return f"the organisation '{options.name}', with its repositories, rights and tokens,"
    return ""


def _serve(options: argparse.Namespace, environ: Mapping[str, str]) -> None:
    """Serve until SIGINT or SIGTERM. The embedded server of a trial ends with it; its data stays."""
    if options.trial is None:
        _serve_database(_address(options, environ), options)
        return
    trial = EmbeddedServer(Path(options.trial))
    try:
        _serve_database(_start_trial(trial), options)
    finally:
        trial.stop()


def _serve_database(address: str, options: argparse.Namespace) -> None:
    _log_as_json()
    database = Database(address)
    replica = Database(options.replica) if options.replica else database
    service = Service(database, Path(options.mirrors).absolute(), options.workers, replica)
    service.check()
    try:
        asyncio.run(_listen(service, options))
    finally:
        lost = service.close()
        if lost:
            logging.getLogger("muninn.org").error("%d entries of the audit are lost", lost)
        for each in {database, replica}:
            each.close()


class JsonFormatter(logging.Formatter):
    """Writes a record as one line of JSON. A message that is an object stays one."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, with the trace of an exception."""
        message = record.msg if isinstance(record.msg, dict) else record.getMessage()
        line = {"at": self.formatTime(record), "level": record.levelname, "message": message}
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


def _log_as_json() -> None:
    """Log warnings of all modules, and requests, on standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonFormatter())
    logging.basicConfig(handlers=[handler], level=logging.WARNING)
    logging.getLogger("muninn.org").setLevel(logging.INFO)


def _listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens. Raises BadParams for an address that can't be used."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        reason = str(getattr(error, "strerror", None) or error).rstrip(".")
        raise BadParams(
            f"can't listen on {host}, port {port}: {reason}", hint="Choose another port with `--port N`, or `--host`."
        ) from None


async def _listen(service: Service, options: argparse.Namespace) -> None:
    sock = _listening(options.host, options.port)
    host = f"[{options.host}]" if ":" in options.host else options.host
    address = f"http://{host}:{sock.getsockname()[1]}"
    application = Application(service, options.public_url or address, options.issuer)
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with serving(application, sock):
        print(f"Serving on {address}", flush=True)
        await stop.wait()


def _start_trial(server: EmbeddedServer) -> str:
    """Start the embedded server with the tables and the tenant `trial`. Returns the application's address."""
    admin = server.start()
    password = secrets.token_urlsafe(24)
    migrate(admin, _LOGIN, password)
    with administration(admin) as connection:
        if connection.execute("SELECT 1 FROM muninn.tenant WHERE name = %s", (_TENANT,)).fetchone() is None:
            principals.create_tenant(connection, _TENANT)
    print(f"The database of the tenant '{_TENANT}', for --database: {admin}", flush=True)
    return _with_login(admin, _LOGIN, password)


def _with_login(address: str, login: str, password: str) -> str:
    parts = urlsplit(address)
    return urlunsplit(parts._replace(netloc=f"{login}:{quote(password)}@{parts.netloc.rpartition('@')[2]}"))


def _migrate(options: argparse.Namespace, environ: Mapping[str, str]) -> None:
    done = migrate(_address(options, environ), options.login, environ.get("MUNINN_ORG_PASSWORD"))
    print(f"Applied: {', '.join(done)}." if done else "The tables are up to date.")


def _tenant(options: argparse.Namespace, environ: Mapping[str, str]) -> None:
    if options.action != "list" and not options.name:
        raise BadParams(f"`muninn org tenant {options.action}` needs the name of an organisation")
    with administration(_address(options, environ)) as connection:
        if options.action == "list":
            for (name,) in connection.execute("SELECT name FROM muninn.tenant ORDER BY name"):
                print(name)
            return
        if options.action == "create":
            principals.create_tenant(connection, options.name)
        else:
            principals.find_tenant(connection, options.name)
            connection.execute("SELECT muninn.drop_tenant(%s)", (options.name,))
    print(f"{options.action}d the tenant {options.name}")


def _repository(options: argparse.Namespace, environ: Mapping[str, str]) -> None:
    tenant = _tenant_of(options, environ)
    with _database(options, environ) as database:
        if options.action == "delete":
            remove_repository(database, tenant, options.name)
        elif options.action == "delete-branch":
            if not remove_branch(database, Target(tenant, options.name, options.ref)):
                raise NotFoundError(
                    f"the repository '{options.name}' has no branch '{options.ref}'",
                    hint=f"`muninn org list {options.name}` shows its branches.",
                )
        else:
            with database.transaction("muninn_writer") as connection:
                principals.put_repository(connection, tenant, options.name, options.ref, private=not options.open)
    print(f"{options.action}: {options.name}")


def _remote(options: argparse.Namespace, environ: Mapping[str, str]) -> None:
    """Set the remote of a repository. Prints the secret of its webhook, which is new each time."""
    secret = secrets.token_urlsafe(32)
    with _writing(options, environ) as (connection, tenant):
        repository = principals.find_repository(connection, tenant, options.name)
        principals.put_remote(connection, tenant, repository, options.remote, secret, options.branch)
    print(secret)


def _work(options: argparse.Namespace, environ: Mapping[str, str]) -> None:
    """Work through the queue, for ever or until no job is due. It waits for a database that is away."""
    with _database(options, environ) as database:
        worker = Worker(database, Path(options.mirrors).absolute(), options.workers)
        while True:
            try:
                job = worker.work_once()
            except DatabaseError as error:
                if options.once:
                    raise
                print(error.line, file=sys.stderr, flush=True)
                time.sleep(_POLL_SECONDS)
                continue
            if job is not None:
                print(json.dumps({"repository": job.repository, "ref": job.ref, "tries": job.tries}), flush=True)
            elif options.once:
                break
            else:
                time.sleep(_POLL_SECONDS)


def _grant(options: argparse.Namespace, environ: Mapping[str, str]) -> None:
    with _writing(options, environ) as (connection, tenant):
        repository = principals.find_repository(connection, tenant, options.repository)
        if options.command == "grant":
            principal = principals.put_principal(connection, tenant, options.kind, options.principal)
            expires = datetime.now(UTC) + timedelta(days=options.days) if options.days is not None else None
            principals.grant(connection, tenant, repository, principal, expires)
        else:
            principals.revoke(connection, tenant, repository, options.kind, options.principal)
    print(f"{options.command}: {options.principal}, {options.repository}")


def _member(options: argparse.Namespace, environ: Mapping[str, str]) -> None:
    with _writing(options, environ) as (connection, tenant):
        if options.remove:
            principals.remove_member(connection, tenant, options.group, options.user)
        else:
            group = principals.put_principal(connection, tenant, "group", options.group)
            principals.put_member(
                connection, tenant, group, principals.put_principal(connection, tenant, "user", options.user)
            )
    print(f"{options.user} is {'no longer ' if options.remove else ''}a member of {options.group}")


def _list(options: argparse.Namespace, environ: Mapping[str, str]) -> None:
    """List over HTTP, or beside the database without `--url`."""
    if options.url is None:
        with _writing(options, environ) as (connection, tenant):
            found = listing(connection, tenant, options.repository)
    else:
        found = from_plain(Client(options.url, _secret(environ)).listing(options.repository), Listing)
    print(encode_json(found).decode() if options.json else listing_text(found))


def _token(options: argparse.Namespace, environ: Mapping[str, str]) -> None:
    lines: list[str] = []
    with _writing(options, environ) as (connection, tenant):
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


def _push(options: argparse.Namespace, environ: Mapping[str, str]) -> None:
    """Push over HTTP, or beside the database with `--database`."""
    root = Path(options.repo).absolute()
    if options.url is None:
        target = Target(_tenant_of(options, environ), options.name, options.ref)
        with _database(options, environ) as database:
            done = push(database, target, root, options.rev, force=options.force)._asdict()
    else:
        client = Client(options.url, _secret(environ))
        done = client.push(root, options.name, options.ref, options.rev, force=options.force, told=_told)
    print(json.dumps(done) if options.json else _pushed(done, options.name, options.ref))


def _told(reason: str) -> None:
    print(f"muninn: {reason}; this push waits.", file=sys.stderr, flush=True)


def _pushed(done: Mapping[str, Any], repository: str, ref: str) -> str:
    """Return a sentence about the result of a push."""
    head = f"{repository} {ref} is at {done['commit'][:12]}"
    if done["unchanged"]:
        return f"{head} already"
    return f"{head}: files added: {done['added']:,}, removed: {done['removed']:,}, memories: {done['memories']:,}"


def _provider(options: argparse.Namespace, environ: Mapping[str, str]) -> None:
    if not options.remove and not (options.audience and options.keys):
        raise BadParams("a provider needs `--audience` and `--keys`", hint="`--remove` removes a declared one.")
    with _writing(options, environ) as (connection, tenant):
        if options.remove:
            remove_provider(connection, tenant, options.issuer)
        else:
            put_provider(
                connection, tenant, options.issuer, options.audience, options.keys, options.claim, options.groups_claim
            )
    print(f"people of {options.issuer} {'can no longer' if options.remove else 'may'} log in")


def _redact(options: argparse.Namespace, environ: Mapping[str, str]) -> None:
    tenant = _tenant_of(options, environ)
    with _database(options, environ) as database:
        if options.command == "redact":
            number = redact(database, tenant, options.repository, options.memory)
            print(f"redacted in {number} {'branch' if number == 1 else 'branches'}")
        else:
            print(f"files deleted: {purge(database, tenant, options.content)}; backups and mirrors still have them")


def _sweep(options: argparse.Namespace, environ: Mapping[str, str]) -> None:
    tenant = _tenant_of(options, environ)
    with _database(options, environ) as database:
        print(f"files of interrupted pushes deleted: {sweep(database, tenant)}")
    if options.mirrors is not None:
        with administration(_address(options, environ)) as connection:
            print(f"mirrors deleted: {sweep_mirrors(connection, Path(options.mirrors).absolute())}")


def _ask(options: argparse.Namespace, environ: Mapping[str, str]) -> None:
    client = Client(options.url, _secret(environ))
    method = METHODS[options.command]
    given = {name: getattr(options, name) for name in method.positional if name in ASKED[options.command].takes}
    params = {name: value for name, value in given.items() if value} | dict(map(_setting, options.set))
    found = client.call(options.command, params, options.repository, options.ref)
    if options.json:
        print(json.dumps(found, ensure_ascii=False))
    else:
        print(render(from_plain(found, method.result)))


def _setting(given: str) -> tuple[str, object]:
    """Return the name and value of a parameter. The value is JSON, or text."""
    name, mark, value = given.partition("=")
    if not mark:
        raise BadParams(f"'{given}' sets no parameter", hint="Write it as NAME=VALUE: --set limit=5.")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _address(options: argparse.Namespace, environ: Mapping[str, str]) -> str:
    address = options.database or environ.get("MUNINN_ORG_DATABASE")
    if not address:
        raise BadParams("no database is named", hint="Use --database postgresql://… or set MUNINN_ORG_DATABASE.")
    return str(address)


def _database(options: argparse.Namespace, environ: Mapping[str, str]) -> AbstractContextManager[Database]:
    """Open the database for a block."""
    return closing(Database(_address(options, environ)))


@contextmanager
def _writing(options: argparse.Namespace, environ: Mapping[str, str]) -> Iterator[tuple[Connection, int]]:
    """Run the block in a transaction that may write; it gets the connection and the id of the tenant."""
    tenant = _tenant_of(options, environ)
    with _database(options, environ) as database, database.transaction("muninn_writer") as connection:
        yield connection, tenant


def _tenant_of(options: argparse.Namespace, environ: Mapping[str, str]) -> int:
    with administration(_address(options, environ)) as connection:
        return principals.find_tenant(connection, options.tenant)


def _secret(environ: Mapping[str, str]) -> str:
    token = environ.get("MUNINN_ORG_TOKEN", "").strip()
    if not token:
        raise BadParams("there is no token", hint="Set MUNINN_ORG_TOKEN; `muninn org token create` creates one.")
    if not (token.isascii() and token.isprintable()):
        raise BadParams("MUNINN_ORG_TOKEN is not a token", hint="It has a line break or a character outside ASCII.")
    return token


_COMMANDS = {
    "serve": _serve,
    "migrate": _migrate,
    "tenant": _tenant,
    "repository": _repository,
    "remote": _remote,
    "work": _work,
    "grant": _grant,
    "revoke": _grant,
    "member": _member,
    "list": _list,
    "token": _token,
    "push": _push,
    "provider": _provider,
    "redact": _redact,
    "purge": _redact,
    "sweep": _sweep,
    **dict.fromkeys(ASKED, _ask),
}


def _parser() -> argparse.ArgumentParser:
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
    repository = command("repository", "Declare or delete a repository, or delete a branch.")
    repository.add_argument("action", choices=("create", "delete", "delete-branch"))
    repository.add_argument("name")
    repository.add_argument("--ref", default="main", help="the default branch, or the branch to delete")
    repository.add_argument("--yes", action="store_true", help=_YES)
    repository.add_argument("--open", action="store_true", help="everyone of the organisation may read it")
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
    for name, verb in ASKED.items():
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
