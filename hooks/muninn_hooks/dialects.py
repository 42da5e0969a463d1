"""How each agent wants to be answered: as plain text, inside its own JSON, or not at all.

What an event says, if anything, is its module's affair (`muninn_hooks.main.EVENTS`). Where an agent has no way
to take it, nothing is printed: some of them reject what they do not expect, and Gemini shows plain text to the user.

Sources: Claude Code 2.1 (tried), the schemas in Codex CLI 0.169 (tried), the hooks reference in Gemini CLI 0.61,
Cursor's reference of hooks. OpenCode is answered through our own plugin, which takes text.
"""

from __future__ import annotations

import json

from muninn_hooks.payload import CLAUDE_CODE, CODEX, CURSOR, GEMINI, OPENCODE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from muninn_hooks.payload import Payload

TEXT, NESTED, FLAT = "text", "nested", "flat"
"""Plain text; `hookSpecificOutput.additionalContext`; `additional_context` at the top."""

FORMS: dict[str, dict[str, str]] = {
    CLAUDE_CODE: {
        "session-start": TEXT,
        "user-prompt": TEXT,
        "post-commit": NESTED,
        "post-failure": NESTED,
        "pre-compact": TEXT,  # it goes to whoever writes the summary
    },
    CODEX: dict.fromkeys(("session-start", "user-prompt", "post-commit", "post-failure"), NESTED),
    GEMINI: dict.fromkeys(("session-start", "user-prompt", "post-commit", "post-failure"), NESTED),
    CURSOR: dict.fromkeys(("session-start", "post-commit", "post-failure"), FLAT),
    OPENCODE: dict.fromkeys(("session-start", "user-prompt", "post-commit", "post-failure", "pre-compact"), TEXT),
}
"""The form of an agent's answer to an event of ours; where there is none it takes no answer."""

_NAMES = {
    "session-start": "SessionStart",
    "user-prompt": "UserPromptSubmit",
    "post-commit": "PostToolUse",
    "post-failure": "PostToolUseFailure",
}
"""The agents' name of an event, for a payload that does not give it."""


def answer(payload: Payload, event: str, text: str) -> str:
    """Return what to print for the text of an event; "" for nothing."""
    said = text.strip()
    form = FORMS[payload.agent].get(event)
    if not said or form is None:
        return ""
    if form == TEXT:
        # What starts with a brace would be read as JSON.
        return f"Memory of this repository:\n{said}\n" if said.startswith("{") else f"{said}\n"
    if form == FLAT:
        return _dump({"additional_context": said})
    name = payload.event or _NAMES[event]
    return _dump({"hookSpecificOutput": {"hookEventName": name, "additionalContext": said}})


def _dump(data: dict[str, object]) -> str:
    return json.dumps(data, ensure_ascii=False) + "\n"
