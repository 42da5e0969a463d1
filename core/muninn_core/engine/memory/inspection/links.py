"""The links between the memories of a work tree: what a memory links to, one memory in full, an overview of all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

from muninn_core.engine.memory.drafting.scopes import visible
from muninn_core.engine.memory.inspection.link_traversal import (
    FILES,
    Around,
    files_of,
    follow,
    linked_to,
    most_remembered,
    overview_of,
)
from muninn_core.engine.memory.lookup import memory_of
from muninn_core.model.memory import Memory
from muninn_core.model.value import replace
from muninn_core.protocol.families.inspection import (
    FileCount,
    LinksParams,
    LinksResult,
    OverviewParams,
    OverviewResult,
    ShowParams,
    ShowResult,
)
from muninn_core.protocol.families.repository import ProjectStatus
from muninn_core.protocol.families.session import GivenCounts
from muninn_core.retrieval.decay import has_expired
from muninn_core.source.documents.project import read_project
from muninn_core.worktree.current_task import focus
from muninn_core.worktree.history.renames import RenameHistory
from muninn_core.worktree.workspace import Workspace


def links(workspace: Workspace, params: LinksParams, now: datetime) -> LinksResult:
    """Return the memories that links reach from a memory. Raises NotFoundError, or UsageError for an ambiguous
    prefix.
    """
    web = workspace.memory.link_graph(workspace.memory.all())
    found = follow(web, params, now, visible(workspace.memory, None, params.session))
    return LinksResult(
        memories=workspace.labelled(found.memories),
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
    (memory,) = workspace.labelled([memory_of(known, params.id)])
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
    memories = [memory for memory in workspace.memory.recallable().values() if seen(memory)]
    project = read_project(workspace.layout.root)
    around = Around(
        project=ProjectStatus(name=project.name, description=project.description),
        focus=focus(workspace, memories, params.session),
        files=_files(workspace.rename_history, known, memories),
        saw=workspace.read_state(),
        labelled=workspace.labelled,
    )
    return overview_of(workspace.memory.link_graph(known), memories, params, now, seen, around)


def _files(renames: RenameHistory, known: Mapping[str, Memory], memories: Iterable[Memory]) -> tuple[FileCount, ...]:
    """Return the files with the most memories; those of its former names count for a renamed file."""
    about = files_of(memories, lambda _memory, path: path)
    for path in sorted(about, key=lambda path: (-len(about[path]), path))[: 4 * FILES]:
        for former in renames.former_names(path, known):
            about.get(path, set()).update(about.pop(former, ()))
    return most_remembered(about)
