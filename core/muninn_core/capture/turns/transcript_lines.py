"""Converts lines of any agent's transcript to the form of Claude Code's."""

from __future__ import annotations

from typing import Any

from muninn_core.capture.turns import codex_rollout, copilot_events, qwen_chat

Entry = dict[str, Any]


class Converter:
    """Converts the lines of one session, in order. `agent` is the program that wrote the last line."""

    def __init__(self) -> None:
        self.agent = "claude-code"
        self._copilot = copilot_events.Converter()

    def entries(self, entry: Entry) -> list[Entry]:
        """Return a line as entries of a transcript; at least one. A line of an unknown form stays as it is."""
        kind = entry.get("type")
        if not isinstance(kind, str):
            return [entry]
        if kind in codex_rollout.TYPES:
            self.agent = "codex"
            return codex_rollout.transcript_entries(entry)
        if kind in copilot_events.TYPES:
            self.agent = "copilot"
            return self._copilot.entries(entry)
        if qwen_chat.is_line(entry):
            self.agent = "qwen"
            return [qwen_chat.transcript_entry(entry)]
        return [entry]
