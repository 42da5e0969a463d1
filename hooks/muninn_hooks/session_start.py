"""A session starts: tell it what the repository remembers. What is printed becomes part of the first request."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from muninn_hooks.payload import Payload

BUDGET_SECONDS = 8.0
"""Enough for a daemon that has to be started; the first request waits for the brief. Claude Code would allow 10."""

LATER = False

MAX_CHARS = 4000
"""Claude Code takes 10,000 UTF-16 units; a brief that is read every time should be far below."""

_SOURCES = ("startup", "resume", "clear", "compact", "fork")


def request(payload: Payload) -> tuple[str, dict[str, Any]]:
    """Return the verb and its parameters. A source that is not known yet counts as a start."""
    source = payload.source if payload.source in _SOURCES else "startup"
    params: dict[str, Any] = {"source": source, "max_chars": MAX_CHARS}
    if payload.session:
        params["session"] = payload.session
    return "brief", params


def render(result: dict[str, Any]) -> str:
    """Return the brief."""
    return str(result["text"])
