"""A session starts: prints the brief of the repository's memory, which becomes part of the first request."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from muninn_hooks.payload import Payload

BUDGET_SECONDS = 8.0
"""Enough to start a daemon. The first request waits for the brief. Claude Code allows 10 seconds."""

DEFERRABLE = False

MAX_CHARS = 4000
"""Claude Code accepts 10,000 UTF-16 units. A brief that every session reads should be much shorter."""

_SOURCES = ("startup", "resume", "clear", "compact", "fork")


def request(payload: Payload) -> tuple[str, dict[str, Any]]:
    """Return the verb and its parameters. An unknown source counts as `startup`."""
    source = payload.source if payload.source in _SOURCES else "startup"
    params: dict[str, Any] = {"source": source, "max_chars": MAX_CHARS}
    if payload.session:
        params["session"] = payload.session
    program = _program()
    if program != "muninn":
        params["program"] = program
    return "brief", params


def render(result: dict[str, Any]) -> str:
    """Return the brief."""
    return str(result["text"])


def _program() -> str:
    """Return how the agent's shell runs Muninn: by its name if it is on the PATH, else by the path of this program."""
    folders = os.environ.get("PATH", "").split(os.pathsep)
    path = os.path.abspath(sys.argv[0])
    if any(folder and os.access(os.path.join(folder, "muninn"), os.X_OK) for folder in folders):
        return "muninn"
    if os.path.basename(path) != "muninn" or not os.access(path, os.X_OK):
        return "muninn"
    return f"'{path}'" if " " in path else path
