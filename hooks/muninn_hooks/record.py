"""A prompt or an answer of an agent whose transcript the daemon can't read: it is kept for the journal.

The message waits in the inbox until the next event reaches the daemon, so that the agent waits for one small file only.
"""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from muninn_hooks.payload import Payload

BUDGET_SECONDS = 1.2
"""It is rarely used up: no daemon is asked."""

DEFERRABLE = True

MAX_CHARS = 20_000
"""The most characters of a message: its beginning and its end."""


def request(payload: Payload) -> tuple[str, dict[str, Any]] | None:
    """Return the verb and its parameters; None for an event without a session, a turn or a text."""
    text = payload.prompt or payload.answer
    if not payload.session or not payload.turn or not text.strip():
        return None
    if len(text) > MAX_CHARS:
        text = f"{text[: MAX_CHARS // 2]}\n{text[-MAX_CHARS // 2 :]}"
    return "capture", {
        "source": "prompt" if payload.prompt else "answer",
        "session": payload.session,
        "turn": payload.turn,
        "text": text,
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "agent": payload.agent,
    }


def render(_result: dict[str, Any]) -> str:
    """Return "": nothing is added to the conversation."""
    return ""
