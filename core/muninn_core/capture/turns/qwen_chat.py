"""Converts chat files of Qwen Code to the form of Claude Code's transcripts, line by line.

Format: Qwen Code 0.24, one object per line with `type`, `uuid`, `sessionId`, `timestamp`, `cwd`, `version` and a
`message` of `parts`: texts, calls and results of functions. `toolCallResult` has the outcome of a call, `usageMetadata`
the tokens of a response. Malformed lines give empty entries.
"""

from __future__ import annotations

import re
from typing import Any

Entry = dict[str, Any]

_TOOLS = {"run_shell_command": "Bash", "write_file": "Write", "edit": "Edit"}
_FROM_HOOKS = re.compile(r"(?s)<qwen:([\w-]+)>.*?</qwen:\1>")


def is_line(entry: Entry) -> bool:
    """Whether a line is one of Qwen Code: its message has parts, where Claude Code's has content."""
    message = entry.get("message")
    return (
        entry.get("type") in ("user", "assistant", "tool_result") and isinstance(message, dict) and "parts" in message
    )


def transcript_entry(entry: Entry) -> Entry:
    """Return a line as an entry of a transcript."""
    role = "assistant" if entry["type"] == "assistant" else "user"
    given = entry["message"]["parts"]
    parts = [part for part in given if isinstance(part, dict)] if isinstance(given, list) else []
    content = [block for part in parts if (block := _block(part, entry.get("toolCallResult"))) is not None]
    message: Entry = {"role": role, "content": content}
    if role == "assistant":
        message |= {"model": entry.get("model"), "usage": _usage(entry.get("usageMetadata"))}
    header = {name: entry.get(name) for name in ("uuid", "sessionId", "timestamp", "cwd", "version", "isSidechain")}
    return {"type": role, **header, "message": message}


def _block(part: Entry, outcome: Any) -> Entry | None:
    """Return a part as a block of content; None for a thought and for what hooks added."""
    call, result = part.get("functionCall"), part.get("functionResponse")
    if isinstance(call, dict):
        name = str(call.get("name"))
        given = call.get("args")
        return {"type": "tool_use", "id": str(call.get("id")), "name": _TOOLS.get(name, name), "input": given}
    if isinstance(result, dict):
        content, failed = _outcome(result.get("response"), outcome)
        identity = str(result.get("id"))
        return {"type": "tool_result", "tool_use_id": identity, "content": content, "is_error": failed}
    text = part.get("text")
    if not isinstance(text, str) or part.get("thought"):
        return None
    text = _FROM_HOOKS.sub("", text)
    return {"type": "text", "text": text} if text.strip() else None


def _outcome(response: Any, outcome: Any) -> tuple[str, bool]:
    """Return what a function answered, and whether it failed. The output of a failed command begins with its status."""
    result: Entry = outcome if isinstance(outcome, dict) else {}
    failed = result.get("status") == "error"
    shown = result.get("resultDisplay")
    if isinstance(shown, dict) and shown.get("type") == "shell_result":
        code, output = shown.get("exitCode"), str(shown.get("output") or "")
        failed = failed or (isinstance(code, int) and code != 0)
        return (f"Exit code {code}\n{output}" if failed and isinstance(code, int) else output), failed
    answered: Entry = response if isinstance(response, dict) else {}
    return str(answered.get("output") or answered.get("error") or ""), failed


def _usage(given: Any) -> Entry:
    usage: Entry = given if isinstance(given, dict) else {}
    return {
        "input_tokens": usage.get("promptTokenCount"),
        "output_tokens": usage.get("candidatesTokenCount"),
        "cache_read_input_tokens": usage.get("cachedContentTokenCount"),
    }
