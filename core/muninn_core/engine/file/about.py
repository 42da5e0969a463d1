"""What is remembered about a line or a name, with the reason why each memory is shown."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from datetime import datetime

from muninn_core.context.about import SHOWN, Shown, about_markdown
from muninn_core.engine.file.file_notes import MOST_NAMED, Remembered, around, remembered
from muninn_core.engine.file.uris import linker
from muninn_core.engine.memory.remember_notices import missing
from muninn_core.engine.memory.scopes import visible
from muninn_core.model.citation import Citation
from muninn_core.model.memory import Memory
from muninn_core.protocol.editor import AboutParams, AboutResult
from muninn_core.protocol.inspection import Mention
from muninn_core.retrieval.decay import is_recallable
from muninn_core.worktree.bridges import BridgeCounts
from muninn_core.worktree.call import Call
from muninn_core.worktree.index_updater import IndexUpdater
from muninn_core.worktree.memory_index import names_of
from muninn_core.worktree.memory_store import MemoryStore
from muninn_core.worktree.workspace import Workspace

_Found = tuple[tuple[int, int, str], Shown]
"""An entry with its sort key: nearness, number of lines, id or path."""


def about(workspace: Workspace, params: AboutParams, call: Call, now: datetime) -> AboutResult:
    """Return what is remembered about a line or a name, as markdown.

    For a line it shows what cites the line, what cites or names the definition that begins there, and what names
    `params.name`. What is about the whole file is shown for the file and its first line only; elsewhere it is counted.
    Among equally near entries the newest comes first and text from outside last.
    """
    found = remembered(workspace, params.file, call, now)
    near = dict[str, _Found]()
    for rank, shown in (*_placed(found, params), *_named(workspace.memory, found, params, now)):
        key = shown.memory.id if shown.memory is not None else shown.document.path if shown.document else ""
        near.setdefault(key, (rank, shown))
    if params.line <= 1:
        for rank, shown in _whole(found):
            near.setdefault(rank[2], (rank, shown))
    newest = sorted(near.values(), key=lambda entry: entry[0][2], reverse=True)
    ordered = [shown for _, shown in sorted(newest, key=lambda entry: (*entry[0][:2], _is_outside(entry[1])))]
    more = 0 if params.line <= 1 else sum(memory.id not in near for memory in found.memories)
    ordered = labelled(workspace, ordered[:SHOWN]) + ordered[SHOWN:]
    is_file_level = params.line <= 1
    text = about_markdown(
        ordered,
        found.path,
        linker(workspace.layout.root, virtual=params.links),
        now,
        origin=workspace.origins.origin_of(found.path) if is_file_level else "",
        mentions=_mentions(workspace.updater, workspace.bridge_counts, found.path, ordered[:SHOWN])
        if is_file_level
        else (),
        more=more,
        rich=params.rich,
    )
    ids = tuple(shown.memory.id for shown in ordered[:SHOWN] if shown.memory is not None)
    exists = bool(text) or os.path.lexists(workspace.layout.root / found.path)
    notice = "" if exists else missing(found.path, workspace)
    return AboutResult(text=text, ids=ids, notice=notice, saw=workspace.read_state())


def _is_outside(shown: Shown) -> bool:
    return shown.memory is not None and shown.memory.trust == "outside"


def _placed(found: Remembered, params: AboutParams) -> Iterator[_Found]:
    """Yield memories that cite the line, each with its narrowest span."""
    for memory in found.memories:
        spans = [
            citation
            for citation in found.here(memory)
            if 0 < citation.start <= params.line <= citation.end and citation.state != "gone"
        ]
        if spans:
            citation = min(spans, key=lambda citation: citation.end - citation.start)
            yield (0, citation.end - citation.start, memory.id), _shown(found, memory, _cites(citation))


def _named(store: MemoryStore, found: Remembered, params: AboutParams, now: datetime) -> Iterator[_Found]:
    """Yield memories and documents of any file that cite or name the name, or the definition that begins on the
    line.
    """
    extents = found.page.extents if found.page else ()
    starting = [item.name for item in around(extents, params.line) if item.start == params.line]
    names = dict.fromkeys(name.rpartition(".")[2] for name in (params.name, *starting) if name)
    seen = visible(store, None, None)
    for name in names:
        memories = [memory for memory in store.index.by_name(name) if is_recallable(memory, now) and seen(memory)]
        for memory in sorted(memories, key=lambda item: (item.ts, item.id), reverse=True)[:MOST_NAMED]:
            cited = any((cite.symbol or "").rpartition(".")[2] == name for cite in memory.cites)
            if cited or name in names_of(memory):
                yield (
                    (1 if cited else 2, 0, memory.id),
                    _shown(found, memory, f"{'cites' if cited else 'names'} {name}"),
                )
        for document in found.library:
            if name in document.symbols and (document.in_force or document.retired):
                yield (2 if document.in_force else 4, 0, document.path), Shown(f"names {name}", document=document)


def whole_file(workspace: Workspace, found: Remembered) -> list[Shown]:
    """Return everything remembered about a file: pinned memories, memories of the whole file, then memories that cite
    lines.
    """
    ordered = [shown for _, shown in sorted(_whole(found), key=lambda one: one[0])]
    return labelled(workspace, ordered)


def _whole(found: Remembered) -> Iterator[_Found]:
    pins = [*filter(lambda memory: memory.pinned, found.memories)]
    rest = [memory for memory in found.memories if not memory.pinned]
    for number, memory in enumerate((*pins, *rest)):
        spans = [citation for citation in found.here(memory) if citation.start]
        why = _cites(spans[0]) if spans else "is about this file"
        yield (4 if spans else 3, number, memory.id), _shown(found, memory, why)
    for document in found.library:
        if document.in_force and found.path in document.files:
            yield (3, 0, document.path), Shown("names this file", document=document)


def _cites(citation: Citation) -> str:
    lines = f"line {citation.start}" if citation.start == citation.end else f"lines {citation.start}-{citation.end}"
    what = f"{citation.symbol}, {lines}" if citation.symbol else lines
    state = {"fresh": "unchanged", "moved": f"moved from {citation.was}", "drifted": "changed since"}.get(
        citation.state, ""
    )
    return f"cites {what}" + (f" · {state}" if state else "")


def _shown(found: Remembered, memory: Memory, why: str) -> Shown:
    citations: Sequence[Citation] | None = found.citations.get(memory.id)
    return Shown(why, memory=memory, citations=found.checker.judge(memory) if citations is None else citations)


def labelled(workspace: Workspace, shown: list[Shown]) -> list[Shown]:
    """Return entries whose memories have the state of their commit and their author."""
    memories = [each.memory for each in shown if each.memory is not None]
    works = workspace.first_authors.label(workspace.work_states.label(memories))
    by_id = {memory.id: memory for memory in works}
    return [each._replace(memory=by_id[each.memory.id]) if each.memory is not None else each for each in shown]


def _mentions(
    updater: IndexUpdater, bridge_counts: BridgeCounts, path: str, shown: Sequence[Shown]
) -> Sequence[Mention]:
    """Return the mentions of a file in other tools' memory, without documents that are already shown."""
    index = updater.index
    shown_paths = {each.document.path for each in shown if each.document is not None}
    found = bridge_counts.mentions(index.snapshot(), path) if index is not None else ()
    return [mention for mention in found if mention.path not in shown_paths]
