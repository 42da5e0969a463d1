"""What a conversation has left open: the list of things to do that an agent keeps, and what is said to be open still.

Reads lines of a transcript and trusts none to be well formed. English only, like `markers`.

Format: Claude Code 2.1: the tool `TodoWrite` states the whole list (`todos` of `content` and `status`); `TaskCreate`
and `TaskUpdate` change it task by task (`subject`; `taskId` and `status`, ids counted from 1).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from muninn_core.model.value import Value, decode_json
from muninn_core.source.codex_rollout import transcript_entries
from muninn_core.source.private import strip_private

MOST = 6
"""Threads that are told; who has left more open reads the last ones."""

MAX_CHARS = 200

_DONE = frozenset({"completed", "done", "cancelled", "deleted"})
_SAID = re.compile(
    r"(?im)^\s*(?:[-*+]\s+|\d+[.)]\s+|#+\s+)?(?:\*\*)?(?:open (?:question|thread|point|issue|item)s?"
    r"|still (?:open|to do)|left to do|left open|remaining(?: work)?|next steps?|to ?do)(?:\*\*)?"
    r"\s*[:\u2013\u2014](?:\*\*)?\s*(\S.{8,})$"
)
_HINT = re.compile(rb"TodoWrite|TaskCreate|TaskUpdate|(?i:open|still|left|remaining|next step|to ?do)")


class OpenItems(Value):
    """What is open, the newest last, and how much of the agent's own list is done."""

    open: tuple[str, ...]
    done: int


def read_open_items(lines: Iterable[bytes]) -> OpenItems:
    """Return what the lines of a transcript leave open; a later list takes the place of an earlier one."""
    listed: dict[str, str] = {}
    done: dict[str, None] = {}
    said: dict[str, None] = {}
    created = 0
    for line in lines:
        for block in _blocks(line):
            given = block.get("input")
            if block.get("type") == "tool_use" and isinstance(given, dict):
                name = block.get("name")
                if name == "TodoWrite":
                    listed, done = _todos(given.get("todos"), done)
                elif name == "TaskCreate" and (subject := _text(given.get("subject"))):
                    created += 1
                    listed[str(created)] = subject
                elif name == "TaskUpdate" and given.get("status") in _DONE:
                    finished = listed.pop(str(given.get("taskId")), None)
                    done |= {finished: None} if finished else {}
            elif block.get("type") == "text":
                found = strip_private(_text(block.get("text")))[0]
                said |= dict.fromkeys(each.strip(" *") for each in _SAID.findall(found))
    every = [*said, *listed.values()]
    return OpenItems(open=tuple(dict.fromkeys(_cut(each) for each in every))[-MOST:], done=len(done))


def _todos(given: Any, done: dict[str, None]) -> tuple[dict[str, str], dict[str, None]]:
    listed: dict[str, str] = {}
    for number, one in enumerate(given if isinstance(given, list) else ()):
        if isinstance(one, dict) and (content := _text(one.get("content"))):
            if one.get("status") in _DONE:
                done = {**done, content: None}
            else:
                listed[f"todo {number}"] = content
    return listed, done


def _blocks(line: bytes) -> Iterable[dict[str, Any]]:
    """Return the blocks of what the assistant said in a line."""
    if b'"assistant"' not in line or not _HINT.search(line):
        return ()
    try:
        entry = decode_json(line)
    except (ValueError, RecursionError):
        return ()
    if isinstance(entry, dict) and entry.get("type") == "response_item":
        (entry,) = transcript_entries(entry)  # Codex's
    if not isinstance(entry, dict) or entry.get("type") != "assistant" or entry.get("isSidechain"):
        return ()
    message = entry.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else ()


def _cut(text: str) -> str:
    text = " ".join(text.split()).rstrip(".")
    return text if len(text) <= MAX_CHARS else text[: MAX_CHARS - 1].rstrip() + "…"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
