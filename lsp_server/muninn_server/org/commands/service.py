"""`muninn org serve`, `work` and `migrate`: the service, its queue and its tables."""

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
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote, urlsplit, urlunsplit

from muninn_core.errors import BadParams, ReadOnlyError, StorageError
from muninn_core.org.access import principals
from muninn_core.org.database.connections import Database, DatabaseError, administration
from muninn_core.org.database.embedded_postgres import EmbeddedServer
from muninn_core.org.database.migrate import migrate
from muninn_core.org.ingestion.worker import Worker
from muninn_core.org.service import Service
from muninn_server.http_listener import serving
from muninn_server.org.application import Application
from muninn_server.org.commands.environment import TRIAL, address_of, database_of

_LOGIN = "muninn_app"
_POLL_SECONDS = 2.0


def serve(options: argparse.Namespace, environ: Mapping[str, str]) -> None:
    """Serve until SIGINT or SIGTERM. The embedded server of a trial ends with it; its data stays."""
    if options.trial is None:
        _serve_database(address_of(options, environ), options)
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
        if connection.execute("SELECT 1 FROM muninn.tenant WHERE name = %s", (TRIAL,)).fetchone() is None:
            principals.create_tenant(connection, TRIAL)
    print(f"The database of the tenant '{TRIAL}', for --database: {admin}", flush=True)
    return _with_login(admin, _LOGIN, password)


def _with_login(address: str, login: str, password: str) -> str:
    parts = urlsplit(address)
    return urlunsplit(parts._replace(netloc=f"{login}:{quote(password)}@{parts.netloc.rpartition('@')[2]}"))


def migrate_tables(options: argparse.Namespace, environ: Mapping[str, str]) -> None:
    """Create or upgrade the tables."""
    done = migrate(address_of(options, environ), options.login, environ.get("MUNINN_ORG_PASSWORD"))
    print(f"Applied: {', '.join(done)}." if done else "The tables are up to date.")


def work(options: argparse.Namespace, environ: Mapping[str, str]) -> None:
    """Work through the queue, for ever or until no job is due. It waits for a database that is away,
    takes no writes, or is full."""
    with database_of(options, environ) as database:
        worker = Worker(database, Path(options.mirrors).absolute(), options.workers)
        while True:
            try:
                job = worker.work_once()
            except (DatabaseError, ReadOnlyError, StorageError) as error:  # away, a standby, or full
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
