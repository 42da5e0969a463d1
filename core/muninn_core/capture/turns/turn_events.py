"""The events of an agent's turns: a collector for the readers of transcripts, and the payloads of tool calls.

Long texts are cut, and private spans are removed.
"""

from __future__ import annotations

import hashlib
import re
from typing import Any

from muninn_core.model.value import Value, field
from muninn_core.source.private_spans import strip_private

PROMPT, TOOL_CALL, ANSWER, USAGE = "prompt", "tool_call", "answer", "usage"
"""The types of events that a turn has."""

MESSAGE_CHARS = 20_000
"""The most characters of a prompt or an answer."""

RESULT_CHARS = 2_000
"""The most characters of a tool's result: a quarter from its beginning, the rest from its end."""

INPUT_CHARS = 1_000
"""The most characters of one text in a tool's input."""

MAX_ITEMS, MAX_DEPTH = 32, 4
"""The most items of a list or fields of an object in a tool's input, and the deepest level that is kept."""

_STATUS = re.compile(r"(?i)\bexit(?:ed with)? (?:code|status):? (\d+)")
_INSERTED = re.compile(r"(?s)<(system-reminder|ide_\w+|environment_context|new-diagnostics|hook_context)\b.*?</\1>")
_MACHINE = re.compile(
    r"^\s*(?:<(?:task-notification|command-|local-command|bash-|turn_aborted|session_context|user_instructions)"
    r"|Caveat: |\[Request interrupted|# AGENTS\.md instructions|This session is being continued)"
)
_FILES = ("file_path", "notebook_path", "filePath", "path")
_EDITS = frozenset(
    {"Edit", "Write", "MultiEdit", "NotebookEdit", "edit", "write", "patch", "replace", "write_file", "edit_file"}
)
_SHELLS = frozenset({"Bash", "bash", "run_shell_command", "Shell"})


class AgentEvent(Value):
    """One event of a turn. `key` is the same whenever the same line is read; `time` is RFC 3339 or ""."""

    event_type: str
    key: str
    actor: str
    time: str
    payload: dict[str, Any] = field(default_factory=dict)


class AgentTurn(Value):
    """A prompt and what followed it. `id` is the agent's own id of the turn if it has one."""

    id: str
    events: tuple[AgentEvent, ...]


class Turns:
    """Collects events into turns. Tool calls wait for their results."""

    def __init__(self) -> None:
        self._turns: list[tuple[str, dict[str, AgentEvent]]] = []
        self._waiting: dict[str, tuple[str, str, Any, str]] = {}
        self.answer = ""

    def __len__(self) -> int:
        """Return the number of turns that have begun."""
        return len(self._turns)

    def begin(self, turn: str) -> None:
        """Begin a turn, unless it is the current one."""
        if turn and (not self._turns or self._turns[-1][0] != turn):
            self._turns.append((turn, {}))

    def prompt(self, turn: str, key: str, time: str, text: str) -> None:
        """Begin a turn with what a person wrote. Text that a program inserted begins a turn without a prompt."""
        text = strip_private(_INSERTED.sub("", text))[0].strip()
        if text:
            self.begin(turn)
        if text_of_person(text):
            self._add(PROMPT, key, "user", time, {"text": cut(text, MESSAGE_CHARS)})

    def reply(self, key: str, time: str, text: str) -> None:
        """Add what the model wrote."""
        text = strip_private(text)[0].strip()
        if text:
            self.answer = text
            self._add(ANSWER, key, "assistant", time, {"text": cut(text, MESSAGE_CHARS)})

    def used(self, key: str, time: str, payload: dict[str, Any]) -> None:
        """Add the tokens of one response of the model. The last numbers of a key count."""
        counts = {name: value for name, value in payload.items() if value not in (None, "", 0)}
        if any(isinstance(value, int) for value in counts.values()):
            self._add(USAGE, key, "assistant", time, counts)

    def call(self, key: str, time: str, tool: str, given: Any, own: str = "") -> None:
        """Note a tool call; `result` completes it. `own` is the key of its event if that is not `key`."""
        self._waiting[key] = (own or key, tool, given, time)

    def result(self, key: str, content: str, *, failed: bool, interrupted: bool = False) -> None:
        """Add a tool call with its result, at the time of the call."""
        waiting = self._waiting.pop(key, None)
        if waiting is not None:
            own, tool, given, time = waiting
            payload = tool_payload(tool, given, content, failed=failed, interrupted=interrupted)
            self._add(TOOL_CALL, own, "tool", time, payload)

    def close(self) -> tuple[AgentTurn, ...]:
        """Return the turns that have events. A call without a result is recorded as interrupted."""
        for key in list(self._waiting):
            self.result(key, "", failed=False, interrupted=True)
        return tuple(AgentTurn(id=turn, events=tuple(events.values())) for turn, events in self._turns if events)

    def _add(self, event_type: str, key: str, actor: str, time: str, payload: dict[str, Any]) -> None:
        if not self._turns:
            self._turns.append((f"t-{hashlib.sha256(key.encode()).hexdigest()[:24]}", {}))
        turn, events = self._turns[-1]
        full = hashlib.sha256(f"{turn}\0{event_type}\0{key}".encode()).hexdigest()[:40]
        events[full] = AgentEvent(event_type=event_type, key=full, actor=actor, time=time, payload=payload)


