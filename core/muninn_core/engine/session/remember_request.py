"""The request to an agent to remember the decisions of its session.

It is sent at the end of a turn, at most once per session, if `memory.ask_agent` is on. The agent's own model then
extracts the memories. The request lists the statements that the classifier finds, with a lower threshold than that of
capture, because the model can reject them.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from datetime import datetime
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import BinaryIO, NamedTuple

from muninn_core.capture.statements.statement import THRESHOLD
from muninn_core.capture.statements.transcript import read_transcript
from muninn_core.engine.memory.exchange.transcript_files import open_transcript
from muninn_core.errors import MuninnError
from muninn_core.model.memory import Memory
from muninn_core.model.value import encode_json
from muninn_core.protocol.families.memory import MemoryDraft
from muninn_core.protocol.families.session import CaptureParams
from muninn_core.retrieval.query.query_terms import significant_words
from muninn_core.store.records.timestamps import timestamp
from muninn_core.worktree.local.session_state import SessionState
from muninn_core.worktree.memories.memory_store import MemoryStore
from muninn_core.worktree.workspace import Workspace

log = logging.getLogger("muninn.remember")

MIN_PROBABILITY = 0.4
"""The least probability of a statement that is listed."""

LOOK_BACK = 65_536
"""Bytes before an offset that are read again, as the context of what follows."""

STATEMENT_CHARS = 300
"""The most characters of a listed statement."""

RULES = ("constraint", "preference")

MIN_SHARED_RATIO, MIN_SHARED_WORDS = 0.5, 3
"""The share of a text's significant words that another one has, and their least number, from which it repeats the
text. On 130 labelled conversations the sentence of 142 of 152 labels repeats its statement, and 5 of 166 others do."""

_ASKED, _LOOKED = "asked", "looked"
"""The names of two notes of a session: when its agent was asked, and up to which byte its transcript had nothing."""

_REQUEST = """\
Muninn asks once in a session: remember what a later session needs and can't read in the code or in git, such as \
decisions with reasons, rules, causes of bugs, failed attempts. Call Muninn's `remember` tool for each, in sentences \
that stand alone, with three to five `questions` that it answers in other words, and do the same when more comes up \
later. If nothing is worth keeping, store nothing. Don't repeat your answer.
Found in the conversation:
"""
"""Claude Code shows it to the model twice, so that it is short."""


class RememberRequest(NamedTuple):
    """The request to an agent, "" for none, and the note that is put once the agent has it."""

    text: str = ""
    note: tuple[str, object] | None = None


def remember_request(workspace: Workspace, params: CaptureParams, now: datetime) -> RememberRequest:
    """Return the request to the agent of a turn that ends, without a text when there is no reason to ask.

    There is a reason when the configuration allows it, the session was not asked before, and its transcript has a
    statement that is not stored.
    """
    session, notes = params.session, workspace.session_state
    if not (workspace.config.memory.ask_agent and params.may_ask and session and params.transcript):
        return RememberRequest()
    if not workspace.writable or notes.get(session, _ASKED) is not None:
        return RememberRequest()
    path = Path(params.transcript)
    looked = max(notes.number(session, _LOOKED), notes.number(session, f"read:{path.name}"))
    try:
        drafts, read_to = _statements(path, looked, params)
    except OSError as error:
        log.info("the transcript %s can't be read: %s", path, error.strerror)
        return RememberRequest()
    fresh = [draft for draft in drafts if workspace.memory.log.record_of_key(draft.key or "") is None]
    if not fresh:
        return RememberRequest(note=(_LOOKED, read_to))
    text = _REQUEST + "".join(_line(draft) for draft in fresh)
    return RememberRequest(text, (_ASKED, timestamp(now)))


def put_note(notes: SessionState, session: str | None, request: RememberRequest) -> None:
    """Put the note of a request. A failure is logged: the agent is asked again."""
    if session is None or request.note is None:
        return
    try:
        notes.put(session, *request.note)
    except MuninnError as error:
        log.warning("cannot note that session %s was asked: %s", session, error)


class Undecided(NamedTuple):
    """A draft that is still to be stored, and the ids of the agent's memories that repeat it, a rule of the user."""

    draft: MemoryDraft
    repeated: tuple[str, ...] = ()


