"""Recall and context on an open work tree: takes the snapshots, embeds the question, asks retrieval."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from muninn_core.context.pack import make_pack
from muninn_core.engine.citations import Look
from muninn_core.engine.scope import Scope
from muninn_core.engine.sideindex import Joined
from muninn_core.engine.sight import Sight, labelled, sight_of
from muninn_core.engine.workspace import Workspace
from muninn_core.index.embed import Embedder
from muninn_core.index.snapshot import Snapshot
from muninn_core.model.answer import Hit
from muninn_core.model.chunk import SourceKind
from muninn_core.model.memory import Memory
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
        focus=Focus(session=params.session),
        standing=workspace.citations.look().of,
    )
    return RecallResult(hits=labelled(workspace, hits, sight.memories, _commit(params, sight)), saw=sight.saw)


def context(workspace: Workspace, params: ContextParams, scope: Scope, now: datetime) -> ContextResult:
    """Make a pack: pins, the task, and what recall finds of each tier. Raises what `sight_of` raises."""
    sight = sight_of(workspace, params, now)
    memories, now = sight.memories, sight.now
    vector = _vector(sight.embedder, params.query)
    focus = Focus(files=params.files, session=params.session, task=params.task)
    look = workspace.citations.look()
    candidates = [("pin", hit) for hit in _memory_hits(memories.values(), now, lambda memory: memory.pinned, look)]
    if params.task is not None:
        candidates += [("task", hit) for hit in _task_hits(sight.reader, memories.values(), params.task, now, look)]
    for kind, limit in CANDIDATES:
        if kind not in sight.kinds:
            continue
        scope.check()
        found = ask(
            sight.reader,
            vector,
            memories,
            params.query,
            limit=limit,
            now=now,
            kind=kind,
            focus=focus,
            standing=look.of,
        )
        candidates += [(kind, hit) for hit in found]
    hits = labelled(workspace, tuple(hit for _, hit in candidates), memories, _commit(params, sight))
    pack = make_pack(params.query, list(zip((tier for tier, _ in candidates), hits, strict=True)), params.budget)
    return ContextResult(
        text=pack.text,
        items=pack.items,
        tokens=pack.tokens,
        budget=params.budget,
        omitted=pack.omitted,
        saw=sight.saw,
    )


def _commit(params: RecallParams | ContextParams, sight: Sight) -> str | None:
    return sight.saw.commit if params.at is not None else None


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
    reader: Snapshot | Joined, memories: Iterable[Memory], task: str, now: datetime, look: Look
) -> Iterator[Hit]:
    """Return a task's document, where a file below .metis is named after it, and its memories."""
    for path in sorted(reader.files()):
        if path.startswith(".metis/") and task.lower() in path.lower():
            yield from (hit_of(chunk, None, ()) for chunk in reader.chunks_of(path).values())
    yield from _memory_hits(memories, now, lambda memory: memory.task == task, look)
