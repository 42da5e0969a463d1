"""The links between the memories of a work tree: what a memory links to, one memory in full, an overview of all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

from muninn_core.engine.memory.link_walk import FILES, files_of, follow, linked_to, most_remembered, summarise
from muninn_core.engine.memory.lookup import memory_of
from muninn_core.engine.memory.scopes import visible
from muninn_core.model.memory import Memory
from muninn_core.model.value import replace
from muninn_core.protocol.inspection import (
    FileCount,
    LinksParams,
    LinksResult,
    OverviewParams,
    OverviewResult,
    ShowParams,
    ShowResult,
)
from muninn_core.protocol.repository import ProjectStatus
from muninn_core.protocol.session import GivenCounts
from muninn_core.retrieval.decay import has_expired
from muninn_core.source.project import read_project
from muninn_core.worktree.current_task import focus
from muninn_core.worktree.renames import RenameHistory
from muninn_core.worktree.workspace import Workspace


def links(workspace: Workspace, params: LinksParams, now: datetime) -> LinksResult:
    """Return the memories that links reach from a memory. Raises NotFoundError, or UsageError for an ambiguous
    prefix.
    """
    web = workspace.memory.link_graph(workspace.memory.all())
    found = follow(web, params, now, visible(workspace.memory, None, params.session))
    return LinksResult(
        memories=workspace.first_authors.label(workspace.work_states.label(found.memories)),
        depths=found.depths,
        links=found.links,
        omitted=found.omitted,
        saw=workspace.read_state(),
    )


def show(workspace: Workspace, params: ShowParams, now: datetime, given: Callable[[Memory], GivenCounts]) -> ShowResult:
    """Return one memory with its citations, its links, and how often it was given.

    Raises NotFoundError, or UsageError for an ambiguous prefix.

    Archived, expired and pending memories and links to them are shown too.
    """
    known = workspace.memory.all()
    (memory,) = workspace.first_authors.label(workspace.work_states.label([memory_of(known, params.id)]))
    found, linked = linked_to(workspace.memory.link_graph(known), memory, visible(workspace.memory, None, None))
    return ShowResult(
        memory=replace(memory, expired=True) if has_expired(memory, now) else memory,
        citations=workspace.citations.checker().judge(memory),
        links=found,
        linked=linked,
        access=workspace.access_counts.get(memory.id),
        given=given(memory),
        saw=workspace.read_state(),
    )


def overview(workspace: Workspace, params: OverviewParams, now: datetime) -> OverviewResult:
    """Return a summary of the project's memory: recent and important memories, their links, and counts."""
    known = workspace.memory.all()
    seen = visible(workspace.memory, None, params.session)
    here = [memory for memory in workspace.memory.recallable().values() if seen(memory)]
    found = summarise(workspace.memory.link_graph(known), here, params, now, seen)
    project = read_project(workspace.layout.root)
    return OverviewResult(
        project=ProjectStatus(name=project.name, description=project.description),
        focus=focus(workspace, here, params.session),
        recent=workspace.first_authors.label(workspace.work_states.label(found.recent)),
        important=workspace.first_authors.label(workspace.work_states.label(found.important)),
        links=found.links,
        linked=found.linked,
        memories=found.memories,
        kinds=found.kinds,
        scopes=found.scopes,
        density=found.density,
        weeks=found.weeks,
        files=_files(workspace.rename_history, known, here),
        saw=workspace.read_state(),
    )


def _files(renames: RenameHistory, known: Mapping[str, Memory], memories: Iterable[Memory]) -> tuple[FileCount, ...]:
    """Return the files with the most memories; those of its former names count for a renamed file."""
    about = files_of(memories, lambda _memory, path: path)
    for path in sorted(about, key=lambda path: (-len(about[path]), path))[: 4 * FILES]:
        for former in renames.former_names(path, known):
            about.get(path, set()).update(about.pop(former, ()))
    return most_remembered(about)
