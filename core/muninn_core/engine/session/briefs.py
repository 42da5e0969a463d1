"""Gathers the brief of a session. `context.brief` orders and shortens it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import cache
from itertools import islice

from muninn_core.context.results.brief import (
    LEARNED,
    Brief,
    LineFormat,
    PendingWork,
    Recipient,
    SessionContext,
    make_brief,
)
from muninn_core.engine.memory.drafting.scopes import visible
from muninn_core.engine.session import branch_memories, other_branch_rules, session_start
from muninn_core.errors import MuninnError
from muninn_core.model.memory import Memory
from muninn_core.protocol.families.repository import FocusStatus
from muninn_core.protocol.families.session import BriefParams, BriefResult, Withheld
from muninn_core.source.documents.project import read_project
from muninn_core.source.documents.shortcode import same_code
from muninn_core.store.files.spool import unreconciled_sessions
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.citations.citations import CitationCheck
from muninn_core.worktree.current_task import NOTE, canonical, focus
from muninn_core.worktree.local.deliveries import Deliveries
from muninn_core.worktree.local.session_state import SessionState
from muninn_core.worktree.memories.memory_store import MemoryStore
from muninn_core.worktree.workspace import Workspace

log = logging.getLogger("muninn.brief")

CITATION_SECONDS = 1.0
"""The time limit for judging the citations of a brief. A session starts once and may trust what it is told."""


def brief(
    workspace: Workspace,
    trees: Iterable[Workspace],
    params: BriefParams,
    call: CallContext,
    now: datetime,
    overlaps: Sequence[str] = (),
    common_rules: Sequence[Memory] = (),
) -> BriefResult:
    """Return the brief of a session that starts, at most `max_chars` long, and note its memories as delivered.

    `trees` are the open work trees, whose rules of the user are part of the brief. A task in `params` becomes the
    session's task: memories that the session stores get it. `overlaps` are sentences about files that another work
    tree is changing, too. `common_rules` are the constraints of the user's repositories of rules.
    """
    branches = other_branch_rules.start_reading(workspace)
    if params.task:
        _note(
            workspace.session_state,
            workspace.memory,
            params.session,
            canonical(workspace.documents.read(), params.task),
        )
    shown = visible(workspace.memory, None, params.session)

    def seen(memory: Memory) -> bool:
        """Whether a memory may reach an agent unasked: text from outside only when a person approved it."""
        return not memory.unvetted and shown(memory)

    branch_search = branch_memories.start_search(workspace, seen, now)
    active = workspace.memory.active
    current_focus = focus(workspace, filter(seen, active.newest(now)), params.session)
    checker = workspace.citations.checker(CITATION_SECONDS)
    context = _current_work(workspace, params, seen, current_focus, checker, now)
    others = other_branch_rules.recallable(branches, now)
    made = make_brief(
        filter(seen, active.newest(now)),
        _recipient(params, call),
        LineFormat(
            now,
            judged_citations=checker.judge,
            labelled=lambda memory: memory if memory.repository else workspace.first_authors.label([memory])[0],
        ),
        pinned=[memory for memory in active.pinned(now) if seen(memory)],
        pending=_pending_work(workspace),
        context=context._replace(
            other_rules=other_branch_rules.rules(workspace, trees, others, now),
            on_other_branches=len(others),
            branch_memories=branch_memories.found_in_time(branch_search),
            overlaps=[f"- {line}\n" for line in overlaps],
            common_rules=common_rules,
        ),
    )
    _note_delivery(workspace.deliveries, params, made, call)
    withheld = tuple(Withheld(id=identity, why="no room") for identity in made.left_out)
    return BriefResult(text=made.text, ids=made.ids, withheld=withheld, saw=workspace.read_state())


def _recipient(params: BriefParams, call: CallContext) -> Recipient:
    return Recipient(
        max_chars=params.max_chars,
        session=params.session,
        after_compaction=params.source == "compact",
        role=call.connection.role,
        program=" ".join(params.program.split()),
    )


def _current_work(
    workspace: Workspace,
    params: BriefParams,
    seen: Callable[[Memory], bool],
    current_focus: FocusStatus,
    checker: CitationCheck,
    now: datetime,
) -> SessionContext:
    """Return the project, its focus, and the memories and documents of this work tree about current or open work."""
    active = workspace.memory.active
    latest = list(islice(filter(seen, active.newest(now)), session_start.READ_MEMORIES))
    touched, records = session_start.current_work(workspace, seen, now)
    return SessionContext(
        project=read_project(workspace.layout.root),
        focus=current_focus,
        learned=_learned(filter(seen, active.newest(now)), current_focus.task),
        since=() if params.source == "compact" else session_start.since(workspace, params.session, latest),
        touched=touched,
        records=records,
        stale=session_start.stale(latest, checker),
        left_open=session_start.left_open(latest, params.session),
        disputes=session_start.disputes(workspace.memory),
    )


def _pending_work(workspace: Workspace) -> PendingWork:
    state = workspace.memory.log.state
    return PendingWork(
        conflicts=len(state.conflicts),
        approvals=state.pending,
        sessions=unreconciled_sessions(workspace.layout),
        upkeep=workspace.upkeep.planned.steps,
    )


def _note_delivery(deliveries: Deliveries, params: BriefParams, made: Brief, call: CallContext) -> None:
    """Note which memories the session has in its context."""
    if params.source in ("clear", "compact"):
        deliveries.forget(params.session)  # the agent's context no longer contains them
    if not call.cancelled:  # a cancelled answer did not reach the agent
        deliveries.add(params.session, made.ids)


def _learned(newest: Iterator[Memory], task: str) -> list[Memory]:
    """Return the newest memories of a task, at most `LEARNED`; none without a task."""
    same = cache(lambda code: same_code(code, task))
    return list(islice((memory for memory in newest if memory.task and same(memory.task)), LEARNED)) if task else []


def _note(notes: SessionState, store: MemoryStore, session: str | None, task: str) -> None:
    try:
        notes.put(session or store.session, NOTE, task)
    except MuninnError as error:  # the brief works without the note
        log.warning("cannot note the task of the session: %s", error)
