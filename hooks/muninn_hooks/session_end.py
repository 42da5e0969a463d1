"""A session ends: seal what it stored into a file that git can carry.

When there is no time left, nothing is lost: the daemon seals the sessions that were left open at its next start.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from muninn_hooks.payload import Payload

BUDGET_SECONDS = 1.2
"""Claude Code ends all hooks of this event after 1.5 seconds."""


def request(payload: Payload) -> tuple[str, dict[str, Any]]:
    """Return the verb and its parameters. Raises ValueError without a session: sealing all would end others' work."""
    if not payload.session:
        raise ValueError("the event names no session")
    return "seal", {"session": payload.session}


def render(_result: dict[str, Any]) -> str:
    """Nobody reads the output of this event."""
    return ""
