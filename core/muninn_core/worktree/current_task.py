"""The current work: initiatives and tasks in phase active, and the task of a call.

A call's task is the one it names, else the session's, else the one in the branch's name, else the only active task.
Otherwise there is none: a guess would attach memories to the wrong task.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from muninn_core.git import HeadReader
from muninn_core.model.memory import Memory
from muninn_core.protocol.families.repository import FocusStatus, WorkItem
from muninn_core.source.documents.document import Document
from muninn_core.source.documents.shortcode import find_code_candidates, level_of, same_code
from muninn_core.worktree.knowledge.documents import SteeringDocuments
from muninn_core.worktree.workspace import Workspace

ACTIVE = "active"
"""Metis's name of the phase in which work is done."""

NOTE = "task"
"""The key of a session's task in the session notes."""


class Task(NamedTuple):
    """A call's task, "" for none, and its source: given, session, branch or active."""

    code: str
    source: str


def task_of(workspace: Workspace, library: SteeringDocuments, given: str | None, session: str | None) -> Task:
    """Return the task of a call."""
    if given:
        return Task(canonical(library, given), "given")
    noted = workspace.session_state.get(session or workspace.memory.session, NOTE)
    if isinstance(noted, str) and noted:
        return Task(noted, "session")
    named = _task_of_branch(workspace.head, library)
    if named:
        return Task(named, "branch")
    active = [each for each in library if each.level == "task" and each.status == ACTIVE]
    return Task(active[0].short_code, "active") if len(active) == 1 and active[0].short_code else Task("", "")


def canonical(library: SteeringDocuments, code: str) -> str:
    """Return a task's code as its document writes it; unchanged when no document has it."""
    document = library.with_code(code)
    return document.short_code if document is not None and document.short_code else code


def focus(workspace: Workspace, memories: Iterable[Memory], session: str | None) -> FocusStatus:
    """Return the visions and the active initiatives and tasks, each with the number of memories that name it."""
    library = workspace.documents.read()
    task = task_of(workspace, library, None, session)
    found = [each for each in library if _in_focus(each, task.code)]
    tasks = Counter(memory.task for memory in memories if memory.task) if found else Counter()
    order = ("vision", "initiative", "task")
    items = tuple(
        WorkItem(
            code=each.name,
            level=each.level,
            title=each.title,
            phase=each.phase,
            path=each.path,
            summary=each.summary,
            memories=sum(count for name, count in tasks.items() if same_code(each.short_code, name or "")),
        )
        for each in sorted(found, key=lambda each: (order.index(each.level), each.short_code, each.path))
    )
    return FocusStatus(task=task.code, source=task.source, items=items)


def _in_focus(document: Document, task: str) -> bool:
    if document.level == "vision":
        return not document.retired
    if document.level not in ("initiative", "task") or not document.short_code:
        return False
    return document.status == ACTIVE or (bool(task) and same_code(document.short_code, task))


def _task_of_branch(head: HeadReader, library: SteeringDocuments) -> str:
    """Return the task or initiative that the branch's name contains, as its document writes it.

    Without a document only capital letters count: `insert-t-1000` names no task.
    """
    branch = head.read().branch
    best: dict[str, str] = {}
    for code in find_code_candidates(branch or ""):
        document = library.with_code(code)
        level = document.level if document is not None else level_of(code) if code.isupper() else ""
        known = document.short_code if document is not None and document.short_code else code
        if level in ("task", "initiative"):
            best.setdefault(level, known)
    return best.get("task", best.get("initiative", ""))
