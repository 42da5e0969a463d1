"""Proactive reminders: memories about a prompt, each given to a session once."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime

from muninn_core.context.results.brief import memory_line, utf16_length
from muninn_core.engine.memory.drafting.scopes import visible
from muninn_core.engine.session.reminder_search import RelatedMemory, related_memories
from muninn_core.model.memory import Memory
from muninn_core.protocol.families.session import RemindParams, RemindResult, Withheld
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.thread_future import run_in_thread
from muninn_core.worktree.workspace import Workspace

HEAD = "# Remembered about this (Muninn)\n\n"
"""The heading of a reminder."""

OVERLAP = "overlap:"
"""The beginning of what is noted as delivered for a sentence about a file that others change."""

MAX_PROMPT_CHARS = 50_000
"""How much of a prompt is searched for. What follows is a log or a file that the user pasted."""

CITATION_SECONDS = 0.05
"""The time limit for judging the citations of reminders."""

SHORT_ORDER = 4
"""The most words of a prompt that is an order and gets no reminder."""

NO_ROOM = "no room"

MAX_WITHHELD = 10
"""The most related memories that are named although the reminder does not have them."""

MISSED_CHARS = 1500
"""The most characters of reminders that came too late, in the note of a later event."""

AS_CERTAIN = 0.7
"""The least share of the first memory's confidence for further ones. It halves the wrong ones on labelled prompts."""

_MACHINE = re.compile(r"^\s*<(?:task-notification|command-|local-command|bash-|user-prompt-submit-hook)")
"""The beginning of a prompt that a program inserted."""

_WORK_RECORDS = frozenset({"session_summary", "context_hit"})
"""Memory types that record work done and need no reminder."""


def _is_short_order(prompt: str) -> bool:
    """Whether a prompt is a few words like "run the tests": no question, error, file or number."""
    return len(prompt.split()) <= SHORT_ORDER and not re.search(r"[?/:\d`]|\w\.\w|[a-z][A-Z]|_|(?i:error)", prompt)


class _Chosen:
    """The memories about a prompt to give, and why others, by id, are withheld. One to give lacks room if at all."""

    def __init__(self) -> None:
        self.memories: list[Memory] = []
        self.withheld: dict[str, str] = {}


def remind(
    workspace: Workspace, params: RemindParams, call: CallContext, now: datetime, overlaps: Sequence[str] = ()
) -> RemindResult:
    """Return the memories about a prompt as text of at most `max_chars`. Raises MuninnError without an index.

    A prompt of a program or a slash command gets no reminder. `overlaps` are sentences about files that another work
    tree is changing, too; a session gets each once. Memories that the session stored or received are left out, and so
    is text from outside. What an earlier answer brought too late follows.
    """
    prompt = params.prompt.strip()[:MAX_PROMPT_CHARS]
    if not prompt or _MACHINE.match(prompt) or re.match(r"/[a-z][\w:-]*(\s|$)", prompt):
        return RemindResult(text="", ids=(), saw=workspace.read_state())
    news: list[str] = []
    chosen = _Chosen()
    if not _is_short_order(prompt):
        delivered = workspace.deliveries.delivered_to(params.session)
        news = [line for line in overlaps if OVERLAP + line not in delivered]
        chosen = _about(workspace, prompt, params, delivered, now)
    text, ids = _as_text(
        workspace, news, [*chosen.memories, *_missed(workspace, params.session)], params.max_chars, now
    )
    if call.cancelled:  # the answer did not reach the agent
        workspace.deliveries.miss(params.session, ids)
    else:
        workspace.deliveries.add(params.session, [*ids, *(OVERLAP + line for line in news)])
    why = [(identity, reason) for identity, reason in chosen.withheld.items() if identity not in ids][:MAX_WITHHELD]
    withheld = tuple(Withheld(id=identity, why=reason) for identity, reason in why)
    return RemindResult(text=text, ids=ids, withheld=withheld, saw=workspace.read_state())


def missed_note(workspace: Workspace, session: str | None, now: datetime) -> tuple[str, tuple[str, ...]]:
    """Return, once, the reminders that came too late for a session as text, and their ids; "" for none."""
    return _as_text(workspace, (), _missed(workspace, session), MISSED_CHARS, now)


def _missed(workspace: Workspace, session: str | None) -> list[Memory]:
    known = workspace.memory.all()
    ids = workspace.deliveries.take_missed(session)
    return [known[identity] for identity in ids if identity in known and known[identity].active]


def _about(
    workspace: Workspace,
    prompt: str,
    params: RemindParams,
    delivered: frozenset[str],
    now: datetime,
    *,
    patient: bool = False,
) -> _Chosen:
    """Return the memories about a prompt that the session does not have, at most `params.limit`, and the others.

    When the text encoder is not loaded yet, the search is repeated beside with it, and the session gets what it misses
    with a later event. A `patient` caller waits instead.
    """
    visible_here = visible(workspace.memory, None, params.session)

    def seen(memory: Memory) -> bool:
        eligible = memory.type not in _WORK_RECORDS and memory.trust != "outside"
        eligible = eligible and not (params.shared and (memory.private or memory.scope != "project"))
        return eligible and visible_here(memory)

    def known(memory: Memory) -> bool:
        """Whether the session has a memory already. It takes part in the search: no other stands out in its place."""
        own = params.session is not None and params.session in (memory.session, *memory.sessions)
        return own or memory.id in delivered

    def again() -> None:
        """Search again once the encoder is loaded."""
        later = _about(workspace, prompt, params, delivered, now, patient=True)
        workspace.deliveries.miss(params.session, [memory.id for memory in later.memories])

    def too_late() -> None:
        run_in_thread(again, "late-reminder")

    waits = patient or params.session is None
    found = related_memories(workspace, prompt, seen, now, nearest=True, too_late=None if waits else too_late)
    return _choose(found, known, params.limit)


def _choose(found: Sequence[RelatedMemory], known: Callable[[Memory], bool], limit: int) -> _Chosen:
    """Return the first `limit` memories that are nearly as certain as the first one and not known."""
    chosen = _Chosen()
    for hit in found:
        if hit.confidence < AS_CERTAIN * found[0].confidence:
            chosen.withheld[hit.memory.id] = "less certain"
        elif known(hit.memory):
            chosen.withheld[hit.memory.id] = "the session has it"
        elif len(chosen.memories) >= limit:
            chosen.withheld[hit.memory.id] = "over the limit"
        else:
            chosen.withheld[hit.memory.id] = NO_ROOM
            chosen.memories.append(hit.memory)
    return chosen


def _as_text(
    workspace: Workspace, news: Sequence[str], memories: Sequence[Memory], max_chars: int, now: datetime
) -> tuple[str, tuple[str, ...]]:
    """Return sentences and memories as a reminder of at most `max_chars`, and the ids of the memories in it."""
    checker = workspace.citations.checker(CITATION_SECONDS)
    head = HEAD + "".join(f"- {line}\n" for line in news)
    lines: dict[str, str] = {}
    left = max_chars - utf16_length(head)
    for memory in workspace.first_authors.label(memories):
        line = memory_line(memory, checker.judge(memory), now)
        if memory.id not in lines and utf16_length(line) <= left:
            left -= utf16_length(line)
            lines[memory.id] = line
    return head + "".join(lines.values()) if news or lines else "", tuple(lines)
