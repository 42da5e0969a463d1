"""Commands of clients: `list`, `push`, and the verbs that read."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from muninn_core.context.results.text import render
from muninn_core.errors import BadParams, MuninnError
from muninn_core.model.value import encode_json, from_plain
from muninn_core.org.access.listing import Listing, listing
from muninn_core.org.answers.verbs import READING_VERBS, hint_of_commands
from muninn_core.org.ingestion.pushes import Target, push
from muninn_core.protocol.catalogue import METHODS
from muninn_server.org.client import Client
from muninn_server.org.commands.environment import database_of, tenant_of, token_of, writing
from muninn_server.org.listing_text import listing_text


def list_repositories(options: argparse.Namespace, environ: Mapping[str, str]) -> None:
    """List over HTTP, or beside the database without `--url`."""
    if options.url is None:
        with writing(options, environ) as (connection, tenant):
            found = listing(connection, tenant, options.repository)
    else:
        found = from_plain(Client(options.url, token_of(environ)).listing(options.repository), Listing)
    print(encode_json(found).decode() if options.json else listing_text(found))


def push_commit(options: argparse.Namespace, environ: Mapping[str, str]) -> None:
    """Push over HTTP, or beside the database with `--database`."""
    root = Path(options.repo).absolute()
    if options.url is None:
        target = Target(tenant_of(options, environ), options.name, options.ref)
        with database_of(options, environ) as database:
            done = push(database, target, root, options.rev, force=options.force)._asdict()
    else:
        client = Client(options.url, token_of(environ))
        done = client.push(root, options.name, options.ref, options.rev, force=options.force, told=_report_waiting)
    print(json.dumps(done) if options.json else _pushed(done, options.name, options.ref))


def _report_waiting(reason: str) -> None:
    print(f"muninn: {reason}; this push waits.", file=sys.stderr, flush=True)


def _pushed(done: Mapping[str, Any], repository: str, ref: str) -> str:
    """Return a sentence about the result of a push."""
    head = f"{repository} {ref} is at {done['commit'][:12]}"
    if done["unchanged"]:
        return f"{head} already"
    return f"{head}: files added: {done['added']:,}, removed: {done['removed']:,}, memories: {done['memories']:,}"


def ask(options: argparse.Namespace, environ: Mapping[str, str]) -> None:
    """Ask a server by one of the reading verbs."""
    client = Client(options.url, token_of(environ))
    method = METHODS[options.command]
    given = {name: getattr(options, name) for name in method.positional if name in READING_VERBS[options.command].takes}
    params = {name: value for name, value in given.items() if value} | dict(map(_setting, options.set))
    try:
        found = client.call(options.command, params, options.repository, options.ref)
    except MuninnError as error:
        error.hint = hint_of_commands(error.hint)
        raise
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
