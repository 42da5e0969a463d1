"""A git command ran in the agent's shell: the daemon stores the commits that matter.

The event is unreliable about commits (a quiet one prints nothing, a script may create many), so the daemon compares
HEAD with the last one it knows.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from muninn_hooks.payload import Payload

BUDGET_SECONDS = 8.0
"""Claude Code allows 10 seconds."""

DEFERRABLE = False

MAX_CHARS = 8_000
"""Characters of a command and of its output that are sent, for an agent whose transcript the daemon can't read."""


def request(payload: Payload) -> tuple[str, dict[str, Any]]:
    """Return the verb and its parameters."""
    params: dict[str, Any] = {"source": "commit", "agent": payload.agent}
    if payload.session:
        params["session"] = payload.session
    if payload.turn and payload.command:
        params |= {"turn": payload.turn, "call": payload.call, "command": payload.command[:MAX_CHARS]}
        params["output"] = payload.output[-MAX_CHARS:]
    return "capture", params


def render(result: dict[str, Any]) -> str:
    """Return a note about the stored memories, "" if there are none."""
    return str(result["note"])
