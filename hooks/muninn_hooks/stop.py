"""The model has ended its turn: let the daemon see what the turn did. Nothing is printed, or the model would go on.

Commits are looked for once more, since not every way to commit is seen by `post-commit`; and where the transcript lies
is noted, so that a session whose end nobody sees is summed up all the same.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from muninn_hooks.payload import Payload

BUDGET_SECONDS = 1.2
"""The person reads the answer meanwhile; what takes longer, the daemon does all the same."""

LATER = False


def request(payload: Payload) -> tuple[str, dict[str, Any]] | None:
    """Return the verb and its parameters; None for a session that Muninn can't name."""
    if not payload.session:
        return None
    params: dict[str, Any] = {"source": "turn", "session": payload.session, "agent": payload.agent}
    if payload.transcript:
        params["transcript"] = payload.transcript
    return "capture", params


def render(_result: dict[str, Any]) -> str:
    """Say nothing: whatever is said here keeps the model at work."""
    return ""
