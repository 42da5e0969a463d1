"""Notes on one file: the memories about it at their current lines, and doubts about them.

Editors show notes on every line, so the look-up is limited to the file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from muninn_core.context.editor.annotation import lenses
from muninn_core.context.memory_summary import headline
from muninn_core.engine.file.place_memory import MAX_NAMED, Remembered
from muninn_core.engine.file.pointers import pointers
from muninn_core.engine.memory.drafting.scopes import visible
from muninn_core.model.byline import writer
from muninn_core.model.citation import Citation
from muninn_core.model.memory import Memory
from muninn_core.model.note import Doubt, Note, Spot
from muninn_core.protocol.families.editor import AnnotateParams, AnnotateResult
from muninn_core.reconcile.citations.file_source import Unknown
from muninn_core.reconcile.comment_conflicts import contradiction_reason, find_objection
from muninn_core.retrieval.decay import is_recallable
from muninn_core.source.chunks.line_index import LineIndex
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.citations.citations import CitationCheck
from muninn_core.worktree.citations.overlays import with_overlays
from muninn_core.worktree.history.branches import WorkStates
from muninn_core.worktree.memories.memory_store import MemoryStore
from muninn_core.worktree.paths import relative_path
from muninn_core.worktree.workspace import Workspace

MAX_MEMORIES = 500
"""The most memories of a file, the newest first."""

CITATION_SECONDS = 0.04
"""The time limit for judging the citations of a file; the next answer judges the others."""

RULES = frozenset({"constraint", "decision"})
"""Memory types that code can violate."""


def remembered(workspace: Workspace, given: str, call: CallContext, now: datetime) -> Remembered:
    """Return what is remembered about a file. Raises BadParams for a path outside the repository."""
    path = relative_path(given, workspace.layout.root)
    known = workspace.memory.all()
    names = frozenset({path, *workspace.rename_history.former_names(path, known)})
    checker = with_overlays(workspace.citations, call.buffers).checker(CITATION_SECONDS)
    page = _page(checker, path)
    seen = visible(workspace.memory, None, None)
    of_file = {
        memory.id: memory
        for memory in workspace.memory.index.by_files(names)
        if is_recallable(memory, now) and seen(memory)
    }
    ordered = sorted(of_file.values(), key=lambda memory: (memory.ts, memory.id), reverse=True)
    memories = ordered[:MAX_MEMORIES]
    call.raise_if_cancelled()
    moved = (
        [
            memory
            for name in sorted({one.name.rpartition(".")[2] for one in page.extents})
            for memory in _unless_common(workspace.memory.index.by_name(name))
            if memory.id not in of_file and memory.cites and is_recallable(memory, now) and seen(memory)
        ]
        if page
        else []
    )
    citations = checker.judge_all([*memories, *moved])
    moved_here = {each.id: each for each in moved if any(one.path == path for one in citations.get(each.id, ()))}
    memories = sorted([*memories, *moved_here.values()], key=lambda memory: (memory.ts, memory.id), reverse=True)
    pending = sum(one in checker.late for found in citations.values() for one in found)
    return Remembered(
        path,
        names,
        memories,
        citations,
        page,
        workspace.documents.read(),
        checker.judge,
        checker.late,
        max(0, len(ordered) - MAX_MEMORIES),
        pending,
    )


def annotate(workspace: Workspace, params: AnnotateParams, call: CallContext, now: datetime) -> AnnotateResult:
    """Return the notes on a file, its lenses, doubts and pointers."""
    found = remembered(workspace, params.file, call, now)
    notes = _notes(found)
    return AnnotateResult(
        path=found.path,
        notes=tuple(notes),
        lenses=lenses(notes, found.page.extents if found.page else ()),
        doubts=tuple(_doubts(workspace.work_states, workspace.memory, found)),
        pointers=tuple(pointers(found.page.text, workspace.memory.all(), found.library)) if found.page else (),
        omitted=found.omitted,
        pending=found.pending,
        saw=workspace.read_state(),
    )


def _unless_common(memories: list[Memory]) -> list[Memory]:
    return memories if len(memories) <= MAX_NAMED else []


def _page(checker: CitationCheck, path: str) -> LineIndex | None:
    try:
        return checker.page(path)
    except Unknown:
        return None


def _notes(found: Remembered) -> list[Note]:
    notes = [note for memory in found.memories for note in _notes_of(memory, found)]
    notes += [
        Note(id="", path=each.path, type="adr", title=each.title or each.name, trust="user")
        for each in found.library
        if each.in_force and found.path in each.files
    ]
    return sorted(notes, key=lambda note: (note.start, note.end, note.id, note.path))


def _notes_of(memory: Memory, found: Remembered) -> list[Note]:
    def note(one: Citation | None) -> Note:
        return Note(
            id=memory.id,
            path="",
            type=memory.type,
            title=headline(memory),
            start=one.start if one else 0,
            end=one.end if one else 0,
            symbol=one.symbol if one else "",
            state=one.state if one else "",
            trust=memory.trust,
            author=writer(memory.author, memory.actor, memory.agent),
            ts=memory.ts,
        )

    # A citation that was not checked for lack of time is left out: its lines may be outdated.
    cited = [one for one in found.here(memory) if (one.start or one.symbol) and one not in found.late]
    return [note(one) for one in dict.fromkeys(cited)] or [note(None)]


def _doubts(work_states: WorkStates, store: MemoryStore, found: Remembered) -> list[Doubt]:
    """Return warnings and information about a file's memories; a wrong warning costs more than a missed one.

    Text from outside and work that HEAD does not contain give no doubts. Drifted code is information. It is a warning
    for a constraint or decision in three cases: a definition that it cites is gone from an existing file; a comment of
    the changed code denies it; a newer memory of the same code denies it or has an open conflict with it.
    """
    doubts = []
    labelled = {memory.id: memory for memory in work_states.label(found.memories)}
    for memory in labelled.values():
        if memory.trust == "outside" or memory.work in ("reverted", "abandoned", "unmerged"):
            continue
        for citation in found.here(memory):
            if citation.state == "drifted" and citation.start:
                doubts.append(_drifted(store, memory, citation, found, labelled))
            elif citation.state == "gone" and citation.symbol and memory.type in RULES and found.page is not None:
                doubts.append(_gone(memory, citation))
    return sorted(doubts, key=lambda doubt: (doubt.start, doubt.end, doubt.id))


def _gone(memory: Memory, citation: Citation) -> Doubt:
    message = f"What this {memory.type} is about is no longer here: `{citation.symbol}`. {headline(memory)}"
    return Doubt(
        level="warning",
        rule="gone",
        start=1,
        end=1,
        message=message,
        id=memory.id,
        related=(Spot(message=headline(memory), id=memory.id),),
    )


def _drifted(
    store: MemoryStore, memory: Memory, citation: Citation, found: Remembered, memories: Mapping[str, Memory]
) -> Doubt:
    against = _against(store, memory, citation, found, memories) if memory.type in RULES else None
    if against is not None:
        start = against.start if against.path else citation.start
        end = against.end if against.path else citation.end
        message = f"This contradicts a {memory.type}: {headline(memory)} ({against.message})"
        related = (Spot(message=headline(memory), id=memory.id), against)
        return Doubt(
            level="warning", rule="contradicted", start=start, end=end, message=message, id=memory.id, related=related
        )
    kind = memory.type.replace("_", " ")
    article = "an" if kind[0] in "aeiou" else "a"
    message = f"This code has changed since {article} {kind} cited it: {headline(memory)}"
    return Doubt(
        level="information",
        rule="drifted",
        start=citation.start,
        end=citation.end,
        message=message,
        id=memory.id,  # without a related place: the hover of these lines has the memory's card
    )


def _against(
    store: MemoryStore, memory: Memory, citation: Citation, found: Remembered, memories: Mapping[str, Memory]
) -> Spot | None:
    """Return what denies a rule whose code has changed: a comment in the code, else a newer memory about it."""
    page = found.page
    denied = find_objection(memory, page.span(citation.start, citation.end), citation.start) if page else None
    if denied is not None:
        message = f"{denied.reason}: “{denied.text}”"
        return Spot(message=message, path=found.path, start=denied.line, end=denied.line)
    disputed = {
        other: dispute.reason
        for dispute in store.log.state.conflicts
        for side, other in ((dispute.left, dispute.right), (dispute.right, dispute.left))
        if side == memory.id
    }
    for other in memories.values():
        newer = (other.ts, other.id) > (memory.ts, memory.id) and other.trust != "outside"
        if newer and _overlap(found.here(other), citation):
            reason = disputed.get(other.id) or contradiction_reason(memory, other)
            if reason:
                return Spot(message=f"{reason}: {headline(other)}", id=other.id)
    return None


def _overlap(citations: Sequence[Citation], citation: Citation) -> bool:
    return any(each.start and each.start <= citation.end and citation.start <= each.end for each in citations)
