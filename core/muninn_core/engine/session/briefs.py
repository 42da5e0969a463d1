"""The brief of a session: gathers what there is to say; what is said first is decided in `context`."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from itertools import islice

from muninn_core.context.brief import LEARNED, SessionContext, make_brief
from muninn_core.engine.memory.scopes import visible
from muninn_core.engine.session import session_start
from muninn_core.model.memory import Memory
from muninn_core.protocol.session import BriefParams, BriefResult
from muninn_core.source.project import read_project
from muninn_core.source.shortcode import same_code
from muninn_core.worktree.call import Call
from muninn_core.worktree.current_task import NOTE, canonical, focus
from muninn_core.worktree.memory_store import MemoryStore
from muninn_core.worktree.session_notes import SessionNotes
from muninn_core.worktree.workspace import Workspace

log = logging.getLogger("muninn.brief")


def brief(workspace: Workspace, params: BriefParams, call: Call, now: datetime) -> BriefResult:
    """Say what a session that starts should know. A task that it names is noted for what it will remember."""
    if params.task:
        _note(
            workspace.session_notes,
            workspace.memory,
            params.session,
            canonical(workspace.documents.read(), params.task),
        )
    seen = visible(workspace.memory, None, params.session)
    current = workspace.memory.active
    latest = list(islice(filter(seen, current.newest(now)), session_start.LOOKED))
    at_hand = focus(workspace, filter(seen, current.newest(now)), params.session)
    look = workspace.citations.checker()
    touched, records = session_start.in_work(workspace, seen, now)
    made = make_brief(
        filter(seen, current.newest(now)),
        pinned=[memory for memory in current.pinned(now) if seen(memory)],
        session=params.session,
        after_compaction=params.source == "compact",
        conflicts=len(workspace.memory.log.state.conflicts),
        pending=workspace.memory.log.state.pending,
        max_chars=params.max_chars,
        standing=look.judge,
        place=SessionContext(
            project=read_project(workspace.layout.root),
            focus=at_hand,
            learned=_learned(filter(seen, current.newest(now)), at_hand.task),
            since=() if params.source == "compact" else session_start.since(workspace, params.session, latest),
            touched=touched,
            records=records,
            stale=session_start.stale(latest, look),
            left_open=session_start.left_open(latest, params.session),
            disputes=session_start.disputes(workspace.memory),
        ),
    )
    if params.source in ("clear", "compact"):
        workspace.deliveries.forget(params.session)  # what was said before is gone from the context
    if not call.cancelled:  # what came too late was not given
        workspace.deliveries.add(params.session, made.ids)
    return BriefResult(text=made.text, ids=made.ids, saw=workspace.read_state())


def _learned(newest: Iterator[Memory], task: str) -> list[Memory]:
    """Return the newest memories of a task; without one nothing is looked at."""
    same = cache(lambda known: same_code(known, task))
    return list(islice((memory for memory in newest if memory.task and same(memory.task)), LEARNED)) if task else []


def _note(notes: SessionNotes, store: MemoryStore, session: str | None, task: str) -> None:
    try:
        notes.put(session or store.session, NOTE, task)
    except OSError as error:  # a brief is worth more than the note
        log.warning("the task of the session could not be noted: %s", error)
