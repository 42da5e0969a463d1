"""Memories of the branches that a caller may read: lists, one in full, what links lead to, an overview.

Redacted memories and the notes of sessions are in none of them. Citations are as they were recorded: no work tree can
be compared with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from muninn_core.context.editor.hover import SHOWN, about_markdown
from muninn_core.engine.answer.memory_filters import changed_since, passes
from muninn_core.engine.file.file_notes import MAX_MEMORIES
from muninn_core.engine.file.place_memory import Remembered, nearest_first
from muninn_core.engine.memory.inspection.link_traversal import (
    Around,
    files_of,
    follow,
    linked_to,
    most_remembered,
    overview_of,
)
from muninn_core.engine.memory.lookup import memory_of
from muninn_core.model.citation import Citation
from muninn_core.model.counting import number_of
from muninn_core.model.memory import Memory
from muninn_core.model.value import replace
from muninn_core.org.answers.question import Question, ambiguous, plain_path, refuse_others
from muninn_core.org.reading.branches import ReadBranch
from muninn_core.protocol.families.editor import AboutParams, AboutResult
from muninn_core.protocol.families.inspection import (
    Access,
    LinksParams,
    LinksResult,
    MemoriesParams,
    MemoriesResult,
    OverviewParams,
    OverviewResult,
    ShowParams,
    ShowResult,
)
from muninn_core.protocol.families.repository import FocusStatus, ProjectStatus
from muninn_core.protocol.families.session import GivenCounts
from muninn_core.retrieval.decay import has_expired, is_recallable
from muninn_core.retrieval.graphs.link_graph import LinkGraph
from muninn_core.source.chunks.line_index import LineIndex
from muninn_core.worktree.knowledge.documents import SteeringDocuments
from muninn_core.worktree.memories.memory_index import MemoryIndex

OF_MEMORIES = frozenset(
    (
        *("id", "type", "tag", "file", "text", "min_importance", "since", "without_questions"),
        *("order", "archived", "limit", "offset"),
    )
)
OF_SHOW = frozenset(("id",))
OF_LINKS = frozenset(("id", "depth", "relation", "archived", "limit"))
OF_OVERVIEW = frozenset(("days", "importance", "limit"))
OF_ABOUT = frozenset(("file", "line", "name"))
"""The parameters of each verb that an organisation's memory takes."""

_NO_DOCUMENTS = SteeringDocuments({})


def memories(question: Question, params: MemoriesParams) -> MemoriesResult:
    """List memories that pass all filters, newest first or by importance.

    Raises BadParams, NotFoundError, UsageError for an ambiguous prefix.
    """
    refuse_others("memories", params, OF_MEMORIES)
    held = question.reader.memories
    if params.id is not None:
        found = [memory_of(held.shown(), params.id)]
    else:
        paths, recent = frozenset[str](), changed_since(params.since, question.now)
        if params.file:
            branch, path = question.split(params.file)
            paths = frozenset((plain_path(path),))
            held = held.of_branch(branch.id) if branch is not None else held
        found = [
            memory for memory in held.shown().values() if passes(memory, params, paths, question.now) and recent(memory)
        ]
        found.sort(key=lambda each: each.id, reverse=True)
        found.sort(key=lambda each: each.updated or each.ts, reverse=True)
        if params.order == "importance":
            found.sort(key=lambda each: -each.importance)
    page = found[params.offset : params.offset + params.limit]
    return MemoriesResult(
        memories=tuple(_at(memory, question.now) for memory in page),
        total=len(found),
        order=params.order,
        saw=question.saw,
    )


def show(question: Question, params: ShowParams) -> ShowResult:
    """Return one memory with its links. Raises NotFoundError, UsageError for an ambiguous prefix."""
    web = LinkGraph(question.reader.memories.shown())
    memory = memory_of(web.memories, params.id)
    links, linked = linked_to(web, memory, _seen)
    return ShowResult(
        memory=_at(memory, question.now),
        citations=_recorded(memory),
        links=links,
        linked=linked,
        access=Access(),
        given=GivenCounts(shown=0, used=0, confirmed=0, refuted=0),
        saw=question.saw,
    )


