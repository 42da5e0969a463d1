"""What an agent's transcript says that is worth a memory. Reads lines, not files; it trusts no line to be well formed.

Formats: Claude Code 2.1 (one object a line, `type` user or assistant, one line a content block) and the rollout files
of Codex CLI (`type` response_item with a `message`). Tool results, side chains, summaries and everything that a program
put into the user's mouth are left out: none of it was said by the one whose name it carries.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Any

from muninn_core.model.value import Value, decode_json
from muninn_core.protocol.memory import MemoryDraft
from muninn_core.source.private import strip_private
from muninn_core.source.statement import Statement, statements

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from muninn_core.model.memory import Actor

MOST = 5
"""Statements that one reading returns: more would be minutes of the meeting."""

IMPORTANCE = 8

_SAID = re.compile(rb'"(?:user|assistant)"')
_INJECTED = re.compile(
    r"(?s)<(system-reminder|ide_\w+|environment_context|user_instructions|new-diagnostics)\b.*?</\1>"
)
_MACHINE = re.compile(
    r"^\s*(?:<(?:task-notification|command-|local-command|bash-|user-prompt-submit-hook|turn_aborted|INSTRUCTIONS)"
    r"|Caveat: |\[Request interrupted|# AGENTS\.md instructions|This session is being continued)"
)
_PATH = re.compile(r"(?<![\w/.~:-])(?:[\w-][\w.-]*/)+[\w.-]*\w\.[A-Za-z]\w{0,4}\b")
_WORD = re.compile(r"\w+")


class Reading(Value):
    """The memories of a transcript, in its order, and the offset in bytes at which the next reading starts.

    `times` says when each was said, as the transcript has it; "" where it does not say.
    """

    drafts: tuple[MemoryDraft, ...]
    offset: int
    times: tuple[str, ...] = ()


class _Find(Value):
    """A statement, who made it, and with which program."""

    at: int
    actor: str
    agent: str | None
    statement: Statement
    time: str


def read_transcript(
    lines: Iterable[bytes], *, offset: int = 0, session: str | None = None, agent: str | None = None
) -> Reading:
    """Read the lines that follow `offset` and return the surest statements as memories, five at most.

    `lines` keep their ends, as a file opened in binary mode yields them. A last line without its end is still being
    written: it is left for the next reading. Equal statements have equal keys, so that none is stored twice.
    """
    finds: list[_Find] = []
    for line in lines:
        if not line.endswith(b"\n"):
            break
        offset += len(line)
        finds.extend(_finds(line, len(finds), agent))
    surest = _surest(finds)
    times = tuple(find.time for find in surest)
    return Reading(drafts=tuple(_draft(find, session) for find in surest), offset=offset, times=times)


def _finds(line: bytes, at: int, agent: str | None) -> Iterator[_Find]:
    said = _said(line)
    if said is None:
        return
    actor, text, version, time = said
    program = f"{agent}/{version}" if agent and version else agent
    for number, found in enumerate(statements(text, said_by_user=actor == "user")):
        yield _Find(at=at + number, actor=actor, agent=program, statement=found, time=time)


def _said(line: bytes) -> tuple[Actor, str, str, str] | None:
    """Return (who, what, the program's version, when) of a line that somebody said, else None."""
    if not _SAID.search(line):
        return None
    try:
        entry = decode_json(line)
    except ValueError:
        return None
    if not isinstance(entry, dict):
        return None
    message: Any = entry.get("payload") if entry.get("type") == "response_item" else entry.get("message")
    if not isinstance(message, dict) or _aside(entry, message):
        return None
    role = message.get("role")
    text, _ = strip_private(_INJECTED.sub("", _text(message.get("content"))))
    if not text.strip() or (role == "user" and _MACHINE.match(text)):
        return None
    version, time = (given if isinstance(given := entry.get(name), str) else "" for name in ("version", "timestamp"))
    return ("user" if role == "user" else "assistant"), text, version, time


def _aside(entry: dict[str, Any], message: dict[str, Any]) -> bool:
    """Whether a line is no part of the conversation between user and assistant."""
    if entry.get("type") == "response_item":
        return message.get("type") != "message" or message.get("role") not in ("user", "assistant")
    if entry.get("type") not in ("user", "assistant") or message.get("role") != entry["type"]:
        return True
    return any(entry.get(mark) for mark in ("isSidechain", "isMeta", "isCompactSummary", "toolUseResult"))


def _text(content: Any) -> str:
    """Join the text blocks of a message; tool calls, tool results, thinking and images are not speech."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = [
        block["text"]
        for block in content
        if isinstance(block, dict)
        and block.get("type") in ("text", "input_text", "output_text")
        and isinstance(block.get("text"), str)
    ]
    return "\n\n".join(texts)


def _surest(finds: list[_Find]) -> list[_Find]:
    """Return the best in the order of the conversation: by score, then the later; one of those that say the same."""
    kept: list[_Find] = []
    for find in sorted(finds, key=lambda find: (-find.statement.score, -find.at)):
        if len(kept) == MOST:
            break
        if not any(_same(find.statement.text, other.statement.text) for other in kept):
            kept.append(find)
    return sorted(kept, key=lambda find: find.at)


def _same(left: str, right: str) -> bool:
    """Whether two sentences share nearly all of their words."""
    ours, theirs = (set(_WORD.findall(text.casefold())) for text in (left, right))
    return len(ours & theirs) >= 0.8 * len(ours | theirs)


def _draft(find: _Find, session: str | None) -> MemoryDraft:
    text = find.statement.text
    words = " ".join(_WORD.findall(text.casefold()))
    return MemoryDraft(
        type=find.statement.type,
        text=text,
        tags=("session",),
        files=tuple(dict.fromkeys(path for path in _PATH.findall(text) if ".." not in path))[:10],
        importance=IMPORTANCE,
        session=session,
        actor="user" if find.actor == "user" else "assistant",
        agent=find.agent,
        key=f"said:{session or ''}:{hashlib.sha256(words.encode()).hexdigest()[:24]}",
    )
