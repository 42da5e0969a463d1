"""What contexts ask of retrieval on an open work tree: hits for a question, and those that come without one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial

import numpy as np
from numpy.typing import NDArray

from muninn_core.engine.answer.recall_request import RecallRequest
from muninn_core.engine.answer.search_context import SearchContext
from muninn_core.engine.memory.scopes import bounds, on_task, visible
from muninn_core.index.embed import Embedder
from muninn_core.index.vocabulary import is_common
from muninn_core.model.answer import Hit
from muninn_core.model.memory import Memory
from muninn_core.model.value import replace
from muninn_core.protocol.search import ContextParams, RecallParams
from muninn_core.retrieval.evolution import UNKNOWN, Evolution
from muninn_core.retrieval.file_prior import FilePrior
from muninn_core.retrieval.filtering import apply_filters
from muninn_core.retrieval.informative_terms import limit_terms
from muninn_core.retrieval.recall import FilePriorLookup, Focus, Hybrid, hit_of, is_recallable, memory_hit
from muninn_core.retrieval.recall import recall as ask
from muninn_core.retrieval.spelling import meant
from muninn_core.worktree.citations import CitationCheck
from muninn_core.worktree.current_task import task_of
from muninn_core.worktree.documents import SteeringDocuments
from muninn_core.worktree.workspace import Workspace

MOST_NAMED = 300
"""How many pins, and memories of a task, come into question for a context."""


def joined(found: Sequence[Hit], further: Sequence[Hit]) -> list[Hit]:
    """Return the hits of both, best first; one that is in both has the reasons of both."""
    by_id = {hit.id: hit for hit in found}
    for hit in further:
        known = by_id.get(hit.id)
        if known is not None:
            score = round(known.score + hit.score, 4)
            hit = replace(known, why=(*known.why, *hit.why), score=score, status=hit.status)
        by_id[hit.id] = hit
    return sorted(by_id.values(), key=lambda hit: (-hit.score, hit.path, hit.start_line))


def asking(
    workspace: Workspace,
    params: ContextParams,
    sight: SearchContext,
    look: CitationCheck,
    files: Sequence[str],
    asked: RecallRequest | None,
) -> Callable[..., tuple[Hit, ...]]:
    """Return what asks retrieval for hits of a `kind`, up to a `limit`; all else is said here. Embeds the question.

    `files` are those at hand; `asked` is the query, understood, whose filters and phrases narrow what is found.
    """
    task = task_of(workspace, sight.documents, params.task, params.session).code
    text, _ = limit_terms(params.query, sight.reader.frequency)
    text = " ".join((text, *meant(text, sight.reader, is_common).values()))
    within = bounds(workspace, sight.documents, sight.memories, params.scope, params.session, None)
    if asked is not None and asked.narrow:
        narrowing = apply_filters(
            sight.reader, within, sight.memories, asked.sieve, asked.phrases, asked.without, sight.now
        )
        within = narrowing.bounds
    return partial(
        ask,
        sight.reader,
        vector_of(sight.embedder, text),
        sight.memories,
        text,
        now=sight.now,
        focus=Focus(files=files, session=params.session, task=task or None),
        standing=look.judge,
        bounds=within,
        curated=curated(sight.documents, params.at),
        half_life=workspace.config.memory.half_life_days,
        witnesses=_once(witnesses_of(workspace, params, sight)),
        hybrid=hybrid_of(workspace),
        evolution=evolution_of(workspace, params),
    )


def evolution_of(workspace: Workspace, params: RecallParams | ContextParams) -> Evolution:
    """Return what history says of files; of the past nothing is said, since no code is searched there."""
    return workspace.evolution.current() if params.at is None else UNKNOWN


def _once(told: FilePriorLookup) -> FilePriorLookup:
    """Return what remembers its answers: each kind of source is asked for by the same words."""
    known: dict[tuple[str, ...], Mapping[str, FilePrior]] = {}

    def once(words: Sequence[str]) -> Mapping[str, FilePrior]:
        key = tuple(words)
        if key not in known:
            known[key] = told(words)
        return known[key]

    return once


def witnesses_of(workspace: Workspace, params: RecallParams | ContextParams, sight: SearchContext) -> FilePriorLookup:
    """Return what says what memory says of files; of the past there is no code that it could speak for."""
    if params.at is not None:
        return lambda _words: {}
    seen = visible(workspace, params.scope, params.session)
    return partial(workspace.memory.file_priors.lookup, now=sight.now, seen=seen)


def searched_commit(params: ContextParams, sight: SearchContext) -> str | None:
    """Return the commit that was asked about, None for the work tree."""
    return sight.saw.commit if params.at is not None else None


def hybrid_of(workspace: Workspace) -> Hybrid:
    """Return what the signals of memories weigh in a project."""
    chosen = workspace.config.ranking
    return Hybrid(chosen.words, chosen.meaning, chosen.graph, chosen.importance, chosen.recency)


def vector_of(embedder: Embedder, query: str) -> NDArray[np.float32] | None:
    """Return a question's vector; None when the model knows no word of it: words alone decide then."""
    vector = embedder.embed_query(query)
    return vector if vector.any() else None


def memory_hits(
    memories: Iterable[Memory], now: datetime, wanted: Callable[[Memory], bool], look: CitationCheck
) -> list[Hit]:
    """Return the memories that are wanted whatever the question, the most important and newest first.

    More than `MOST_NAMED` fit into no budget that anybody would read.
    """
    found = [memory for memory in memories if wanted(memory) and is_recallable(memory, now)]
    found.sort(key=lambda memory: memory.id)
    found.sort(key=lambda memory: (memory.importance, memory.updated or memory.ts), reverse=True)
    return [memory_hit(memory, (), look.judge(memory)) for memory in found[:MOST_NAMED]]


def task_hits(sight: SearchContext, task: str, seen: Callable[[Memory], bool], look: CitationCheck) -> Iterator[Hit]:
    """Return a task's document, by its short code or else by its file's name, and its memories."""
    document = sight.documents.with_code(task)
    for path in sorted(sight.reader.files()):
        by_name = document is None and path.startswith(".metis/") and task.lower() in path.lower()
        if by_name or (document is not None and path == document.path):
            status = document.standing if document is not None else ""
            for chunk in sight.reader.chunks_of(path).values():
                yield replace(hit_of(chunk, None, ()), status=status)
    tasks = on_task(sight.memories, task) or frozenset()
    values = sight.memories.values()
    yield from memory_hits(values, sight.now, lambda memory: memory.task in tasks and seen(memory), look)


def curated(library: SteeringDocuments, at: str | None) -> Callable[[str], tuple[bool, str] | None]:
    """Return what says how the decision at a path stands; about the past nothing is said."""

    def told(path: str) -> tuple[bool, str] | None:
        document = library.at_path(path) if at is None else None
        if document is None or not (document.holds or document.retired):
            return None
        return document.holds, document.standing

    return told
