"""Recall and context on an open work tree: takes the snapshots, embeds the question, asks retrieval."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from muninn_core.context.pack import make_pack
from muninn_core.engine.citations import Look
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
from muninn_core.protocol.params import ContextParams, RecallParams
from muninn_core.protocol.results import ContextResult, RecallResult
from muninn_core.retrieval.recall import Focus, hit_of, memory_hit, speaks
from muninn_core.retrieval.recall import recall as ask

CANDIDATES: tuple[tuple[SourceKind, int], ...] = (("memory", 12), ("knowledge", 8), ("code", 16))
"""How many hits of each tier a pack chooses from."""


def recall(workspace: Workspace, params: RecallParams, scope: Scope, now: datetime) -> RecallResult:
    """Answer a question. Raises what `sight_of` raises."""
    sight = sight_of(workspace, params, now)
    scope.check()
    hits = ask(
        sight.reader,
        _vector(sight.embedder, params.query),
        sight.memories,
        params.query,
        limit=params.limit,
        now=sight.now,
        kind=params.kind,
        focus=Focus(session=params.session, task=task_of(workspace, params.task, params.session).code or None),
        standing=workspace.citations.look().of,
        bounds=bounds(workspace, sight.memories, params.scope, params.session, params.task),
        curated=curated(workspace, params.at),
        half_life=workspace.config.memory.half_life_days,
    )
    return RecallResult(hits=labelled(workspace, hits, sight.memories), saw=sight.saw)


def context(workspace: Workspace, params: ContextParams, scope: Scope, now: datetime) -> ContextResult:
    """Make a pack: pins, the task, and what recall finds of each tier. Raises what `sight_of` raises."""
    sight = sight_of(workspace, params, now)
    memories, now = sight.memories, sight.now
    seen = visible(workspace, params.scope, params.session)
    task = task_of(workspace, params.task, params.session).code
    within = bounds(workspace, memories, params.scope, params.session, None)
    vector = _vector(sight.embedder, params.query)
    focus = Focus(files=params.files, session=params.session, task=task or None)
    look = workspace.citations.look()
    pins = _memory_hits(memories.values(), now, lambda memory: memory.pinned and seen(memory), look)
    candidates = [("pin", hit) for hit in pins]
    if params.task:
        candidates += [("task", hit) for hit in _task_hits(workspace, sight, params.task, seen, look)]
    found: dict[SourceKind, Sequence[Hit]] = {}
    for kind, limit in CANDIDATES:
        if kind not in sight.kinds:
            continue
        scope.check()
        found[kind] = ask(
            sight.reader,
            vector,
            memories,
            params.query,
            limit=limit,
            now=now,
            kind=kind,
            focus=focus,
            standing=look.of,
            bounds=within,
            curated=curated(workspace, params.at),
            half_life=workspace.config.memory.half_life_days,
        )
    if params.at is None and params.scope != "session":
        decisions = touched(workspace, params.files, found.get("code", ()))
        found["knowledge"] = [*hits_of(decisions, sight.reader), *found.get("knowledge", ())]
    candidates += [(kind, hit) for kind, _ in CANDIDATES for hit in found.get(kind, ())]
    hits = labelled(workspace, tuple(hit for _, hit in candidates), memories)
    pack = make_pack(params.query, list(zip((tier for tier, _ in candidates), hits, strict=True)), params.budget)
    return ContextResult(
        text=pack.text,
        items=pack.items,
        tokens=pack.tokens,
        budget=params.budget,
        omitted=pack.omitted,
        saw=sight.saw,
    )


def _vector(embedder: Embedder, query: str) -> NDArray[np.float32] | None:
    vector = embedder.embed_query(query)
    return vector if vector.any() else None  # the model knows no word of it: words alone decide


def _memory_hits(memories: Iterable[Memory], now: datetime, wanted: Callable[[Memory], bool], look: Look) -> list[Hit]:
    """Return the memories that are wanted whatever the question, the most important and newest first."""
    found = [memory for memory in memories if wanted(memory) and speaks(memory, now)]
    found.sort(key=lambda memory: memory.id)
    found.sort(key=lambda memory: (memory.importance, memory.updated or memory.ts), reverse=True)
    return [memory_hit(memory, (), look.of(memory)) for memory in found]


def _task_hits(
    workspace: Workspace, sight: Sight, task: str, seen: Callable[[Memory], bool], look: Look
) -> Iterator[Hit]:
    """Return a task's document, by its short code or else by its file's name, and its memories."""
    document = workspace.documents.named(task)
    for path in sorted(sight.reader.files()):
        by_name = document is None and path.startswith(".metis/") and task.lower() in path.lower()
        if by_name or (document is not None and path == document.path):
            status = document.standing if document is not None else ""
            for chunk in sight.reader.chunks_of(path).values():
                yield replace(hit_of(chunk, None, ()), status=status)
    tasks = on_task(sight.memories, task) or frozenset()
    values = sight.memories.values()
    yield from _memory_hits(values, sight.now, lambda memory: memory.task in tasks and seen(memory), look)


def curated(workspace: Workspace, at: str | None) -> Callable[[str], tuple[bool, str] | None]:
    """Return what says how the decision at a path stands; about the past nothing is said."""

    def told(path: str) -> tuple[bool, str] | None:
        document = workspace.documents.of(path) if at is None else None
        if document is None or not (document.holds or document.retired):
            return None
        return document.holds, document.standing

    return told
