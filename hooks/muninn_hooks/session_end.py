"""A session ends: sum it up and seal what it stored into a file that git can carry.

It is one message to the daemon, which does the work whether or not anybody waits for it. Where no daemon answers in
time the message is left in a file, and the next daemon does it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from muninn_hooks.payload import Payload

BUDGET_SECONDS = 1.2
"""Claude Code ends all hooks of this event after 1.5 seconds."""

LATER = True


def request(payload: Payload) -> tuple[str, dict[str, Any]]:
    """Return the verb and its parameters. Raises ValueError without a session: sealing all would end others' work."""
    if not payload.session:
        raise ValueError("the event names no session")
    params: dict[str, Any] = {"source": "session", "session": payload.session, "agent": payload.agent}
    if payload.transcript:
        params["transcript"] = payload.transcript
    return "capture", params


def render(_result: dict[str, Any]) -> str:
    """Nobody reads the output of this event."""
    return ""
