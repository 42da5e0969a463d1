"""Converts rollout files of Codex to the form of Claude Code's transcripts, line by line.

Format: Codex CLI 0.169, one object per line with `timestamp`, `type` and `payload`. `event_msg` with `item_completed`
has commands (CommandExecution: command, output, exit code) and edits (FileChange: absolute paths), `response_item` the
assistant's messages, `session_meta` and `turn_context` the folder. Malformed lines give empty entries.
"""

from __future__ import annotations

from typing import Any

TYPES = frozenset(
    {"session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state", "token_usage_record"}
)
"""The types of lines that identify a rollout."""

Entry = dict[str, Any]


def transcript_entries(entry: Entry) -> list[Entry]:
    """Return a line of a rollout as entries of a transcript; at least one."""
    input_ = entry.get("payload")
    payload: Entry = input_ if isinstance(input_, dict) else {}
    common = {"timestamp": entry.get("timestamp")}
    kind = entry.get("type")
    if kind == "session_meta":
        header = {"sessionId": payload.get("id"), "version": payload.get("cli_version"), "cwd": payload.get("cwd")}
        return [{"type": "system", **common, **header}]
    if kind == "turn_context":
        return [{"type": "system", **common, "cwd": payload.get("cwd")}]
    if kind == "response_item" and payload.get("type") == "message" and payload.get("role") == "assistant":
        return [{"type": "assistant", **common, "message": {"role": "assistant", "content": _texts(payload)}}]
    item = payload.get("item")
    if kind == "event_msg" and payload.get("type") == "item_completed" and isinstance(item, dict):
        return _tool_calls(item, common) or [{"type": "system", **common}]
    return [{"type": "system", **common}]


def _texts(payload: Entry) -> list[Entry]:
    content = payload.get("content")
    blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    return [{"type": "text", "text": block.get("text")} for block in blocks]


def _tool_calls(item: Entry, common: Entry) -> list[Entry]:
    """Return an item as tool calls with their results."""
    call_id = str(item.get("id"))
    if item.get("type") == "CommandExecution":
        code, printed = item.get("exit_code"), str(item.get("aggregated_output") or "")
        failed = isinstance(code, int) and code != 0
        content = f"Exit code {code}\n{printed}" if failed else printed
        return _call_and_result(
            call_id, "Bash", {"command": _command(item.get("command"))}, content, failed=failed, common=common
        )
    changes = item.get("changes")
    if item.get("type") != "FileChange" or item.get("status") != "completed" or not isinstance(changes, dict):
        return []
    return [
        each
        for at, path in enumerate(changes)
        for each in _call_and_result(f"{call_id}-{at}", "Edit", {"file_path": path}, "", failed=False, common=common)
    ]


def _command(words: Any) -> str:
    """Return the command as typed: the last word when a shell was given a line."""
    if not isinstance(words, list) or not words:
        return ""
    shell = len(words) == 3 and str(words[1]).startswith("-") and str(words[1]).endswith("c")
    return str(words[-1]) if shell else " ".join(map(str, words))


def _call_and_result(
    call_id: str, tool: str, input_: Entry, content: str, *, failed: bool, common: Entry
) -> list[Entry]:
    use = {"type": "tool_use", "id": call_id, "name": tool, "input": input_}
    result = {"type": "tool_result", "tool_use_id": call_id, "content": content, "is_error": failed}
    return [
        {"type": role, **common, "message": {"role": role, "content": [block]}}
        for role, block in (("assistant", use), ("user", result))
    ]
