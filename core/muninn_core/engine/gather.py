"""Context on an open work tree: takes the snapshots, embeds the question, asks retrieval."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial

import numpy as np
from numpy.typing import NDArray

from muninn_core.context.pack import make_pack
from muninn_core.engine.citations import Look
from muninn_core.engine.documents import Library
from muninn_core.engine.focus import task_of
from muninn_core.engine.scope import Scope
from muninn_core.engine.scopes import bounds, on_task, visible
from muninn_core.engine.sight import Sight, labelled, sight_of
from muninn_core.engine.subjects import hits_of, touched
from muninn_core.engine.workspace import Workspace
from muninn_core.index.embed import Embedder
from muninn_core.model.answer import Hit
from muninn_core.model.chunk import SourceKind
from muninn_core.model.memory import Memory
from muninn_core.model.value import replace
from muninn_core.protocol.params import ContextParams
from muninn_core.protocol.results import ContextResult
from muninn_core.retrieval.recall import Focus, hit_of, memory_hit, speaks
from muninn_core.retrieval.recall import recall as ask

CANDIDATES: tuple[tuple[SourceKind, int], ...] = (("memory", 12), ("knowledge", 8), ("code", 16))
"""How many hits of each tier a pack chooses from."""


def context(workspace: Workspace, params: ContextParams, scope: Scope, now: datetime) -> ContextResult:
    """Make a pack: pins, the task, and what recall finds of each tier. Raises what `sight_of` raises."""
    sight = sight_of(workspace, params, now)
    library, look = workspace.documents.look(), workspace.citations.look()
    seen = visible(workspace, params.scope, params.session)
    values = sight.memories.values()
    pins = _memory_hits(values, sight.now, lambda memory: memory.pinned and seen(memory), look)
    candidates = [("pin", hit) for hit in pins]
    if params.task:
        candidates += [("task", hit) for hit in _task_hits(library, sight, params.task, seen, look)]
    asked = _asking(workspace, params, sight, library, look)
    found: dict[SourceKind, Sequence[Hit]] = {}
    for kind, limit in CANDIDATES:
        if kind in sight.kinds:
            scope.check()
            found[kind] = asked(kind=kind, limit=limit)
    if params.at is None and params.scope != "session":
        decisions = touched(workspace, library, params.files, found.get("code", ()))
        found["knowledge"] = _joined(found.get("knowledge", ()), hits_of(decisions, sight.reader))
    candidates += [(kind, hit) for kind, _ in CANDIDATES for hit in found.get(kind, ())]
    hits = labelled(workspace, tuple(hit for _, hit in candidates), sight.memories, _commit(params, sight))
    pack = make_pack(params.query, list(zip((tier for tier, _ in candidates), hits, strict=True)), params.budget)
    return ContextResult(
        text=pack.text,
        items=pack.items,
        tokens=pack.tokens,
        budget=params.budget,
        omitted=pack.omitted,
        saw=sight.saw,
    )


def _joined(found: Sequence[Hit], further: Sequence[Hit]) -> list[Hit]:
    """Return the hits of both, best first; one that is in both has the reasons of both."""
    by_id = {hit.id: hit for hit in found}
    for hit in further:
        known = by_id.get(hit.id)
        if known is not None:
            score = round(known.score + hit.score, 4)
            hit = replace(known, why=(*known.why, *hit.why), score=score, status=hit.status)
        by_id[hit.id] = hit
    return sorted(by_id.values(), key=lambda hit: (-hit.score, hit.path, hit.start_line))


def _asking(
    workspace: Workspace, params: ContextParams, sight: Sight, library: Library, look: Look
) -> Callable[..., tuple[Hit, ...]]:
    """Return what asks retrieval for hits of a `kind`, up to a `limit`; all else is said here. Embeds the question."""
    task = task_of(workspace, library, params.task, params.session).code
    return partial(
        ask,
        sight.reader,
        vector_of(sight.embedder, params.query),
        sight.memories,
        params.query,
        now=sight.now,
        focus=Focus(files=params.files, session=params.session, task=task or None),
        standing=look.of,
        bounds=bounds(workspace, library, sight.memories, params.scope, params.session, None),
        curated=curated(library, params.at),
        half_life=workspace.config.memory.half_life_days,
    )


def _commit(params: ContextParams, sight: Sight) -> str | None:
    return sight.saw.commit if params.at is not None else None


def vector_of(embedder: Embedder, query: str) -> NDArray[np.float32] | None:
    """Return a question's vector; None when the model knows no word of it: words alone decide then."""
    vector = embedder.embed_query(query)
    return vector if vector.any() else None


def _memory_hits(memories: Iterable[Memory], now: datetime, wanted: Callable[[Memory], bool], look: Look) -> list[Hit]:
    """Return the memories that are wanted whatever the question, the most important and newest first."""
    found = [memory for memory in memories if wanted(memory) and speaks(memory, now)]
    found.sort(key=lambda memory: memory.id)
    found.sort(key=lambda memory: (memory.importance, memory.updated or memory.ts), reverse=True)
    return [memory_hit(memory, (), look.of(memory)) for memory in found]


def _task_hits(library: Library, sight: Sight, task: str, seen: Callable[[Memory], bool], look: Look) -> Iterator[Hit]:
    """Return a task's document, by its short code or else by its file's name, and its memories."""
    document = library.named(task)
    for path in sorted(sight.reader.files()):
        by_name = document is None and path.startswith(".metis/") and task.lower() in path.lower()
        if by_name or (document is not None and path == document.path):
            status = document.standing if document is not None else ""
            for chunk in sight.reader.chunks_of(path).values():
                yield replace(hit_of(chunk, None, ()), status=status)
    tasks = on_task(sight.memories, task) or frozenset()
    values = sight.memories.values()
    yield from _memory_hits(values, sight.now, lambda memory: memory.task in tasks and seen(memory), look)


def curated(library: Library, at: str | None) -> Callable[[str], tuple[bool, str] | None]:
    """Return what says how the decision at a path stands; about the past nothing is said."""

    def told(path: str) -> tuple[bool, str] | None:
        document = library.of(path) if at is None else None
        if document is None or not (document.holds or document.retired):
            return None
        return document.holds, document.standing

    return told
