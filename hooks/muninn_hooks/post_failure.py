"""A command of the agent's shell failed: stores the failure, and prints what is known about similar ones."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from muninn_hooks.payload import Payload

BUDGET_SECONDS = 2.0
"""Commands fail often, so each failure gets little time."""

DEFERRABLE = False

MAX_CHARS = 8_000
"""Characters of an error that are sent: its end, which usually has the reason."""


def request(payload: Payload) -> tuple[str, dict[str, Any]] | None:
    """Return the verb and its parameters; None if no command failed or the user interrupted it."""
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
    if payload.turn:
        params |= {"turn": payload.turn, "call": payload.call}
    return "capture", params


def render(result: dict[str, Any]) -> str:
    """Return the note about earlier failures."""
    return str(result["note"])
