"""The model has ended its turn: the daemon captures its commits.

With `memory.ask_agent` the model is asked, once in a session, to remember what was decided: it then continues.
`post-commit` does not see every commit, so the daemon looks for more. It also records the path of the transcript, to
summarize the session even if no session-end event arrives.
"""

from __future__ import annotations

from muninn_hooks.budget import budget
from muninn_hooks.payload import CONTINUE, COPILOT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from muninn_hooks.payload import Payload

BUDGET_SECONDS = 1.2
"""The daemon finishes work that takes longer."""

DEFERRABLE = False

MAX_ANSWER = 2_000
"""Characters of the last answer that are sent: its end, by which the daemon knows that the transcript has it."""


def request(payload: Payload) -> tuple[str, dict[str, Any]] | None:
    """Return the verb and its parameters; None without a valid session, and when a subagent has ended its turn."""
    if not payload.session or payload.subagent:
        return None
    params: dict[str, Any] = {"source": "turn", "session": payload.session, "agent": payload.agent}
    if payload.transcript:
        if payload.agent == COPILOT:
            from muninn_hooks.copilot import wait_for_turn

            wait_for_turn(payload.transcript, payload.time, budget(BUDGET_SECONDS) / 2)
        params["transcript"] = payload.transcript
    if payload.turn:
        params["turn"] = payload.turn
    if payload.answer:
        params["answer"] = payload.answer[-MAX_ANSWER:]
    if payload.agent in CONTINUE and not payload.continued:
        params["may_ask"] = True
    return "capture", params


def render(result: dict[str, Any]) -> str:
    """Return what the model is asked before it stops, "" for nothing: any output makes it continue."""
    return str(result["ask"])