def links(question: Question, params: LinksParams) -> LinksResult:
    """Return the memories that links reach from a memory. Raises NotFoundError, UsageError for an ambiguous prefix."""
    refuse_others("links", params, OF_LINKS)
    found = follow(LinkGraph(question.reader.memories.shown()), params, question.now, _seen)
    return LinksResult(
        memories=tuple(found.memories),
        depths=found.depths,
        links=found.links,
        omitted=found.omitted,
        saw=question.saw,
    )


def overview(question: Question, params: OverviewParams) -> OverviewResult:
    """Return a summary of the memories: recent and important ones, their links, and counts."""
    refuse_others("overview", params, OF_OVERVIEW)
    known = question.reader.memories.shown()
    here = [memory for memory in known.values() if is_recallable(memory, question.now)]
    only = question.branches[0].repository if len(question.branches) == 1 else ""
    around = Around(
        project=ProjectStatus(name=only or number_of(len(question.branches), "repository", "repositories")),
        focus=FocusStatus(),
        files=most_remembered(files_of(here, _file_of)),
        saw=question.saw,
    )
    return overview_of(LinkGraph(known), here, params, question.now, _seen, around)


def about(question: Question, params: AboutParams) -> AboutResult:
    """Return what is remembered about a file, a line or a name, as markdown; see `nearest_first`.

    Raises BadParams for no path, and for one that several repositories have.
    """
    refuse_others("about", params, OF_ABOUT)
    branch, path = question.split(params.file)
    path = plain_path(path)
    held = {each.branch: each.id for each in question.reader.stored.at(path)}
    branch = branch or _branch_about(question, path, list(held))
    if branch is None:
        notice = f"{path} is in none of the repositories that you may read."
        return AboutResult(text="", ids=(), notice=notice, saw=question.saw)
    known = question.reader.memories.of_branch(branch.id).shown()
    index, now = MemoryIndex(lambda: known), question.now

    def recallable(found: Sequence[Memory]) -> list[Memory]:
        return sorted((each for each in found if is_recallable(each, now)), key=_age, reverse=True)

    of_path, number = recallable(index.by_files([path])), held.get(branch.id)
    text = question.reader.stored.texts([number]).get(number, "") if number is not None else ""
    remembered = Remembered(
        path,
        frozenset((path,)),
        of_path[:MAX_MEMORIES],
        {memory.id: _recorded(memory) for memory in of_path[:MAX_MEMORIES]},
        LineIndex(path, text) if number is not None else None,
        _NO_DOCUMENTS,
        _recorded,
        omitted=max(0, len(of_path) - MAX_MEMORIES),
    )
    ordered, more = nearest_first(remembered, params.line, params.name, lambda name: recallable(index.by_name(name)))
    shown = question.shown(branch.id, path)
    found = about_markdown(ordered, shown, _no_address, now, more=more)
    notice = "" if found or number is not None else f"{shown} is not in the pushed commit."
    ids = tuple(each.memory.id for each in ordered[:SHOWN] if each.memory is not None)
    return AboutResult(text=found, ids=ids, notice=notice, saw=question.saw)


def _branch_about(question: Question, path: str, held: Sequence[int]) -> ReadBranch | None:
    """Return the branch of the one repository with a file at a path, or else with memories about it."""
    names = {question.branches.names[branch] for branch in held} or {
        memory.repository
        for memory in question.reader.memories.shown().values()
        if path in memory.files or any(cite.path == path for cite in memory.cites)
    }
    if len(names) > 1:
        raise ambiguous(path, list(names))
    return question.branches.by_repository[names.pop()] if names else None


def _at(memory: Memory, now: datetime) -> Memory:
    return replace(memory, expired=True) if has_expired(memory, now) else memory


def _recorded(memory: Memory) -> tuple[Citation, ...]:
    """Return the citations of a memory as it recorded them."""
    return tuple(
        Citation(path=cite.path, start=cite.start, end=cite.end, symbol=cite.symbol or "") for cite in memory.cites
    )


def _file_of(memory: Memory, path: str) -> str:
    return f"{memory.repository}:{path}" if memory.repository else path


def _age(memory: Memory) -> tuple[str, str]:
    return memory.ts, memory.id


def _seen(_memory: Memory) -> bool:
    """Return True: a question sees all memories that the mapping has."""
    return True


def _no_address(_kind: str, _what: str) -> str:
    """Return no address: the files and documents are on no machine that the reader of an answer can open."""
    return ""
