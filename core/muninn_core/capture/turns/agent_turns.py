"""Reads the turns of an agent's transcript as events for the journal: prompts, tool calls, answers and used tokens.

Formats: Claude Code 2.1 and the plugin for OpenCode (one object per line, one content block per line), rollouts of
Codex CLI 0.169, chat files of Gemini CLI 0.61 and Qwen Code 0.24, and events of Copilot CLI 1.0 (`codex_turns`,
`gemini_turns`, `qwen_chat`, `copilot_events`). Side chains, summaries and unknown lines are skipped. Long texts are
cut, and private spans are removed.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from muninn_core.capture.turns import codex_turns, copilot_events, gemini_turns, qwen_chat
from muninn_core.capture.turns.transcript_lines import Converter
from muninn_core.capture.turns.turn_events import AgentTurn, Turns, text, texts
from muninn_core.model.value import Value, decode_json

if TYPE_CHECKING:
    from collections.abc import Iterable


class TurnReading(Value):
    """The turns of some lines, in order. `offset` is where the last of them begins: the next reading starts there.

    `answer` is the last answer. Keys and ids of turns do not depend on where a reading starts.
    """

    turns: tuple[AgentTurn, ...]
    offset: int
    answer: str


def read_turns(lines: Iterable[bytes], *, offset: int = 0) -> TurnReading:
    """Return the turns of a transcript's lines, which begin at `offset`.

    `lines` keep their newlines; a last line without one is still being written and is left for the next reading.
    """
    turns, at = Turns(), offset
    readers = (codex_turns.Reader(turns), gemini_turns.Reader(turns), _ConvertedReader(turns), _ClaudeReader(turns))
    for line in lines:
        if not line.endswith(b"\n"):
            break
        begun = len(turns)
        try:
            entry = decode_json(line)
        except (ValueError, RecursionError):
            entry = None  # `session_facts` reports malformed lines
        try:
            if isinstance(entry, dict):
                any(reader.read(entry) for reader in readers)
        except (AttributeError, KeyError, TypeError, ValueError):
            pass  # a field has another type than in the known versions: the other lines count
        if len(turns) > begun:
            offset = at
        at += len(line)
    return TurnReading(turns=turns.close(), offset=offset, answer=turns.answer)


class _ClaudeReader:
    """Lines of Claude Code, and of the plugin for OpenCode."""

    def __init__(self, turns: Turns) -> None:
        self._turns = turns

    def read(self, entry: dict[str, Any]) -> bool:
        """Read one line; return whether it belongs to this format."""
        message = entry.get("message")
        if entry.get("type") not in ("user", "assistant") or not isinstance(message, dict):
            return False
        if any(entry.get(mark) for mark in ("isSidechain", "isMeta", "isCompactSummary")):
            return True
        key = (
            text(entry.get("uuid"))
            or hashlib.sha256(repr((entry.get("timestamp"), entry.get("sessionId"), message)).encode()).hexdigest()
        )
        time, content = text(entry.get("timestamp")), message.get("content")
        blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
        if entry["type"] == "user" and not any(block.get("type") == "tool_result" for block in blocks):
            self._turns.prompt(text(entry.get("promptId")) or key, key, time, texts(content))
            return True
        for number, block in enumerate(blocks):
            self._read_block(block, f"{key}-{number}" if number else key, time, entry)
        if entry["type"] == "assistant":
            self._read_usage(message, key, time)
        return True

    def _read_block(self, block: dict[str, Any], key: str, time: str, entry: dict[str, Any]) -> None:
        kind = block.get("type")
        if kind == "text" and entry["type"] == "assistant":
            self._turns.reply(key, time, text(block.get("text")))
        elif kind == "tool_use":
            self._turns.call(text(block.get("id")), time, text(block.get("name")), block.get("input"), key)
        elif kind == "tool_result":
            result = entry.get("toolUseResult")
            interrupted = isinstance(result, dict) and result.get("interrupted") is True
            output = texts(block.get("content"))
            self._turns.result(
                text(block.get("tool_use_id")),
                output,
                failed=block.get("is_error") is True,
                interrupted=interrupted,
            )

    def _read_usage(self, message: dict[str, Any], key: str, time: str) -> None:
        usage = message.get("usage")
        if isinstance(usage, dict):
            self._turns.used(
                text(message.get("id")) or key,
                time,
                {
                    "model": message.get("model"),
                    "input_tokens": usage.get("input_tokens"),
                    "output_tokens": usage.get("output_tokens"),
                    "cache_read_tokens": usage.get("cache_read_input_tokens"),
                    "cache_write_tokens": usage.get("cache_creation_input_tokens"),
                },
            )


class _ConvertedReader:
    """Lines of Copilot CLI and Qwen Code, which are read as lines of Claude Code."""

    def __init__(self, turns: Turns) -> None:
        self._converter, self._reader = Converter(), _ClaudeReader(turns)

    def read(self, entry: dict[str, Any]) -> bool:
        """Read one line; return whether it belongs to these formats."""
        if entry.get("type") not in copilot_events.TYPES and not qwen_chat.is_line(entry):
            return False
        for converted in self._converter.entries(entry):
            self._reader.read(converted)
        return True
