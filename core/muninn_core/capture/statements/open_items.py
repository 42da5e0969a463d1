"""Extracts the open items of a conversation: the agent's todo list, and items it calls open in its text.

It reads lines of a transcript and skips malformed ones. English only.

Format: Claude Code 2.1. The tool `TodoWrite` states the whole list (`todos` of `content` and `status`); `TaskCreate`
and `TaskUpdate` change it (`subject`; `taskId` and `status`, ids counted from 1).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from muninn_core.capture.statements.sentences import split_sentences
from muninn_core.capture.turns.transcript_lines import Converter
from muninn_core.model.value import Value, decode_json
from muninn_core.source.private_spans import strip_private

MAX_ITEMS = 12
"""The number of items returned; the last ones."""

MAX_CHARS = 200

_DONE = frozenset({"completed", "done", "cancelled", "deleted"})
_LEAD = re.compile(
    r"(?i)^\W*(?:(?:the |my )?(?:open|outstanding|pending|unfinished)(?: (?:questions?|threads?|points?|issues?"
    r"|items?|work))?"
    r"|still (?:open|to do|to be done|missing|left|pending)|left(?: to do| open| over)?|remaining(?: work| items?"
    r"| steps?)?"
    r"|what(?: still)? remains|what(?:['\u2019]s| is) (?:still )?(?:left|open|missing)|next(?: steps?| up)?|to ?-?dos?"
    r"|not (?:yet )?(?:done|finished)(?: yet)?|my list)(?: (?:is|are"
    r"|for [\w ]{3,20}))?\W*?[:\u2013\u2014](?:\*\*)?\s*"
)
_NUMERAL = re.compile(r"(?:^|(?<=[\s,;.]))(?:\d{1,2}[.)]|\([a-z0-9]\))\s+")
_LIST_ITEM = re.compile(r"^\s*(?:[-*+\u2022]|\d{1,2}[.)]|\([a-z0-9]\))\s+(?:\[( |x|X)\]\s+)?(.*\S)")
_ASSISTANT = re.compile(rb'"assistant(?:\.message)?"')
_HINT = re.compile(
    rb"TodoWrite|TaskCreate|TaskUpdate|(?i:open|still|left|remain|next|to ?-?do|not |pending|my list|outst)"
)


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
                elif name == "TaskUpdate" and _text(input_.get("status")) in _DONE:
                    finished = listed.pop(str(input_.get("taskId")), None)
                    done |= {finished: None} if finished else {}
            elif block.get("type") == "text":
                found = strip_private(_text(block.get("text")))[0]
                mentioned |= dict.fromkeys(stated_items(found))
    items = [*mentioned, *listed.values()]
    return OpenItems(open=tuple(dict.fromkeys(_shorten(item) for item in items))[-MAX_ITEMS:], done=len(done))


def memory_text(items: Iterable[str]) -> str:
    """Return the text of a memory of open items."""
    return f"Left open: {'; '.join(items)}."


def states_open_items(sentence: str) -> bool:
    """Whether a sentence begins like a list of open work: `Next steps: ...`, `Remaining: ...`."""
    return _LEAD.search(sentence) is not None or _NUMERAL.match(sentence) is not None


def stated_items(prose: str) -> list[str]:
    """Return the open items that a message states, without numerals and bullets, in order.

    A lead such as `Next steps:` is followed by its items in the same paragraph or by list items on the next lines.
    """
    found: list[str] = []
    listing = False
    for line in prose.splitlines():
        item = _LIST_ITEM.match(line)
        if listing and item:
            found += [item[2].strip(" *.;")] if item[1] in (None, " ") else []
            continue
        listing = listing and not line.strip()
        bare = item[2] if item else line
        for sentence in split_sentences(bare.replace("**", "").strip("# ")):
            lead = _LEAD.search(sentence)
            if lead and lead.end() == len(sentence):
                listing = True
            elif lead:
                found += _split_items(bare.replace("**", "")[bare.replace("**", "").index(sentence) + lead.end() :])
                break
    return [item for item in found if len(item) > 3]


def _split_items(listed: str) -> list[str]:
    """Return the items of a sentence: numbered, separated by semicolons, or by commas with a last "and"."""
    numbered = [part.strip(" ,;.") for part in _NUMERAL.split(listed)]
    if len(numbered) > 1:
        return [part.removesuffix(" and").rstrip(" ,;") for part in numbered if part]
    first = split_sentences(listed)[0].rstrip(".")
    kept = re.sub(r"\([^)]*\)", lambda match: match[0].replace(",", "\0").replace(";", "\1"), first)
    if ";" in kept:
        parts = kept.split(";")
    else:
        parts = re.split(r",\s+", kept) if re.search(r",\s+and\s", kept) or kept.count(",") > 1 else [kept]
    return [re.sub(r"^and\s+", "", part.strip()).replace("\0", ",").replace("\1", ";") for part in parts]


def _todos(input_: Any, done: dict[str, None]) -> tuple[dict[str, str], dict[str, None]]:
    listed: dict[str, str] = {}
    for number, todo in enumerate(input_ if isinstance(input_, list) else ()):
        if isinstance(todo, dict) and (content := _text(todo.get("content"))):
            if _text(todo.get("status")) in _DONE:
                done = {**done, content: None}
            else:
                listed[f"todo {number}"] = content
    return listed, done


def _blocks(line: bytes) -> Iterable[dict[str, Any]]:
    """Return the content blocks of an assistant's line."""
    if not _ASSISTANT.search(line) or not _HINT.search(line):
        return ()
    try:
        entry = decode_json(line)
    except (ValueError, RecursionError):
        return ()
    if isinstance(entry, dict):
        entry = Converter().entries(entry)[0]
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
