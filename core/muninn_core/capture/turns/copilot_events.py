"""Converts the events of Copilot CLI's sessions to the form of Claude Code's transcripts, line by line.

Format: Copilot CLI 1.0 (`session-state/ID/events.jsonl`), one object per line with `type`, `data`, `id`, `timestamp`.
`tool.execution_start` has a call, `tool.execution_complete` its result, the exit status of a command and the edited
files. Events of subagents name their agent and become side chains. Malformed lines give empty entries.
"""

from __future__ import annotations

import re
from typing import Any

Entry = dict[str, Any]

USER, ASSISTANT = "user.message", "assistant.message"
"""The types of the lines that people and the model wrote."""

TYPES = frozenset(
    {
        *(USER, ASSISTANT, "session.start", "session.resume", "session.usage_record"),
        *("tool.execution_start", "tool.execution_complete"),
    }
)
"""The types of lines that have a meaning here."""

_SHELLS = frozenset({"bash", "powershell"})
_EDITS = {"create": "Write", "edit": "Edit", "str_replace_editor": "Edit"}
_PATCH = "apply_patch"
"""A tool that changes several files, which only its result names."""

_SHELL_END = re.compile(r"\s*<shellId: \S+ completed with exit code (\d+)>\s*\Z")
_FROM_HOOKS = re.compile(r"(?s)\n\nTool \"[^\"\n]*\" (?:succeeded|failed)\. Additional guidance from \w+ hooks:\n.*\Z")


class Converter:
    """Converts the lines of one session, in order."""

    def __init__(self) -> None:
        self._patches: set[str] = set()

    def entries(self, event: Entry) -> list[Entry]:
        """Return an event as entries of a transcript; at least one."""
        given = event.get("data")
        data: Entry = given if isinstance(given, dict) else {}
        common: Entry = {"timestamp": event.get("timestamp"), "uuid": event.get("id")}
        if event.get("agentId"):
            common["isSidechain"] = True
        found = self._converted(event.get("type"), data, common)
        return found or [{"type": "system", **common}]

    def _converted(self, kind: Any, data: Entry, common: Entry) -> list[Entry]:
        if kind in ("session.start", "session.resume"):
            context = data.get("context")
            folder = context.get("cwd") if isinstance(context, dict) else None
            about = {"sessionId": data.get("sessionId"), "version": data.get("copilotVersion"), "cwd": folder}
            return [{"type": "system", **common, **about}]
        if kind == USER:
            return [_said("user", [_text_block(data)], common)]
        if kind == ASSISTANT:
            return [_said("assistant", [_text_block(data)], common)] if data.get("content") else []
        if kind == "session.usage_record":
            return _usage(data, common)
        if kind == "tool.execution_start":
            return self._call(data, common)
        return self._result(data, common) if kind == "tool.execution_complete" else []

    def _call(self, data: Entry, common: Entry) -> list[Entry]:
        identity, tool, given = str(data.get("toolCallId")), str(data.get("toolName")), data.get("arguments")
        if tool == _PATCH:
            self._patches.add(identity)
            return []
        if tool in _EDITS and isinstance(given, dict):
            tool, given = _EDITS[tool], {**given, "file_path": given.get("path")}
        elif tool in _SHELLS:
            tool = "Bash"
        return [_said("assistant", [_use(identity, tool, given)], common)]

    def _result(self, data: Entry, common: Entry) -> list[Entry]:
        identity = str(data.get("toolCallId"))
        content, failed = _outcome(data)
        if identity not in self._patches:
            return [_said("user", [_answer(identity, content, failed=failed)], common)]
        self._patches.discard(identity)
        edits = data.get("fileEdits")
        paths = [one.get("path") for one in edits if isinstance(one, dict)] if isinstance(edits, list) else []
        return [
            entry
            for number, path in enumerate(paths)
            for entry in (
                _said("assistant", [_use(f"{identity}-{number}", "Edit", {"file_path": path})], common),
                _said("user", [_answer(f"{identity}-{number}", "", failed=failed)], common),
            )
        ]


def _split_status(output: str) -> tuple[str, int]:
    """Return a command's output without the line that Copilot adds, and its exit status, 0 where none is stated."""
    end = _SHELL_END.search(output)
    return (output[: end.start()], int(end[1])) if end else (output, 0)


def _outcome(data: Entry) -> tuple[str, bool]:
    """Return what a tool answered, and whether it failed. The output of a failed command begins with its status."""
    error, result, shell = data.get("error"), data.get("result"), data.get("shellExecution")
    if data.get("success") is False:
        return (str(error.get("message") or "") if isinstance(error, dict) else ""), True
    content = str(result.get("content") or "") if isinstance(result, dict) else ""
    output, stated = _split_status(_FROM_HOOKS.sub("", content))
    status = shell.get("exitCode") if isinstance(shell, dict) else stated
    failed = isinstance(status, int) and status != 0
    return (f"Exit code {status}\n{output}" if failed else output), failed


def _usage(data: Entry, common: Entry) -> list[Entry]:
    """Return the tokens of one response as a message without content."""
    given = data.get("usage")
    usage: Entry = given if isinstance(given, dict) else {}
    names = {
        "input_tokens": "inputTokens",
        "output_tokens": "outputTokens",
        "cache_read_input_tokens": "cacheReadTokens",
        "cache_creation_input_tokens": "cacheWriteTokens",
    }
    counts = {name: usage.get(theirs) for name, theirs in names.items()}
    message: Entry = {"role": "assistant", "id": usage.get("apiCallId"), "model": usage.get("model"), "content": []}
    return [{"type": "assistant", **common, "message": {**message, "usage": counts}}]


def _said(role: str, content: list[Entry], common: Entry) -> Entry:
    return {"type": role, **common, "message": {"role": role, "content": content}}


def _text_block(data: Entry) -> Entry:
    return {"type": "text", "text": data.get("content")}


def _use(identity: str, tool: str, given: Any) -> Entry:
    return {"type": "tool_use", "id": identity, "name": tool, "input": given}


def _answer(identity: str, content: str, *, failed: bool) -> Entry:
    return {"type": "tool_result", "tool_use_id": identity, "content": content, "is_error": failed}
