"""Gathers the brief of a session. `context.brief` orders and shortens it."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import cache
from itertools import islice

from muninn_core.context.results.brief import LEARNED, SessionContext, make_brief
from muninn_core.engine.memory.drafting.scopes import visible
from muninn_core.engine.session import branch_memories, other_branch_rules, session_start
from muninn_core.errors import MuninnError
from muninn_core.model.memory import Memory
from muninn_core.protocol.families.session import BriefParams, BriefResult, Withheld
from muninn_core.source.documents.project import read_project
from muninn_core.source.documents.shortcode import same_code
from muninn_core.store.files.spool import unreconciled_sessions
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.current_task import NOTE, canonical, focus
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

    named = branch_memories.start_search(workspace, seen, now)
    current = workspace.memory.active
    latest = list(islice(filter(seen, current.newest(now)), session_start.READ_MEMORIES))
    current_focus = focus(workspace, filter(seen, current.newest(now)), params.session)
    checker = workspace.citations.checker(CITATION_SECONDS)
    touched, records = session_start.current_work(workspace, seen, now)
    others = other_branch_rules.recallable(branches, now)
    made = make_brief(
        filter(seen, current.newest(now)),
        pinned=[memory for memory in current.pinned(now) if seen(memory)],
        session=params.session,
        after_compaction=params.source == "compact",
        conflicts=len(workspace.memory.log.state.conflicts),
        sessions=unreconciled_sessions(workspace.layout),
        upkeep=workspace.upkeep.planned.steps,
        pending=workspace.memory.log.state.pending,
        max_chars=params.max_chars,
        program=" ".join(params.program.split()),
        now=now,
        standing=checker.judge,
        labelled=lambda memory: memory if memory.repository else workspace.first_authors.label([memory])[0],
        place=SessionContext(
            project=read_project(workspace.layout.root),
            focus=current_focus,
            learned=_learned(filter(seen, current.newest(now)), current_focus.task),
            since=() if params.source == "compact" else session_start.since(workspace, params.session, latest),
            touched=touched,
            records=records,
            stale=session_start.stale(latest, checker),
            left_open=session_start.left_open(latest, params.session),
            disputes=session_start.disputes(workspace.memory),
            other_rules=other_branch_rules.rules(workspace, trees, others, now),
            on_other_branches=len(others),
            branch_memories=branch_memories.found_in_time(named),
            overlaps=[f"- {line}\n" for line in overlaps],
            common_rules=common_rules,
        ),
        role=call.connection.role,
    )
    if params.source in ("clear", "compact"):
        workspace.deliveries.forget(params.session)  # the agent's context no longer contains them
    if not call.cancelled:  # a cancelled answer did not reach the agent
        workspace.deliveries.add(params.session, made.ids)
    withheld = tuple(Withheld(id=each, why="no room") for each in made.left_out)
    return BriefResult(text=made.text, ids=made.ids, withheld=withheld, saw=workspace.read_state())


def _learned(newest: Iterator[Memory], task: str) -> list[Memory]:
    """Return the newest memories of a task, at most `LEARNED`; none without a task."""
    same = cache(lambda known: same_code(known, task))
    return list(islice((memory for memory in newest if memory.task and same(memory.task)), LEARNED)) if task else []


def _note(notes: SessionState, store: MemoryStore, session: str | None, task: str) -> None:
    try:
        notes.put(session or store.session, NOTE, task)
    except MuninnError as error:  # the brief works without the note
        log.warning("cannot note the task of the session: %s", error)
