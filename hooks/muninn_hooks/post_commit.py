"""A git command ran in the agent's shell: remember the commits that matter.

The event says nothing reliable about commits (a quiet one leaves no trace, a script may make many), so that the daemon
compares HEAD with the last one that it saw.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from muninn_hooks.payload import Payload

BUDGET_SECONDS = 8.0
"""Claude Code would allow 10."""

LATER = False


def request(payload: Payload) -> tuple[str, dict[str, Any]]:
    """Return the verb and its parameters."""
    params: dict[str, Any] = {"source": "commit", "agent": payload.agent}
    if payload.session:
        params["session"] = payload.session
    return "capture", params


def render(result: dict[str, Any]) -> str:
    """Return the note about what was remembered, "" when nothing was."""
    return str(result["note"])
