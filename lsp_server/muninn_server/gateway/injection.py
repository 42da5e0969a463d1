"""Adds memory to requests: where it goes, and the same bytes again in later requests of a conversation.

A block is added once, behind a person's new message. A later request repeats that message without the block, because
the client does not know it; the block is put back at the same place with the same bytes. So the beginning of a
conversation never changes, and the provider's cache of it stays valid. A message that got nothing gets nothing later.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from muninn_server.gateway.json_spans import Span, items, members

MAX_BLOCKS = 20_000
"""The most blocks that are remembered. The oldest go first."""


_NOTES = re.compile(r"<system-reminder>.*?</system-reminder>", re.DOTALL)
"""Notes that Claude Code puts beside what a person wrote (observed in version 2.1.330)."""


class Block(NamedTuple):
    """What was added to one message, "" for nothing. `ids` are the memories in it."""

    text: str
    ids: tuple[str, ...] = ()


class Place(NamedTuple):
    """A message of a person, and where a block goes in the request's text.

    `key` identifies the conversation up to and including the message. `asked` is the message's text.
    """

    key: str
    asked: str
    content: Span


class Blocks:
    """The blocks of all conversations of a process."""

    def __init__(self, limit: int = MAX_BLOCKS) -> None:
        self._known: OrderedDict[str, Block] = OrderedDict()
        self._limit = limit

    def get(self, key: str) -> Block | None:
        """Return what was added at a place, None for a new one."""
        found = self._known.get(key)
        if found is not None:
            self._known.move_to_end(key)
        return found

    def add(self, key: str, block: Block) -> None:
        """Remember what was added."""
        self._known[key] = block
        while len(self._known) > self._limit:
            self._known.popitem(last=False)


def places(text: str, body: Mapping[str, Span]) -> tuple[list[Place], bool]:
    """Return the messages of a person in a request, and whether the last one is new: nothing but notes follow it.

    A message with results of tools is none of a person. Raises ValueError for a body without messages.
    """
    found: list[Place] = []
    digest = hashlib.sha256()
    new = False
    for span in items(text, body["messages"].start):
        message = span.value
        if not isinstance(message, dict):
            raise ValueError("a message is no object")
        digest.update(_canonical(message))
        if message.get("role") == "system":
            continue  # some clients put notes behind the person's message
        asked = person_text(message)
        new = asked is not None
        if asked is not None:
            found.append(Place(digest.hexdigest(), asked, members(text, span.start)["content"]))
    return found, new


def person_text(message: Mapping[str, Any]) -> str | None:
    """Return what a person wrote in a message, without an agent's notes; None for a message of anything else."""
    content = message.get("content")
    if message.get("role") != "user":
        return None
    if isinstance(content, str):
        return _NOTES.sub("", content)
    if not isinstance(content, list) or not content:
        return None
    if not all(isinstance(block, dict) and block.get("type") != "tool_result" for block in content):
        return None
    return "\n".join(_NOTES.sub("", block["text"]) for block in content if isinstance(block.get("text"), str))


def with_block(text: str, content: Span, block: str) -> tuple[int, int, str]:
    """Return the change that appends a block to a message's content: to its string, or as its last part."""
    if isinstance(content.value, str):
        return content.end - 1, content.end - 1, json.dumps(f"\n\n{block}", ensure_ascii=False)[1:-1]
    part = json.dumps({"type": "text", "text": block}, ensure_ascii=False)
    close = text.rindex("]", content.start, content.end)
    return close, close, f",{part}"


def conversation(found: Sequence[Place]) -> str:
    """Return a name for a conversation: that of its first message of a person."""
    return f"gateway-{found[0].key[:16]}"


def _canonical(message: Mapping[str, Any]) -> bytes:
    """Return a message as bytes that stay the same in later requests: clients move their marks for caches."""
    parts = {name: _plain(value) for name, value in message.items() if name not in ("cache_control", "content")}
    content = message.get("content")
    parts["content"] = [{"type": "text", "text": content}] if isinstance(content, str) else _plain(content)
    return json.dumps(parts, sort_keys=True).encode()


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items() if name != "cache_control"}
    return [_plain(each) for each in value] if isinstance(value, list) else value


def ids_of(blocks: Sequence[Block]) -> Iterator[str]:
    """Yield the ids of the memories in some blocks."""
    for block in blocks:
        yield from block.ids
