"""A session ends: the daemon summarizes it and seals its memories into a file to commit.

The daemon finishes the work after the hook has exited. If it does not answer in time, the request is kept in a file
for the next daemon.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from muninn_hooks.payload import Payload

BUDGET_SECONDS = 1.2
"""Claude Code ends all hooks of this event after 1.5 seconds."""

DEFERRABLE = True


def request(payload: Payload) -> tuple[str, dict[str, Any]]:
    """Return the verb and its parameters. Raises ValueError without a session, not to seal other ones."""
    if not payload.session:
        raise ValueError("the event names no session")
    params: dict[str, Any] = {"source": "session", "session": payload.session, "agent": payload.agent}
    if payload.transcript:
        params["transcript"] = payload.transcript
    return "capture", params


def render(_result: dict[str, Any]) -> str:
    """Return "": agents ignore the output of this event."""
    return ""
