"""The working sessions that wrote to the memory: what each one left, and whether git can take it already.

A session is known by the records that carry its name, in the log of this work tree. Who recalls how much of it, and
what a session is told when it starts, is the affair of others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from operator import attrgetter

from muninn_core.model.memory import Memory
from muninn_core.protocol.inspection import SessionsParams, SessionsResult, WorkSession
from muninn_core.retrieval.decay import is_recallable
from muninn_core.store.record import Record
from muninn_core.worktree.workspace import Workspace

_MADE = re.compile(r"s-[0-9a-z]{26}")
"""A name that a daemon made for who gave none: it tells a reader nothing."""

_last_word = attrgetter("ts", "id")


def sessions(workspace: Workspace, params: SessionsParams, now: datetime) -> SessionsResult:
    """Return the sessions, open ones first, then those that wrote last."""
    state = workspace.memory.log.state
    waiting = workspace.memory.log.spooled
    memories: dict[str, list[Memory]] = {}
    for memory in state.memories.values():
        if memory.trace:
            continue  # what a commit left by itself is nobody's session
        for name in dict.fromkeys((memory.session, *memory.sessions)):
            if name and (params.session is None or name == params.session):
                memories.setdefault(name, []).append(memory)
    open_ones = {name for name, count in waiting.items() if count and params.session in (None, name)}
    names = open_ones if params.open else open_ones | memories.keys()
    spans = _spans(workspace.memory.log.records.values(), names)
    found = [
        _told(name, memories.get(name, ()), spans[name], waiting.get(name, 0), now) for name in names if name in spans
    ]
    found.sort(key=lambda one: (one.end, one.session), reverse=True)
    found.sort(key=lambda one: one.state != "open")
    page = tuple(found[params.offset : params.offset + params.limit])
    return SessionsResult(sessions=page, total=len(found), saw=workspace.read_state(state=state))


def _spans(records: Iterable[Record], names: Iterable[str]) -> Mapping[str, tuple[str, str, int]]:
    """Return the first and last time of each session's records, and how many there are."""
    wanted = frozenset(names)
    spans: dict[str, tuple[str, str, int]] = {}
    for record in records:
        if record.session in wanted:
            first, last, count = spans.get(record.session, (record.ts, record.ts, 0))
            spans[record.session] = (min(first, record.ts), max(last, record.ts), count + 1)
    return spans


def _told(
    name: str, memories: Iterable[Memory], span: tuple[str, str, int], waiting: int, now: datetime
) -> WorkSession:
    begin, end, records = span
    made = sorted(memories, key=_last_word)
    last = made[-1] if made else None
    summary = next((each.title for each in reversed(made) if each.type == "session_summary" and each.active), "")
    return WorkSession(
        session=name,
        title=summary or (begin[:16].replace("T", " ") if _MADE.fullmatch(name) else name),
        state="open" if waiting else "sealed",
        begin=begin,
        end=end,
        records=records,
        waiting=waiting,
        memories=sum(is_recallable(memory, now) for memory in made),
        branch=_newest(made, "branch"),
        task=_newest(made, "task"),
        agent=_newest(made, "agent"),
        actor=last.actor if last is not None else "",
    )


def _newest(made: list[Memory], name: str) -> str:
    """Return what the last memory says that says anything there."""
    return next((value for memory in reversed(made) if (value := getattr(memory, name))), "")
