"""`muninn install --list`: all clients, what they get, and where it is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from muninn_core.errors import MuninnError
from muninn_hooks import edit, git_hooks
from muninn_hooks.connect.client_paths import EVERYWHERE, HERE, SHARED, path_of
from muninn_hooks.connect.clients import CLIENTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from muninn_hooks.connect.clients import Client

_SCOPES = {HERE: "here", SHARED: "here, for everybody", EVERYWHERE: "everywhere"}


def overview(repo: str, environ: Mapping[str, str]) -> list[str]:
    """Return a line per client. An unreadable file is reported in its client's line."""
    rows = [("git-hooks", "pre-commit hook", "here" if git_hooks.is_installed(repo) else "")]
    for name, make in CLIENTS.items():
        client = make()
        state = f"print only: muninn install {name} --print" if client.snippet else _state(client, repo, environ)
        rows.append((name, client.gets, state))
    rows.sort(key=lambda row: (row[2].startswith("print"), not row[2]))
    return [f"{name:<12} {gets:<27} {state or '-'}" for name, gets, state in rows]


def _state(client: Client, repo: str, environ: Mapping[str, str]) -> str:
    found = []
    for scope in (HERE, SHARED, EVERYWHERE):
        try:
            if _is_installed(client, scope, repo, environ):
                found.append(_SCOPES[scope])
        except MuninnError as error:
            found.append(error.message)
    return "; ".join(dict.fromkeys(found))


def _is_installed(client: Client, scope: str, repo: str, environ: Mapping[str, str]) -> bool:
    """Whether a client's first file in a scope has pieces of Muninn."""
    file = client.files[0]
    if (
        (scope == HERE and not file.here)
        or (scope == SHARED and not file.shared)
        or (scope == EVERYWHERE and not file.everywhere)
    ):
        return False
    path = path_of(file, client, scope, repo, environ)
    return edit.plan_removal(path, file.content.add, file.content.remove).changes
