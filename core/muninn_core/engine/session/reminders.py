"""Proactive reminders: memories about a prompt, each given to a session once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from muninn_core.context.brief import memory_line, utf16_length
from muninn_core.context.staleness import warning
from muninn_core.engine.memory.scopes import visible
from muninn_core.engine.session.reminder_search import related_memories
from muninn_core.model.memory import Memory
from muninn_core.protocol.session import RemindParams, RemindResult, Withheld
from muninn_core.worktree.call import Call
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

MOST_WITHHELD = 10
"""The most related memories that are named although the reminder does not have them."""

AS_CERTAIN = 0.7
"""The least share of the first memory's confidence for further ones. It halves the wrong ones on labelled prompts."""

_MACHINE = re.compile(r"^\s*<(?:task-notification|command-|local-command|bash-|user-prompt-submit-hook)")
"""The beginning of a prompt that a program inserted."""

_WORK_RECORDS = frozenset({"session_summary", "context_hit"})
"""Memory types that record work done and need no reminder."""


def _is_short_order(prompt: str) -> bool:
    """Whether a prompt is a few words like "run the tests": no question, error, file or number."""
    return len(prompt.split()) <= SHORT_ORDER and not re.search(r"[?/:\d`]|\w\.\w|[a-z][A-Z]|_|(?i:error)", prompt)


def remind(
    workspace: Workspace, params: RemindParams, call: Call, now: datetime, overlaps: Sequence[str] = ()
) -> RemindResult:
    """Return the memories about a prompt as text of at most `max_chars`. Raises MuninnError without an index.

    A prompt of a program or a slash command gets no reminder. `overlaps` are sentences about files that another work
    tree is changing, too; a session gets each once. Memories that the session stored or received are left out, and so
    is text from outside.
    """
    prompt = params.prompt.strip()[:MAX_PROMPT_CHARS]
    if not prompt or _is_short_order(prompt) or _MACHINE.match(prompt) or re.match(r"/[a-z][\w:-]*(\s|$)", prompt):
        return RemindResult(text="", ids=(), saw=workspace.read_state())
    delivered = workspace.deliveries.delivered_to(params.session)
    visible_here = visible(workspace.memory, None, params.session)

    def seen(memory: Memory) -> bool:
        eligible = memory.type not in _WORK_RECORDS and memory.trust != "outside"
        eligible = eligible and not (params.shared and (memory.private or memory.scope != "project"))
        return eligible and visible_here(memory)

    def known(memory: Memory) -> bool:
        """Whether the session has a memory already. It takes part in the search: no other stands out in its place."""
        own = params.session is not None and params.session in (memory.session, *memory.sessions)
        return own or memory.id in delivered

    checker = workspace.citations.checker(CITATION_SECONDS)
    news = [line for line in overlaps if OVERLAP + line not in delivered]
    lines = [f"- {line}\n" for line in news]
    ids: list[str] = []
    left = params.max_chars - utf16_length(HEAD + "".join(lines))
    found = related_memories(workspace, prompt, seen, now, nearest=True)
    why: dict[str, str] = {}
    for hit in found:
        if hit.confidence < AS_CERTAIN * found[0].confidence:
            why[hit.memory.id] = "less certain"
        elif known(hit.memory):
            why[hit.memory.id] = "the session has it"
        elif len(ids) + list(why.values()).count(NO_ROOM) >= params.limit:
            why[hit.memory.id] = "over the limit"
        else:
            line = memory_line(hit.memory, warning(checker.judge(hit.memory)), now)
            if utf16_length(line) > left:
                why[hit.memory.id] = NO_ROOM
                continue
            left -= utf16_length(line)
            lines.append(line)
            ids.append(hit.memory.id)
    if not call.cancelled:  # a cancelled answer did not reach the agent
        workspace.deliveries.add(params.session, [*ids, *(OVERLAP + line for line in news)])
    withheld = tuple(Withheld(id=each, why=reason) for each, reason in why.items())[:MOST_WITHHELD]
    text = HEAD + "".join(lines) if lines else ""
    return RemindResult(text=text, ids=tuple(ids), withheld=withheld, saw=workspace.read_state())
