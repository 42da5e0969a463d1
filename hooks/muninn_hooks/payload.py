"""The JSON that an agent hands to a hook, read into one shape whatever the agent calls its fields.

Agents are told apart by a field that only they send. Fields as Claude Code 2.1, Codex CLI 0.169, Gemini CLI 0.61,
Cursor 2 and our own plugin for OpenCode send them; unknown ones are ignored, absent ones are "". How an agent wants to
be answered is said in `dialects`.
"""

from __future__ import annotations

import json
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CLAUDE_CODE, CODEX, GEMINI, CURSOR, OPENCODE = "claude-code", "codex", "gemini", "cursor", "opencode"

_SESSION_CHARACTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")


class Payload:
    """One event. `session` is "" when the agent's id is none that Muninn takes; `agent` names the program.

    `event` is the agent's own name for what happened. `command` is the line that a shell was given, `error` why it
    failed, "" where it did not.
    """

    __slots__ = (
        "agent",
        "command",
        "cwd",
        "error",
        "event",
        "interrupted",
        "prompt",
        "session",
        "source",
        "subagent",
        "transcript",
    )

    def __init__(self, data: dict[str, Any]) -> None:
        self.agent = _agent(data)
        self.event = _text(data, "hook_event_name")
        self.cwd = _text(data, "cwd") or _first(data, "workspace_roots")
        self.source = _text(data, "source")
        self.transcript = _text(data, "transcript_path")
        self.session = _session(_text(data, "session_id") or _text(data, "conversation_id"))
        self.prompt = _text(data, "prompt")
        self.error = _error(data)
        self.interrupted = data.get("is_interrupt") is True
        self.subagent = _text(data, "agent_id")
        given = data.get("tool_input")
        self.command = _text(given, "command") if isinstance(given, dict) else ""


def read_stdin() -> bytes:
    """Read all of stdin; nothing from a terminal.

    It reads the descriptor itself: a thread that is left behind in `sys.stdin.read` would abort the interpreter's exit.
    """
    if os.isatty(0):
        return b""
    parts = []
    while part := os.read(0, 65536):
        parts.append(part)
    return b"".join(parts)


def decode(raw: bytes) -> Payload:
    """Decode an event. Raises ValueError for anything but a JSON object."""
    if not raw.strip():
        raise ValueError("stdin is empty")
    data = json.loads(raw)
    if not isinstance(data, dict):
        raise ValueError("it is not an object")
    return Payload(data)


def _agent(data: dict[str, Any]) -> str:
    """Tell who sent it. Codex's start of a session lacks the turn, but has the mode, which Claude Code's has not."""
    if data.get("agent") == OPENCODE:
        return OPENCODE
    if "conversation_id" in data:
        return CURSOR
    if "timestamp" in data:
        return GEMINI
    start = data.get("hook_event_name") == "SessionStart"
    return CODEX if "turn_id" in data or (start and "permission_mode" in data) else CLAUDE_CODE


def _error(data: dict[str, Any]) -> str:
    """Return why a tool failed: a field of the event, or of Gemini's answer of the tool."""
    answer = data.get("tool_response")
    inner = answer.get("error") if isinstance(answer, dict) else None
    if isinstance(inner, dict):
        inner = inner.get("message")
    return _text(data, "error") or _text(data, "error_message") or (inner if isinstance(inner, str) else "")


def _text(data: dict[str, Any], name: str) -> str:
    value = data.get(name)
    return value if isinstance(value, str) else ""


def _first(data: dict[str, Any], name: str) -> str:
    value = data.get(name)
    return value[0] if isinstance(value, list) and value and isinstance(value[0], str) else ""


def _session(given: str) -> str:
    fits = 0 < len(given) <= 100 and given[0] not in "._-" and _SESSION_CHARACTERS.issuperset(given)
    return given if fits else ""