def undecided(
    drafts: Iterable[tuple[MemoryDraft, str]], store: MemoryStore, notes: SessionState, session: str
) -> list[Undecided]:
    """Return which drafts, given with their times, an agent that was asked has left to be stored.

    An agent that stored something then has decided on all of its own earlier statements. Later statements, and those of
    the user, that a memory of the agent repeats are stored once: a rule of the user in the user's words, which have the
    user's trust, anything else in the words of the agent, which stand alone.
    """
    asked = notes.get(session, _ASKED)
    known = store.all().values() if isinstance(asked, str) else ()
    answers = [(memory.id, _words(memory.text)) for memory in known if _is_answer(memory, str(asked))]
    if not answers:
        return [Undecided(draft) for draft, _ in drafts]
    left: list[Undecided] = []
    for draft, time in drafts:
        words = _words(draft.text.partition("\nContext: ")[0])
        if draft.actor == "user" and draft.type in RULES:
            left.append(Undecided(draft, tuple([identity for identity, own in answers if _has_half(words, own)])))
            continue
        is_decided = draft.actor != "user" and time[:19] <= str(asked)[:19]
        if not is_decided and not any(_has_half(own, words) for _, own in answers):
            left.append(Undecided(draft))
    return left


def _words(text: str) -> frozenset[str]:
    return frozenset(significant_words(text))


def _has_half(words: frozenset[str], of: frozenset[str]) -> bool:
    """Whether words are half of another text's words, and enough of them."""
    shared = len(words & of)
    return shared >= MIN_SHARED_WORDS and shared >= MIN_SHARED_RATIO * len(of)


def _is_answer(memory: Memory, asked: str) -> bool:
    """Whether an agent itself stored a memory after the request. An MCP client does not tell its session."""
    return (
        memory.active
        and memory.scope == "project"
        and memory.actor == "assistant"
        and "session" not in memory.tags
        and memory.ts[:19] >= asked[:19]
    )


def _statements(path: Path, looked: int, params: CaptureParams) -> tuple[list[MemoryDraft], int]:
    """Return the statements of a transcript after byte `looked`, and the end of what was read. Raises OSError.

    The agent may not have written the model's last answer, or the transcript itself, yet.
    """
    answer = _as_lines(params.answer)
    try:
        transcript: BinaryIO = open_transcript(path)
        size = path.stat().st_size
    except FileNotFoundError:
        transcript, size = BytesIO(), 0
    with transcript as lines:
        looked = looked if looked <= size else 0
        if looked > LOOK_BACK:
            lines.seek(looked - LOOK_BACK)
            lines.readline()
        reading = read_transcript(
            chain(_whole(lines), answer),
            offset=lines.tell(),
            read_to=looked,
            session=params.session,
            agent=params.agent,
            threshold=MIN_PROBABILITY,
        )
    return list(reading.drafts), reading.offset - sum(map(len, answer))


def _whole(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines that are written to their end."""
    return (line for line in lines if line.endswith(b"\n"))


def _as_lines(answer: str) -> list[bytes]:
    """Return an answer as a line of a transcript, no line for an empty one."""
    said = {"type": "assistant", "message": {"role": "assistant", "content": answer}}
    return [encode_json(said) + b"\n"] if answer else []


def _line(draft: MemoryDraft) -> str:
    text = " ".join(draft.text.split())
    text = text if len(text) <= STATEMENT_CHARS else text[: STATEMENT_CHARS - 1].rstrip() + "…"
    kept = ", kept as it stands" if draft.actor == "user" and draft.confidence >= THRESHOLD else ""
    return f"- {draft.type} ({draft.actor}{kept}): {text}\n"
