"""The rollout files of Codex, line by line in the form of Claude Code's transcripts, so that one reader knows both.

Format: Codex CLI 0.169, one object a line with `timestamp`, `type` and `payload`. Of `event_msg` the `item_completed`
tell what was done (CommandExecution with command, output and exit code; FileChange with the files by absolute path), of
`response_item` the messages of the assistant what was said, `session_meta` and `turn_context` where. What a line does
not have is left out; no line is trusted to be well formed.
"""

from __future__ import annotations

from typing import Any

TYPES = frozenset(
    {"session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state", "token_usage_record"}
)
"""Types of lines by which a rollout is known."""

Entry = dict[str, Any]


def transcript_entries(entry: Entry) -> list[Entry]:
    """Return what a line of a rollout says, as lines of a transcript of Claude Code; always at least one."""
    given = entry.get("payload")
    payload: Entry = given if isinstance(given, dict) else {}
    about = {"timestamp": entry.get("timestamp")}
    kind = entry.get("type")
    if kind == "session_meta":
        named = {"sessionId": payload.get("id"), "version": payload.get("cli_version"), "cwd": payload.get("cwd")}
        return [{"type": "system", **about, **named}]
    if kind == "turn_context":
        return [{"type": "system", **about, "cwd": payload.get("cwd")}]
    if kind == "response_item" and payload.get("type") == "message" and payload.get("role") == "assistant":
        return [{"type": "assistant", **about, "message": {"role": "assistant", "content": _texts(payload)}}]
    item = payload.get("item")
    if kind == "event_msg" and payload.get("type") == "item_completed" and isinstance(item, dict):
        return _done(item, about) or [{"type": "system", **about}]
    return [{"type": "system", **about}]


def _texts(payload: Entry) -> list[Entry]:
    content = payload.get("content")
    blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    return [{"type": "text", "text": block.get("text")} for block in blocks]


def _done(item: Entry, about: Entry) -> list[Entry]:
    """Return an item as the call of a tool and its answer."""
    number = str(item.get("id"))
    if item.get("type") == "CommandExecution":
        code, printed = item.get("exit_code"), str(item.get("aggregated_output") or "")
        failed = isinstance(code, int) and code != 0
        content = f"Exit code {code}\n{printed}" if failed else printed
        return _call(number, "Bash", {"command": _command(item.get("command"))}, content, failed=failed, about=about)
    changes = item.get("changes")
    if item.get("type") != "FileChange" or item.get("status") != "completed" or not isinstance(changes, dict):
        return []
    return [
        each
        for at, path in enumerate(changes)
        for each in _call(f"{number}-{at}", "Edit", {"file_path": path}, "", failed=False, about=about)
    ]


def _command(words: Any) -> str:
    """Return what was typed: the last word where a shell was given a line."""
    if not isinstance(words, list) or not words:
        return ""
    shell = len(words) == 3 and str(words[1]).startswith("-") and str(words[1]).endswith("c")
    return str(words[-1]) if shell else " ".join(map(str, words))


def _call(number: str, tool: str, given: Entry, content: str, *, failed: bool, about: Entry) -> list[Entry]:
    use = {"type": "tool_use", "id": number, "name": tool, "input": given}
    result = {"type": "tool_result", "tool_use_id": number, "content": content, "is_error": failed}
    return [
        {"type": role, **about, "message": {"role": role, "content": [block]}}
        for role, block in (("assistant", use), ("user", result))
    ]