def text_of_person(text: str) -> str:
    """Return what a person wrote in a message, "" for a message that a program inserted."""
    text = strip_private(_INSERTED.sub("", text))[0].strip()
    return "" if _MACHINE.match(text) else text


def tool_payload(tool: str, given: Any, result: str, *, failed: bool, interrupted: bool = False) -> dict[str, Any]:
    """Return the payload of a tool call: a shell's command with its exit status, and the files that an edit changed.

    `result` is cut to `RESULT_CHARS`; `result_chars` is its full length. Without a status in a failed result the exit
    status of a shell is unknown and left out.
    """
    result = strip_private(result)[0]
    payload: dict[str, Any] = {"tool": tool, "failed": failed}
    fields = given if isinstance(given, dict) else {}
    if interrupted:
        payload["interrupted"] = True
    if tool in _SHELLS:
        payload["command"] = cut(strip_private(text(fields.get("command")))[0], RESULT_CHARS)
        status = _STATUS.search(result[:200]) or _STATUS.search(result[-200:]) if failed else None
        if not interrupted and (status or not failed):
            payload["exit_status"] = int(status[1]) if status else 0
    elif fields:
        payload["input"] = _shortened(fields, 1)
    if tool in _EDITS and (path := next((fields[name] for name in _FILES if text(fields.get(name))), "")):
        payload["files"] = [path]
    if result:
        payload |= {"result": cut(result, RESULT_CHARS), "result_chars": len(result)}
    return payload


def cut(value: str, most: int) -> str:
    """Return a text of at most `most` characters: a quarter from the beginning, the rest from the end."""
    if len(value) <= most:
        return value
    head = most // 4
    return f"{value[:head]}\n[…]\n{value[len(value) - (most - head - 5) :]}"


def text(value: Any) -> str:
    """Return a value that is a text, else ""."""
    return value if isinstance(value, str) else ""


def texts(content: Any) -> str:
    """Return the joined text blocks of a message's content."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return "\n\n".join(
        text(block.get("text"))
        for block in blocks
        if isinstance(block, dict) and block.get("type", "text") in ("text", "Text", "input_text", "output_text")
    )


def _shortened(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return cut(strip_private(value)[0], INPUT_CHARS)
    if isinstance(value, dict | list) and depth > MAX_DEPTH:
        return "[…]"
    if isinstance(value, dict):
        return {name: _shortened(item, depth + 1) for name, item in list(value.items())[:MAX_ITEMS]}
    if isinstance(value, list):
        return [_shortened(item, depth + 1) for item in value[:MAX_ITEMS]]
    return value
