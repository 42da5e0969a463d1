"""Drafts memories from the statements in an agent's transcript. It reads lines and skips malformed ones.

Formats: Claude Code 2.1 (one object per line, `type` user or assistant, one content block per line), the rollout files
of Codex CLI (`type` response_item with a `message`) and what `transcript_lines` converts. Tool results, side chains,
summaries and text that programs insert into user messages are left out: their speaker did not write them.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Any

from muninn_core.capture.statements.conversation import Message
from muninn_core.capture.statements.statement import THRESHOLD, Statement, find_statements, refers_back
from muninn_core.capture.turns.transcript_lines import Converter
from muninn_core.model.value import Value, decode_json
from muninn_core.protocol.families.memory import MemoryDraft
from muninn_core.source.private_spans import strip_private

if TYPE_CHECKING:
    from collections.abc import Iterable

    from muninn_core.model.memory import Actor

MAX_STATEMENTS = 5
"""The maximum number of statements of one reading."""

IMPORTANCE = 8
"""The importance of a user's statement; the agent's has one less."""

ASSUMED_MESSAGES = 10
"""The number of messages that are taken to come before a reading that begins inside a transcript."""

_SPEAKERS = re.compile(rb'"(?:user|assistant)(?:\.message)?"')
_INJECTED = re.compile(r"<(system-reminder|ide_\w+|environment_context|user_instructions|new-diagnostics)\b")
"""The beginning of a text that a program inserts into a message, up to its closing tag."""

_MACHINE = re.compile(
    r"^\s*(?:<(?:task-notification|command-|local-command|bash-|user-prompt-submit-hook|turn_aborted|INSTRUCTIONS)"
    r"|Caveat: |\[Request interrupted|# AGENTS\.md instructions|This session is being continued)"
)
_PATH = re.compile(r"(?<![\w/.~:-])(?:[\w-][\w.-]*/)+[\w.-]*\w\.[A-Za-z]\w{0,4}\b")
_WORD = re.compile(r"\w+")


class TranscriptReading(Value):
    """The memories of a transcript, in order, and the byte offset of the next reading.

    `times` has the time of each statement as in the transcript, "" when it has none. `withdrawn` are keys of statements
    before the reading that its messages take back.
    """

    drafts: tuple[MemoryDraft, ...]
    offset: int
    times: tuple[str, ...] = ()
    withdrawn: tuple[str, ...] = ()


class _Utterance(Value):
    """A message of the transcript: its speaker, text, the program's version, its time, and whether it is new."""

    actor: Actor
    text: str
    version: str
    time: str
    new: bool


def read_transcript(
    lines: Iterable[bytes],
    *,
    offset: int = 0,
    read_to: int = 0,
    session: str | None = None,
    agent: str | None = None,
    threshold: float = THRESHOLD,
) -> TranscriptReading:
    """Return the best statements of the lines after byte `read_to` as memories, at most `MAX_STATEMENTS`.

    `threshold` is the least probability of a statement.

    The lines begin at byte `offset`; those before `read_to` were read earlier and are context. They keep their
    newlines. A last line without one is still being written and is left for the next reading. Equal statements have
    equal keys, so that they are stored once.
    """
    begun, utterances = offset, []
    for line in lines:
        if not line.endswith(b"\n"):
            break
        found = _message(line)
        if found is not None:
            actor, text, version, time = found
            utterances.append(_Utterance(actor=actor, text=text, version=version, time=time, new=offset >= read_to))
        offset += len(line)
    messages = [Message(speaker="user" if each.actor == "user" else "assistant", text=each.text) for each in utterances]
    statements = find_statements(messages, skipped=ASSUMED_MESSAGES if begun else 0, threshold=threshold)
    surest = _select_best([each for each in statements if utterances[each.message].new and each.reversed_by is None])
    return TranscriptReading(
        drafts=tuple(_draft(each, utterances[each.message], session, agent) for each in surest),
        offset=max(offset, read_to),
        times=tuple(utterances[each.message].time for each in surest),
        withdrawn=tuple(
            _key(each, session)
            for each in statements
            if not utterances[each.message].new and each.reversed_by is not None and utterances[each.reversed_by].new
        ),
    )


def _without_injected(text: str) -> str:
    pieces, at = [], 0
    unclosed: set[str] = set()
    for opening in _INJECTED.finditer(text):
        closing = f"</{opening[1]}>"
        if opening.start() < at or closing in unclosed:
            continue
        end = text.find(closing, opening.end())
        if end < 0:
            unclosed.add(closing)
            continue
        pieces.append(text[at : opening.start()])
        at = end + len(closing)
    return "".join([*pieces, text[at:]])


def _message(line: bytes) -> tuple[Actor, str, str, str] | None:
    """Return (speaker, text, program version, time) of a message of the conversation, else None."""
    if not _SPEAKERS.search(line):
        return None
    try:
        entry = decode_json(line)
    except ValueError:
        return None
    if not isinstance(entry, dict):
        return None
    if entry.get("type") != "response_item":
        entry = Converter().entries(entry)[0]
    message: Any = entry.get("payload") if entry.get("type") == "response_item" else entry.get("message")
    if not isinstance(message, dict) or _is_aside(entry, message):
        return None
    role = message.get("role")
    text, _ = strip_private(_without_injected(_text(message.get("content"))))
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


def _select_best(found: list[Statement]) -> list[Statement]:
    """Return the surest statements in order, of equal ones the later, without similar ones."""
    selected: list[Statement] = []
    for each in sorted(found, key=lambda each: (-each.probability, -each.message)):
        if len(selected) == MAX_STATEMENTS:
            break
        if not any(_is_similar(each.sentence, other.sentence) for other in selected):
            selected.append(each)
    return sorted(selected, key=lambda each: (each.message, found.index(each)))


def _is_similar(left: str, right: str) -> bool:
    """Whether two sentences share at least 80% of their words."""
    left_words, right_words = (set(_WORD.findall(text.casefold())) for text in (left, right))
    return len(left_words & right_words) >= 0.8 * len(left_words | right_words)


def _draft(statement: Statement, utterance: _Utterance, session: str | None, agent: str | None) -> MemoryDraft:
    text = statement.text
    about = text if refers_back(statement.sentence) else statement.sentence  # else the context's files are not its own
    return MemoryDraft(
        type=statement.type,
        text=text,
        tags=("session",),
        files=tuple(dict.fromkeys(path for path in _PATH.findall(about) if ".." not in path))[:10],
        questions=(statement.question,) if statement.question else (),
        importance=IMPORTANCE if utterance.actor == "user" else IMPORTANCE - 1,
        confidence=round(statement.probability, 2),
        session=session,
        actor="user" if utterance.actor == "user" else "assistant",
        agent=f"{agent}/{utterance.version}" if agent and utterance.version else agent,
        details={"kept_because": "; ".join(statement.reasons)},
        key=_key(statement, session),
    )


def _key(statement: Statement, session: str | None) -> str:
    words = " ".join(_WORD.findall(statement.sentence.casefold()))
    return f"said:{session or ''}:{hashlib.sha256(words.encode()).hexdigest()[:24]}"
