"""Somebody asks for something: say what is remembered about it, in the moment before the model reads it.

What is printed stands behind the prompt. Mostly there is nothing: the daemon says what it is sure of, once.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from muninn_hooks.payload import Payload

BUDGET_SECONDS = 0.3
"""The person waits, at every prompt. A daemon that is not there yet serves the next one."""

LATER = False

MAX_PROMPT = 20_000
"""Characters that are looked at: who pastes a log asks before or behind it."""


def request(payload: Payload) -> tuple[str, dict[str, Any]] | None:
    """Return the verb and its parameters; None for what no person has asked."""
    prompt = payload.prompt.strip()
    if not prompt:
        return None
    if len(prompt) > MAX_PROMPT:
        prompt = f"{prompt[: MAX_PROMPT // 2]}\n{prompt[-MAX_PROMPT // 2 :]}"
    params: dict[str, Any] = {"prompt": prompt}
    if payload.session:
        params["session"] = payload.session
    return "remind", params


def render(result: dict[str, Any]) -> str:
    """Return what is remembered."""
    return str(result["text"])
