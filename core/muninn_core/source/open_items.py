"""Extracts the open items of a conversation: the agent's todo list, and items it calls open in its text.

It reads lines of a transcript and skips malformed ones. English only.

Format: Claude Code 2.1. The tool `TodoWrite` states the whole list (`todos` of `content` and `status`); `TaskCreate`
and `TaskUpdate` change it (`subject`; `taskId` and `status`, ids counted from 1).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from muninn_core.model.value import Value, decode_json
from muninn_core.source.codex_rollout import transcript_entries
from muninn_core.source.private import strip_private

MAX_ITEMS = 6
"""The number of items returned; the last ones."""

MAX_CHARS = 200

_DONE = frozenset({"completed", "done", "cancelled", "deleted"})
_OPEN_PHRASE = re.compile(
    r"(?im)^\s*(?:[-*+]\s+|\d+[.)]\s+|#+\s+)?(?:\*\*)?(?:open (?:question|thread|point|issue|item)s?"
    r"|still (?:open|to do)|left to do|left open|remaining(?: work)?|next steps?|to ?do)(?:\*\*)?"
    r"\s*[:\u2013\u2014](?:\*\*)?\s*(\S.{8,})$"
)
_HINT = re.compile(rb"TodoWrite|TaskCreate|TaskUpdate|(?i:open|still|left|remaining|next step|to ?do)")


class OpenItems(Value):
    """The open items, newest last, and the number of done ones on the agent's list."""

    open: tuple[str, ...]
    done: int


def read_open_items(lines: Iterable[bytes]) -> OpenItems:
    """Return the open items of a transcript; a later list replaces an earlier one."""
    listed: dict[str, str] = {}
    done: dict[str, None] = {}
    mentioned: dict[str, None] = {}
    created = 0
    for line in lines:
        for block in _blocks(line):
            input_ = block.get("input")
            if block.get("type") == "tool_use" and isinstance(input_, dict):
                name = block.get("name")
                if name == "TodoWrite":
                    listed, done = _todos(input_.get("todos"), done)
                elif name == "TaskCreate" and (subject := _text(input_.get("subject"))):
                    created += 1
                    listed[str(created)] = subject
                elif name == "TaskUpdate" and input_.get("status") in _DONE:
                    finished = listed.pop(str(input_.get("taskId")), None)
                    done |= {finished: None} if finished else {}
            elif block.get("type") == "text":
                found = strip_private(_text(block.get("text")))[0]
                mentioned |= dict.fromkeys(item.strip(" *") for item in _OPEN_PHRASE.findall(found))
    items = [*mentioned, *listed.values()]
    return OpenItems(open=tuple(dict.fromkeys(_shorten(item) for item in items))[-MAX_ITEMS:], done=len(done))


def _todos(input_: Any, done: dict[str, None]) -> tuple[dict[str, str], dict[str, None]]:
    listed: dict[str, str] = {}
    for number, todo in enumerate(input_ if isinstance(input_, list) else ()):
        if isinstance(todo, dict) and (content := _text(todo.get("content"))):
            if todo.get("status") in _DONE:
                done = {**done, content: None}
            else:
                listed[f"todo {number}"] = content
    return listed, done


def _blocks(line: bytes) -> Iterable[dict[str, Any]]:
    """Return the content blocks of an assistant's line."""
    if b'"assistant"' not in line or not _HINT.search(line):
        return ()
    try:
        entry = decode_json(line)
    except (ValueError, RecursionError):
        return ()
    if isinstance(entry, dict) and entry.get("type") == "response_item":
        (entry,) = transcript_entries(entry)  # a line of Codex
    if not isinstance(entry, dict) or entry.get("type") != "assistant" or entry.get("isSidechain"):
        return ()
    message = entry.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else ()


def _shorten(text: str) -> str:
    text = " ".join(text.split()).rstrip(".")
    return text if len(text) <= MAX_CHARS else text[: MAX_CHARS - 1].rstrip() + "…"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
