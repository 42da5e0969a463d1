"""Reads the turns of a chat file of Gemini CLI 0.61: JSON lines, one message per line.

A message is written again under its id when its tool calls are done; the last one counts. Lines with `$set` change the
head of the file and are skipped.
"""

from __future__ import annotations

import json
import re
from typing import Any

from muninn_core.capture.turns.turn_events import Turns, text, texts

_HOOK = re.compile(r"(?s)<hook_context>.*?</hook_context>")
_WRAPPED = re.compile(r"</?untrusted_context>\n?")
_FRAME = re.compile(r"\AOutput: (?:\(empty\))?|\n?Process Group PGID: \d+\s*\Z")
_EXIT = re.compile(r"\nExit Code: (\d+)\n")


class Reader:
    """Reads a chat file line by line."""

    def __init__(self, turns: Turns) -> None:
        self._turns = turns

    def read(self, entry: dict[str, Any]) -> bool:
        """Read one line; return whether it belongs to this format."""
        identity, kind, content = text(entry.get("id")), entry.get("type"), entry.get("content")
        if not identity or kind not in ("user", "gemini") or "message" in entry:
            return False
        time = text(entry.get("timestamp"))
        if kind == "user":
            blocks = content if isinstance(content, list) else [{"text": content}]
            if not any(isinstance(block, dict) and "functionResponse" in block for block in blocks):
                self._turns.prompt(identity, identity, time, texts(blocks))
            return True
        self._turns.reply(identity, time, texts(content))
        for call in entry.get("toolCalls") or ():
            if isinstance(call, dict):
                self._read_call(call, time)
        self._read_usage(entry, identity, time)
        return True

    def _read_call(self, call: dict[str, Any], time: str) -> None:
        key = text(call.get("id"))
        output = _FRAME.sub("", _WRAPPED.sub("", _HOOK.sub("", _output(call.get("result")))).strip())
        status = _EXIT.search(f"\n{output}\n")
        failed = call.get("status") == "error" or bool(status and status[1] != "0")
        self._turns.call(key, text(call.get("timestamp")) or time, text(call.get("name")), call.get("args"))
        self._turns.result(key, output, failed=failed, interrupted=call.get("status") == "cancelled")

    def _read_usage(self, entry: dict[str, Any], identity: str, time: str) -> None:
        tokens = entry.get("tokens")
        if isinstance(tokens, dict):
            self._turns.used(
                identity,
                time,
                {
                    "model": entry.get("model"),
                    "input_tokens": tokens.get("input"),
                    "output_tokens": tokens.get("output"),
                    "cache_read_tokens": tokens.get("cached"),
                    "reasoning_tokens": tokens.get("thoughts"),
                },
            )


def _output(result: Any) -> str:
    """Return what a tool answered: the outputs or errors of its function responses."""
    found = []
    for block in result if isinstance(result, list) else ():
        answer = block.get("functionResponse") if isinstance(block, dict) else None
        response = answer.get("response") if isinstance(answer, dict) else None
        if isinstance(response, dict):
            value = response.get("output", response.get("error", response))
            found.append(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    return "\n".join(found)
