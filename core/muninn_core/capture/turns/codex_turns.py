"""Reads the turns of a rollout of Codex CLI 0.169.

`turn_context` begins a turn. `event_msg` with `item_completed` has what was said, the commands, edits and calls of MCP
tools; `token_usage_record` has the tokens of a response.
"""

from __future__ import annotations

import json
from typing import Any

from muninn_core.capture.turns import codex_rollout
from muninn_core.capture.turns.turn_events import Turns, text, texts


class Reader:
    """Reads a rollout line by line."""

    def __init__(self, turns: Turns) -> None:
        self._turns = turns

    def read(self, entry: dict[str, Any]) -> bool:
        """Read one line; return whether it belongs to this format."""
        payload = entry.get("payload")
        if entry.get("type") not in codex_rollout.TYPES or not isinstance(payload, dict):
            return False
        time = text(entry.get("timestamp"))
        if entry["type"] == "turn_context":
            self._turns.begin(text(payload.get("turn_id")))
        elif entry["type"] == "token_usage_record":
            self._read_usage(payload, time)
        item = payload.get("item")
        if entry["type"] == "event_msg" and payload.get("type") == "item_completed" and isinstance(item, dict):
            self._read_item(entry, item, text(payload.get("turn_id")), time)
        return True

    def _read_item(self, entry: dict[str, Any], item: dict[str, Any], turn: str, time: str) -> None:
        key, kind = text(item.get("id")), item.get("type")
        if kind == "UserMessage":
            self._turns.prompt(turn or key, key, time, texts(item.get("content")))
        elif kind == "AgentMessage":
            self._turns.reply(key, time, texts(item.get("content")))
        elif kind == "McpToolCall":
            result = item.get("result")
            answered = result if isinstance(result, dict) else {}
            self._turns.call(key, time, f"mcp__{item.get('server')}__{item.get('tool')}", item.get("arguments"))
            failed = item.get("status") != "completed" or answered.get("isError") is True
            self._turns.result(key, texts(answered.get("content")) or _plain(item.get("error")), failed=failed)
        else:
            self._read_tool(entry, time)

    def _read_tool(self, entry: dict[str, Any], time: str) -> None:
        """Read a command or an edit, which `codex_rollout` converts."""
        for converted in codex_rollout.transcript_entries(entry):
            message = converted.get("message")
            for block in message["content"] if isinstance(message, dict) else ():
                if block.get("type") == "tool_use":
                    self._turns.call(block["id"], time, block["name"], block["input"])
                elif block.get("type") == "tool_result":
                    self._turns.result(block["tool_use_id"], text(block["content"]), failed=block["is_error"] is True)

    def _read_usage(self, payload: dict[str, Any], time: str) -> None:
        usage = payload.get("usage")
        if isinstance(usage, dict):
            self._turns.used(
                text(payload.get("response_id")) or time,
                time,
                {
                    "input_tokens": usage.get("input_tokens"),
                    "output_tokens": usage.get("output_tokens"),
                    "cache_read_tokens": usage.get("cached_input_tokens"),
                    "cache_write_tokens": usage.get("cache_write_input_tokens"),
                    "reasoning_tokens": usage.get("reasoning_output_tokens"),
                },
            )


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value) if value else ""
