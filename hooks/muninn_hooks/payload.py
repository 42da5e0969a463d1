"""The JSON that an agent hands to a hook. Claude Code and Codex share the fields that are read here.

Fields as Claude Code 2.1 and Codex CLI 0.169 send them; unknown ones are ignored, absent ones are "".
"""

from __future__ import annotations

import json
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SESSION_CHARACTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")


class Payload:
    """One event. `session` is "" when the agent's id is none that Muninn takes; `agent` names the program."""

    __slots__ = (
        "agent",
        "command",
        "cwd",
        "error",
        "interrupted",
        "prompt",
        "session",
        "source",
        "subagent",
        "transcript",
    )

    def __init__(self, data: dict[str, Any]) -> None:
        self.cwd = _text(data, "cwd")
        self.source = _text(data, "source")
        self.transcript = _text(data, "transcript_path")
        self.agent = "codex" if "turn_id" in data else "claude-code"
        self.session = _session(_text(data, "session_id"))
        self.prompt = _text(data, "prompt")
        self.error = _text(data, "error")
        self.interrupted = data.get("is_interrupt") is True
        self.subagent = _text(data, "agent_id")
        tool = data.get("tool_input")
        self.command = _text(tool, "command") if isinstance(tool, dict) else ""


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


def _text(data: dict[str, Any], name: str) -> str:
    value = data.get(name)
    return value if isinstance(value, str) else ""


def _session(given: str) -> str:
    fits = 0 < len(given) <= 100 and given[0] not in "._-" and _SESSION_CHARACTERS.issuperset(given)
    return given if fits else ""
