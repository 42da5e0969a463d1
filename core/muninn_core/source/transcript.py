"""Drafts memories from the statements in an agent's transcript. It reads lines and skips malformed ones.

Formats: Claude Code 2.1 (one object per line, `type` user or assistant, one content block per line) and the rollout
files of Codex CLI (`type` response_item with a `message`). Tool results, side chains, summaries and text that programs
insert into user messages are left out: their speaker did not write them.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Any

from muninn_core.model.value import Value, decode_json
from muninn_core.protocol.memory import MemoryDraft
from muninn_core.source.private import strip_private
from muninn_core.source.statement import Statement, find_statements

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from muninn_core.model.memory import Actor

MAX_STATEMENTS = 5
"""The maximum number of statements of one reading."""

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


class TranscriptReading(Value):
    """The memories of a transcript, in order, and the byte offset of the next reading.

    `times` has the time of each statement as in the transcript, "" when it has none.
    """

    drafts: tuple[MemoryDraft, ...]
    offset: int
    times: tuple[str, ...] = ()


class _Finding(Value):
    """A statement, its speaker, and the program."""

    at: int
    actor: str
    agent: str | None
    statement: Statement
    time: str


def read_transcript(
    lines: Iterable[bytes], *, offset: int = 0, session: str | None = None, agent: str | None = None
) -> TranscriptReading:
    """Return the best statements of the lines after `offset` as memories, at most `MAX_STATEMENTS`.

    `lines` keep their newlines. A last line without one is still being written and is left for the next reading. Equal
    statements have equal keys, so that they are stored once.
    """
    finds: list[_Finding] = []
    for line in lines:
        if not line.endswith(b"\n"):
            break
        offset += len(line)
        finds.extend(_findings(line, len(finds), agent))
    surest = _select_best(finds)
    times = tuple(find.time for find in surest)
    return TranscriptReading(drafts=tuple(_draft(find, session) for find in surest), offset=offset, times=times)


def _findings(line: bytes, at: int, agent: str | None) -> Iterator[_Finding]:
    message_facts = _message(line)
    if message_facts is None:
        return
    actor, text, version, time = message_facts
    program = f"{agent}/{version}" if agent and version else agent
    for number, statement in enumerate(find_statements(text, by_user=actor == "user")):
        yield _Finding(at=at + number, actor=actor, agent=program, statement=statement, time=time)


def _message(line: bytes) -> tuple[Actor, str, str, str] | None:
    """Return (speaker, text, program version, time) of a message of the conversation, else None."""
    if not _SAID.search(line):
        return None
    try:
        entry = decode_json(line)
    except ValueError:
        return None
    if not isinstance(entry, dict):
        return None
    message: Any = entry.get("payload") if entry.get("type") == "response_item" else entry.get("message")
    if not isinstance(message, dict) or _is_aside(entry, message):
        return None
    role = message.get("role")
    text, _ = strip_private(_INJECTED.sub("", _text(message.get("content"))))
    if not text.strip() or (role == "user" and _MACHINE.match(text)):
        return None
    version, time = (given if isinstance(given := entry.get(name), str) else "" for name in ("version", "timestamp"))
    return ("user" if role == "user" else "assistant"), text, version, time


def _is_aside(entry: dict[str, Any], message: dict[str, Any]) -> bool:
    """Whether a line is outside the conversation between user and assistant."""
    if entry.get("type") == "response_item":
        return message.get("type") != "message" or message.get("role") not in ("user", "assistant")
    if entry.get("type") not in ("user", "assistant") or message.get("role") != entry["type"]:
        return True
    return any(entry.get(mark) for mark in ("isSidechain", "isMeta", "isCompactSummary", "toolUseResult"))


def _text(content: Any) -> str:
    """Return the joined text blocks of a message, without tool calls, results, thinking and images."""
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


def _select_best(finds: list[_Finding]) -> list[_Finding]:
    """Return the best findings in order: by score, then the later ones, without similar ones."""
    selected: list[_Finding] = []
    for find in sorted(finds, key=lambda find: (-find.statement.score, -find.at)):
        if len(selected) == MAX_STATEMENTS:
            break
        if not any(_is_similar(find.statement.text, other.statement.text) for other in selected):
            selected.append(find)
    return sorted(selected, key=lambda find: find.at)


def _is_similar(left: str, right: str) -> bool:
    """Whether two sentences share at least 80% of their words."""
    left_words, right_words = (set(_WORD.findall(text.casefold())) for text in (left, right))
    return len(left_words & right_words) >= 0.8 * len(left_words | right_words)


def _draft(find: _Finding, session: str | None) -> MemoryDraft:
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
