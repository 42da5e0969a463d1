"""`muninn org`: serve an organisation's memory, administrate it, push to it and ask it.

Administration needs the address of the database with an administrator's login, by `--database` or in the variable
MUNINN_ORG_DATABASE, and the organisation, by `--tenant` or in MUNINN_ORG_TENANT. Clients need the address of the server
and a token, by `--url` and in MUNINN_ORG_TOKEN.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence

from muninn_core.errors import BadParams, MuninnError
from muninn_core.org.answers.verbs import READING_VERBS
from muninn_server.org.commands.access import (
    change_grant,
    change_member,
    change_provider,
    change_repository,
    change_tenant,
    change_tokens,
    erase,
    set_remote,
    sweep_remains,
)
from muninn_server.org.commands.arguments import org_parser
from muninn_server.org.commands.clients import ask, list_repositories, push_commit
from muninn_server.org.commands.environment import TRIAL
from muninn_server.org.commands.service import migrate_tables, serve, work

_COMMANDS = {
    "serve": serve,
    "migrate": migrate_tables,
    "tenant": change_tenant,
    "repository": change_repository,
    "remote": set_remote,
    "work": work,
    "grant": change_grant,
    "revoke": change_grant,
    "member": change_member,
    "list": list_repositories,
    "token": change_tokens,
    "push": push_commit,
    "provider": change_provider,
    "redact": erase,
    "purge": erase,
    "sweep": sweep_remains,
    **dict.fromkeys(READING_VERBS, ask),
}


def main(argv: Sequence[str], environ: Mapping[str, str]) -> int:
    """Run one command. Returns its exit status: 1 for an error, which is printed."""
    options = org_parser().parse_args(argv)
    if getattr(options, "tenant", "") is None:
        options.tenant = environ.get("MUNINN_ORG_TENANT") or TRIAL
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
