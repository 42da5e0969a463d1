"""A session starts: prints the brief of the repository's memory, which becomes part of the first request."""

from __future__ import annotations

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
    return "brief", params


def render(result: dict[str, Any]) -> str:
    """Return the brief."""
    return str(result["text"])
