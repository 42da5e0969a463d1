"""The user sends a prompt: adds the memories about it before the model reads it.

The text is appended to the prompt. Usually there is none: the daemon returns only memories above its threshold, once
per session.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from muninn_hooks.payload import Payload

BUDGET_SECONDS = 0.3
"""The user waits at every prompt. A daemon that is still starting serves the next prompt."""

DEFERRABLE = False

MAX_PROMPT = 20_000
"""Characters that are sent. Of a longer prompt, such as a pasted log, the middle is cut."""


def request(payload: Payload) -> tuple[str, dict[str, Any]] | None:
    """Return the verb and its parameters; None for an empty prompt."""
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
    """Return the memories."""
    return str(result["text"])
