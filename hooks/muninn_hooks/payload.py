"""Reads the JSON that an agent sends to a hook into one shape.

The command of the hook names the agent. The fields are those of Claude Code 2.1, Codex CLI 0.169, Gemini CLI 0.61,
Qwen Code 0.24, Copilot CLI 1.0, Cursor 2 and the plugin for OpenCode. Unknown fields are ignored, missing ones are "".
`dialects` formats the answers.
"""

from __future__ import annotations

import json
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CLAUDE_CODE, CODEX, GEMINI, QWEN, COPILOT, CURSOR, OPENCODE = AGENTS = (
    *("claude-code", "codex", "gemini", "qwen", "copilot", "cursor", "opencode"),
)
"""The agents, by the names that `muninn install` and `--agent` take."""

CONTINUE = frozenset({CLAUDE_CODE, CODEX, QWEN, COPILOT})
"""The agents whose model continues after the end of a turn when the hook answers so."""

_SESSION_FIELDS = ("session_id", "conversation_id", "sessionId")
_SESSION_CHARACTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")


class Payload:
    """One event of an agent.

    `agent` is one of AGENTS; without one it is detected from the fields. `event` is the agent's own name of the event.
    `session` is "" when the agent's id is not a valid session name. `command` is the line that the agent's shell ran,
    `error` the reason that it failed, or "". `answer` is the model's last answer. `continued` is true when
    the agent goes on because a hook asked it to. `subagent` is the id of the subagent that the event is about, `time`
    when it happened. Only Cursor sets `turn`, `call` and `output`: its id of the turn and of the tool call, and what
    the command printed.
    """

    __slots__ = (
        "agent",
        "answer",
        "call",
        "command",
        "continued",
        "cwd",
        "error",
        "event",
        "interrupted",
        "output",
        "prompt",
        "session",
        "source",
        "subagent",
        "time",
        "transcript",
        "turn",
    )

    def __init__(self, data: dict[str, Any], agent: str = "") -> None:
        self.agent = agent or _detect(data)
        self.event = _text(data, "hook_event_name") or _text(data, "hookEventName")
        self.cwd = _text(data, "cwd") or _first(data, "workspace_roots")
        self.source = _text(data, "source")
        self.time = _text(data, "timestamp")
        self.transcript = _text(data, "transcript_path")
        self.session = _session(next(filter(None, (_text(data, name) for name in _SESSION_FIELDS)), ""))
        self.prompt = _prompt(_text(data, "prompt"))
        self.answer = _text(data, "last_assistant_message")
        self.turn = self.output = self.call = ""
        if self.agent == CURSOR:  # its conversation can't be read: the events bring what the journal gets
            self.answer = _text(data, "text")
            self.turn = _text(data, "generation_id")
            self.call = _text(data, "tool_use_id")
            self.output = _output(_text(data, "tool_output"))
        self.error = _plain_error(_error(data)) if self.agent == QWEN else _error(data)
        self.continued = data.get("stop_hook_active") is True
        self.interrupted = data.get("is_interrupt") is True
        self.subagent = _text(data, "agent_id")
        given = data.get("tool_input")
        self.command = _text(given, "command") if isinstance(given, dict) else ""


def read_stdin() -> bytes:
    """Read all of stdin; return nothing when it is a terminal.

    `os.read` is used because a thread blocked in `sys.stdin.read` aborts the interpreter at exit.
    """
    if os.isatty(0):
        return b""
    parts = []
    while part := os.read(0, 65536):
        parts.append(part)
    return b"".join(parts)


def decode(raw: bytes, agent: str = "") -> Payload:
    """Decode an event of an agent, see `Payload`. Raises ValueError for anything but a JSON object."""
    if not raw.strip():
        raise ValueError("stdin is empty")
    # Agents quote the output of programs, which may have any encoding.
    data = json.loads(raw.decode(json.detect_encoding(raw), "replace"))
    if not isinstance(data, dict):
        raise ValueError("it is not an object")
    return Payload(data, agent)


def _detect(data: dict[str, Any]) -> str:
    """Return the agent that sends such fields."""
    # Only for installations from before the command had --agent: any agent may come to send these fields.
    # Codex sends `permission_mode` at the start of a session, where Claude Code does not. At the end of a session only
    # the name of Codex's transcript differs.
    if data.get("agent") == OPENCODE:
        return OPENCODE
    if "conversation_id" in data:
        return CURSOR
    if "timestamp" in data:
        return GEMINI
    start = data.get("hook_event_name") == "SessionStart"
    rollout = _text(data, "transcript_path").replace("\\", "/").rpartition("/")[2].startswith("rollout-")
    return CODEX if "turn_id" in data or (start and "permission_mode" in data) or rollout else CLAUDE_CODE


def _prompt(given: str) -> str:
    """Return what the person wrote. Gemini puts the output of SessionStart hooks before the first prompt."""
    return given.rpartition("</hook_context>")[2].lstrip() if given.startswith("<hook_context>") else given


def _error(data: dict[str, Any]) -> str:
    """Return why a tool failed: from the event's own field, or from the result of the tool in Copilot and Gemini."""
    told = _text(data, "error") or _text(data, "error_message") or _copilot_error(data.get("tool_result"))
    answer = data.get("tool_response")
    if told or not isinstance(answer, dict):
        return told
    inner = answer.get("error")
    if isinstance(inner, dict):
        inner = inner.get("message")
    if isinstance(inner, str) and inner:
        return inner
    code = _text(answer, "llmContent").rpartition("\nExit Code: ")[2].partition("\n")[0]
    return f"Exit code {code}\n{_text(answer, 'returnDisplay')}" if code.isdigit() and code != "0" else ""


def _plain_error(told: str) -> str:
    """Return the output of a failed command of Qwen Code, which describes the whole run of it, with its exit status."""
    _, found, rest = told.partition("\nOutput: ")
    output, _, end = rest.rpartition("\nError: ")
    code = end.partition("\nExit Code: ")[2].partition("\n")[0]
    return f"Exit code {code}\n{output}" if found and code.isdigit() else told


def _copilot_error(result: Any) -> str:
    """Return why a command of Copilot failed: its exit status, which the last line of its output states."""
    output = _text(result, "text_result_for_llm") if isinstance(result, dict) else ""
    printed, _, end = output.rstrip().rpartition("<shellId: ")
    code = end.rpartition(" completed with exit code ")[2].removesuffix(">")
    return f"Exit code {code}\n{printed.rstrip()}" if code.isdigit() and code != "0" else ""


def _output(output: str) -> str:
    """Return what a command of Cursor printed: its output is a text, or JSON with `stdout` or `output`."""
    try:
        data = json.loads(output) if output.startswith("{") else None
    except ValueError:
        data = None
    return (_text(data, "stdout") or _text(data, "output")) if isinstance(data, dict) else output


def _text(data: dict[str, Any], name: str) -> str:
    value = data.get(name)
    return value if isinstance(value, str) else ""


def _first(data: dict[str, Any], name: str) -> str:
    value = data.get(name)
    return value[0] if isinstance(value, list) and value and isinstance(value[0], str) else ""


def _session(given: str) -> str:
    fits = 0 < len(given) <= 100 and given[0] not in "._-" and _SESSION_CHARACTERS.issuperset(given)
    return given if fits else ""
