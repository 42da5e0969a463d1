"""Lists the sessions that stored memories, with their open or sealed state.

A session is the set of records in the work tree's log that carry its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from operator import attrgetter

from muninn_core.model.memory import Memory
from muninn_core.protocol.families.inspection import SessionsParams, SessionsResult, WorkSession
from muninn_core.retrieval.decay import is_recallable
from muninn_core.store.records.record import Record
from muninn_core.worktree.workspace import Workspace

_GENERATED_NAME = re.compile(r"s-[0-9a-z]{26}")
"""A name that the daemon generated; it is not shown as a title."""

_by_time = attrgetter("ts", "id")


def sessions(workspace: Workspace, params: SessionsParams, now: datetime) -> SessionsResult:
    """Return a page of the sessions: open ones first, then by the last record, the newest first."""
    state = workspace.memory.log.state
    waiting = workspace.memory.log.spooled
    memories: dict[str, list[Memory]] = {}
    for memory in state.memories.values():
        if memory.trace:
            continue  # traces of commits are not part of a session
        for name in dict.fromkeys((memory.session, *memory.sessions)):
            if name and (params.session is None or name == params.session):
                memories.setdefault(name, []).append(memory)
    open_ones = {name for name, count in waiting.items() if count and params.session in (None, name)}
    names = open_ones if params.open else open_ones | memories.keys()
    spans = _spans(workspace.memory.log.records.values(), names)
    found = [
        _work_session(name, memories.get(name, ()), spans[name], waiting.get(name, 0), now)
        for name in names
        if name in spans
    ]
    found.sort(key=lambda session: (session.end, session.session), reverse=True)
    found.sort(key=lambda session: session.state != "open")
    page = tuple(found[params.offset : params.offset + params.limit])
    return SessionsResult(sessions=page, total=len(found), saw=workspace.read_state(state=state))


def _spans(records: Iterable[Record], names: Iterable[str]) -> Mapping[str, tuple[str, str, int]]:
    """Return {session: (time of the first record, time of the last, number of records)}."""
    wanted = frozenset(names)
    spans: dict[str, tuple[str, str, int]] = {}
    for record in records:
        if record.session in wanted:
            first, last, count = spans.get(record.session, (record.ts, record.ts, 0))
            spans[record.session] = (min(first, record.ts), max(last, record.ts), count + 1)
    return spans


def _work_session(
    name: str, memories: Iterable[Memory], span: tuple[str, str, int], waiting: int, now: datetime
) -> WorkSession:
    begin, end, records = span
    made = sorted(memories, key=_by_time)
    last = made[-1] if made else None
    summary = next(
        (memory.title for memory in reversed(made) if memory.type == "session_summary" and memory.active), ""
    )
    return WorkSession(
        session=name,
        title=summary or (begin[:16].replace("T", " ") if _GENERATED_NAME.fullmatch(name) else name),
        state="open" if waiting else "sealed",
        begin=begin,
        end=end,
        records=records,
        waiting=waiting,
        memories=sum(is_recallable(memory, now) for memory in made),
        branch=_newest(made, "branch"),
        task=_newest(made, "task"),
        agent=_newest(made, "agent"),
        author=_newest(made, "author"),
        actor=last.actor if last is not None else "",
    )


def _newest(made: list[Memory], name: str) -> str:
    """Return the newest non-empty value of a field, "" for none."""
    return next((value for memory in reversed(made) if (value := getattr(memory, name))), "")
