"""Formats the answer of a hook for each agent: as plain text, as JSON, or not at all.

The module of an event (`muninn_hooks.main.EVENTS`) renders the text. An agent without a field for it gets nothing: some
agents reject unexpected output, and Gemini shows plain text to the user.

Sources: Claude Code 2.1, the schemas in Codex CLI 0.169, the hooks references of Gemini CLI 0.61, Copilot CLI 1.0
and Qwen Code 0.24 (all tested with the program), Cursor's hooks reference (not tested). The plugin for OpenCode takes
plain text.
"""

from __future__ import annotations

import json

from muninn_hooks.payload import CLAUDE_CODE, CODEX, COPILOT, CURSOR, GEMINI, OPENCODE, QWEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from muninn_hooks.payload import Payload

TEXT, NESTED, FLAT, BOTH, BLOCK = "text", "nested", "flat", "both", "block"
"""Plain text; `hookSpecificOutput.additionalContext`; `additional_context` at the top; `additionalContext` at the top
and nested; a decision to go on."""

_WITH_CONTEXT = ("session-start", "user-prompt", "post-commit", "post-failure")
"""The events whose answer most agents add to the conversation."""

FORMS: dict[str, dict[str, str]] = {
    CLAUDE_CODE: {
        "session-start": TEXT,
        "user-prompt": TEXT,
        "post-commit": NESTED,
        "post-failure": NESTED,
        "pre-compact": TEXT,  # goes into the prompt of the summary
        "stop": BLOCK,
    },
    CODEX: {**dict.fromkeys(_WITH_CONTEXT, NESTED), "stop": BLOCK},
    QWEN: {**dict.fromkeys(_WITH_CONTEXT, NESTED), "stop": BLOCK},
    GEMINI: dict.fromkeys(_WITH_CONTEXT, NESTED),
    # Copilot CLI takes it at the top. VS Code reads the same file of hooks and takes it nested.
    COPILOT: {**dict.fromkeys(_WITH_CONTEXT, BOTH), "stop": BLOCK},
    CURSOR: dict.fromkeys(("session-start", "post-commit", "post-failure"), FLAT),
    OPENCODE: dict.fromkeys(("session-start", "user-prompt", "post-commit", "post-failure", "pre-compact"), TEXT),
}
"""The form of the answer, by agent and event. An agent takes no answer to an event that is missing here."""

_NAMES = {
    "session-start": "SessionStart",
    "user-prompt": "UserPromptSubmit",
    "post-commit": "PostToolUse",
    "post-failure": "PostToolUseFailure",
}
"""The agents' names of events, for a payload without one."""


def answer(payload: Payload, event: str, text: str) -> str:
    """Return what to print for the text of an event; "" for nothing."""
    stripped = text.strip()
    form = FORMS[payload.agent].get(event)
    if not stripped or form is None:
        return ""
    if form == TEXT:
        # Agents parse output that starts with a brace as JSON.
        return f"Memory of this repository:\n{stripped}\n" if stripped.startswith("{") else f"{stripped}\n"
    if form == FLAT:
        return _dump({"additional_context": stripped})
    if form == BLOCK:
        return _dump({"decision": "block", "reason": stripped})
    name = payload.event or _NAMES[event]
    nested: dict[str, object] = {"hookSpecificOutput": {"hookEventName": name, "additionalContext": stripped}}
    return _dump({"additionalContext": stripped, **nested} if form == BOTH else nested)


def _dump(data: dict[str, object]) -> str:
    return json.dumps(data, ensure_ascii=False) + "\n"
