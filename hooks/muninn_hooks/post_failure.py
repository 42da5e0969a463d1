"""A command of the agent's shell failed: remember that, and say what is known of such a failure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from muninn_hooks.payload import Payload

BUDGET_SECONDS = 2.0
"""Commands fail often while somebody works: no more than a moment for each."""

LATER = False

MAX_CHARS = 8_000
"""Characters of an error that are handed over: its end, where the reason mostly stands."""


def request(payload: Payload) -> tuple[str, dict[str, Any]] | None:
    """Return the verb and its parameters; None where no command failed, or somebody stopped it."""
    if not payload.command or not payload.error or payload.interrupted:
        return None
    params: dict[str, Any] = {
        "source": "failure",
        "command": payload.command[:MAX_CHARS],
        "error": payload.error if len(payload.error) <= MAX_CHARS else payload.error[:200] + payload.error[-MAX_CHARS:],
        "agent": payload.agent,
    }
    if payload.session:
        params["session"] = payload.session
    return "capture", params


def render(result: dict[str, Any]) -> str:
    """Return the note about what is known."""
    return str(result["note"])
