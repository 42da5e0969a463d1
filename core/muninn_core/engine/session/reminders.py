"""What is said to a session that did not ask: what is remembered about the prompt it was given, once and briefly."""

from __future__ import annotations

import re
from datetime import datetime

from muninn_core.context.brief import memory_line, utf16_length
from muninn_core.context.staleness import warning
from muninn_core.engine.memory.scopes import visible
from muninn_core.engine.session.reminder_search import related_memories
from muninn_core.model.memory import Memory
from muninn_core.protocol.session import RemindParams, RemindResult
from muninn_core.worktree.call import Call
from muninn_core.worktree.workspace import Workspace

HEAD = "# Remembered about this (Muninn)\n\n"

LOOK_SECONDS = 0.05
"""How long the citations of what is told may take."""

_MACHINE = re.compile(r"^\s*<(?:task-notification|command-|local-command|bash-|user-prompt-submit-hook)")
"""How a prompt begins that a program has put into the conversation."""

_UNTOLD = frozenset({"session_summary", "context_hit"})
"""Kinds that say what was done, and nothing that would have to be minded."""


def remind(workspace: Workspace, params: RemindParams, call: Call, now: datetime) -> RemindResult:
    """Say what is remembered about a prompt. Raises MuninnError without an index.

    Nothing is said to a prompt of a program or a slash command, nor what the session was given, or stored itself. Text
    from outside is never said unasked.
    """
    prompt = params.prompt.strip()
    if not prompt or _MACHINE.match(prompt) or re.match(r"/[a-z][\w:-]*(\s|$)", prompt):
        return RemindResult(text="", ids=(), saw=workspace.read_state())
    given = workspace.deliveries.delivered_to(params.session)
    visible_here = visible(workspace.memory, None, params.session)

    def seen(memory: Memory) -> bool:
        own = params.session is not None and params.session in (memory.session, *memory.sessions)
        fit = memory.type not in _UNTOLD and memory.trust != "outside"
        return fit and not own and memory.id not in given and visible_here(memory)

    look = workspace.citations.checker(LOOK_SECONDS)
    lines: list[str] = []
    ids: list[str] = []
    left = params.max_chars - utf16_length(HEAD)
    for one in related_memories(workspace, prompt, seen, now)[: params.limit]:
        line = memory_line(one.memory, warning(look.judge(one.memory)))
        if utf16_length(line) <= left:
            left -= utf16_length(line)
            lines.append(line)
            ids.append(one.memory.id)
    if not call.cancelled:  # what came too late was not given
        workspace.deliveries.add(params.session, ids)
    return RemindResult(text=HEAD + "".join(lines) if lines else "", ids=tuple(ids), saw=workspace.read_state())
