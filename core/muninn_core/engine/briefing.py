"""The brief of a session: gathers what there is to say; what is said first is decided in `context`."""

from __future__ import annotations

import logging

from muninn_core.context.brief import Standing, make_brief
from muninn_core.engine.focus import NOTE, canonical, focus
from muninn_core.engine.scopes import on_task, visible
from muninn_core.engine.workspace import Workspace
from muninn_core.protocol.params import BriefParams
from muninn_core.protocol.results import BriefResult
from muninn_core.source.project import read_project

log = logging.getLogger("muninn.brief")


def brief(workspace: Workspace, params: BriefParams) -> BriefResult:
    """Say what a session that starts should know. A task that it names is noted for what it will remember."""
    if params.task:
        _note(workspace, params.session, canonical(workspace.documents.look(), params.task))
    seen = visible(workspace, None, params.session)
    memories = {each: memory for each, memory in workspace.recallable().items() if seen(memory)}
    now = focus(workspace, memories.values(), params.session)
    tasks = on_task(memories, now.task) or frozenset()
    made = make_brief(
        memories.values(),
        session=params.session,
        after_compaction=params.source == "compact",
        conflicts=len(workspace.log.state.conflicts),
        max_chars=params.max_chars,
        standing=workspace.citations.look().of,
        place=Standing(
            project=read_project(workspace.layout.root),
            focus=now,
            learned=[memory for memory in memories.values() if memory.task in tasks],
        ),
    )
    return BriefResult(text=made.text, ids=made.ids, saw=workspace.saw())


def _note(workspace: Workspace, session: str | None, task: str) -> None:
    try:
        workspace.notes.put(session or workspace.session, NOTE, task)
    except OSError as error:  # a brief is worth more than the note
        log.warning("the task of the session could not be noted: %s", error)
