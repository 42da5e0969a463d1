"""`muninn completion --values KIND`: what a shell offers for an id, a tag, a type, a key or a session.

A shell asks while the user types. It therefore starts no daemon, and an error prints nothing.
"""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, Any

from muninn_cli.exit_codes import OK
from muninn_cli.terminal.safe_text import safe
from muninn_core import client
from muninn_core.errors import MuninnError
from muninn_core.model.memory import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

SHORT = 8
"""The last characters of an id, which every verb takes as the id."""

_MAX_VALUES = 200

_PLAIN = re.compile(r"[\w@%+=/.,:][\w@%+=/.,:-]*")
"""A value that every shell takes as it is. Bash expands what it is offered: `$(…)` in a tag would run a program."""

Row = tuple[str, str]
"""(value, description)."""


def _ids(ask: Callable[..., dict[str, Any]]) -> Iterable[Row]:
    memories = ask("memories", limit=_MAX_VALUES)["memories"]
    return [(memory["id"][-SHORT:], memory["title"] or memory["text"]) for memory in memories]


def _conflicts(ask: Callable[..., dict[str, Any]]) -> Iterable[Row]:
    conflicts = ask("conflicts", decided=True)["conflicts"]
    return [(each["id"][-SHORT:], each["reason"]) for each in conflicts]


def _tags(ask: Callable[..., dict[str, Any]]) -> Iterable[Row]:
    return [(each["name"], each["detail"]) for each in ask("names", kinds=["tag"], limit=_MAX_VALUES)["names"]]


def _tasks(ask: Callable[..., dict[str, Any]]) -> Iterable[Row]:
    names = ask("names", kinds=["document"], limit=_MAX_VALUES)["names"]
    return [(each["insert"], each["name"]) for each in names]


def _types(ask: Callable[..., dict[str, Any]]) -> Iterable[Row]:
    used = ask("overview", limit=1)["kinds"]
    return [(kind, f"{used[kind]} stored" if kind in used else "") for kind in dict.fromkeys((*used, *KINDS))]


def _keys(ask: Callable[..., dict[str, Any]]) -> Iterable[Row]:
    return [(entry["key"], entry["about"]) for entry in ask("config.list")["entries"]]


def _sessions(ask: Callable[..., dict[str, Any]]) -> Iterable[Row]:
    return [(each["session"], each["title"]) for each in ask("sessions", limit=_MAX_VALUES)["sessions"]]


VALUES: dict[str, Callable[[Callable[..., dict[str, Any]]], Iterable[Row]]] = {
    "ids": _ids,
    "conflicts": _conflicts,
    "tags": _tags,
    "tasks": _tasks,
    "types": _types,
    "keys": _keys,
    "sessions": _sessions,
}
"""What can be completed, by its name."""


def print_values(kind: str, repo: str, *, described: bool) -> int:
    """Print the values of a kind, one a line; with `described` each with its description after a tab.

    A value with a character that has a meaning in a shell is left out: repositories of other people have values too.
    """
    try:
        with client.connect(repo, os.environ, start=False, name="completion") as daemon:
            rows = VALUES[kind](lambda verb, **params: daemon.call(verb, params))
    except (MuninnError, OSError):
        return OK  # a message would end up among the words that the user types
    for value, description in rows:
        if not _PLAIN.fullmatch(value):
            continue
        told = " ".join(safe(description).split())[:80]
        sys.stdout.write(f"{value}\t{told}\n" if described and told else f"{value}\n")
    return OK
