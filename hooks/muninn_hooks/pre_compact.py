"""The conversation is about to be compacted: stores the decisions in it.

The text is added to the instructions for the summary. It cannot add to the context; session-start with source
`compact` does that afterwards.
"""

from __future__ import annotations

from muninn_core.model.counting import number_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from muninn_hooks.payload import Payload

BUDGET_SECONDS = 15.0
"""The transcript may be long, and the user does not wait at a prompt. Claude Code allows 20 seconds."""

DEFERRABLE = False

_KEEP = "Keep in the summary: decisions with their reasons, constraints, what was tried and failed, and open work."


def request(payload: Payload) -> tuple[str, dict[str, Any]]:
    """Return the verb and its parameters. Raises ValueError for an event that names no transcript."""
    if not payload.transcript:
        raise ValueError("the event names no transcript")
    params: dict[str, Any] = {"source": "transcript", "transcript": payload.transcript, "agent": payload.agent}
    if payload.session:
        params["session"] = payload.session
    return "capture", params


def render(result: dict[str, Any]) -> str:
    """Return the instructions, and how many statements were stored."""
    if not result["ids"]:
        return _KEEP
    stored = number_of(len(result["ids"]), "statement")
    return f"{_KEEP}\nMuninn stored {stored} of this conversation and shows them again after the summary."
