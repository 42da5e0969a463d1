"""The search of a context, and the hits that a context adds without searching: pins and those of a task."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from muninn_core.config import Config
from muninn_core.engine.answer.question_text import question_vector, read_question_text
from muninn_core.engine.answer.recall_request import ParsedRecall
from muninn_core.engine.answer.search_context import SearchContext
from muninn_core.engine.memory.drafting.scopes import on_task, scope_bounds, visible
from muninn_core.index.embedding.embed import Embedder, Encoded, Encoder
from muninn_core.model.answer import Hit
from muninn_core.model.memory import Memory
from muninn_core.model.value import replace
from muninn_core.protocol.families.search import ContextParams, RecallParams
from muninn_core.retrieval.candidates.filtering import Filtering, Restrictions, apply_filters
from muninn_core.retrieval.concurrent import LARGE, start_encoding
from muninn_core.retrieval.decay import is_recallable
from muninn_core.retrieval.query.spelling import corrections
from muninn_core.retrieval.rankers.relevance import Relevance
from muninn_core.retrieval.reader import Reader
from muninn_core.retrieval.request import Bounds, EncodedQuestion, Focus, SearchRequest
from muninn_core.retrieval.results.hits import hit_of, memory_hit
from muninn_core.retrieval.results.ranking import DecisionLookup
from muninn_core.retrieval.signals.file_prior import FilePrior
from muninn_core.retrieval.signals.scoring import MemoryWeights
from muninn_core.worktree.citations.citations import CitationCheck
from muninn_core.worktree.current_task import task_of
from muninn_core.worktree.knowledge.documents import SteeringDocuments
from muninn_core.worktree.workspace import Workspace

MAX_NAMED = 300
"""The most pinned memories, and the most memories of a task, that a context chooses from."""


def joined(found: Sequence[Hit], further: Sequence[Hit]) -> list[Hit]:
    """Return the hits of both lists, best first; a hit in both has the reasons of both."""
    by_id = {hit.id: hit for hit in found}
    for hit in further:
        known = by_id.get(hit.id)
        if known is not None:
            score = round(known.score + hit.score, 4)
            hit = replace(known, why=(*known.why, *hit.why), score=score, status=hit.status)
        by_id[hit.id] = hit
    return sorted(by_id.values(), key=lambda hit: (-hit.score, hit.path, hit.start_line))


def search_request(
    workspace: Workspace,
    params: ContextParams,
    searched: SearchContext,
    files: Sequence[str],
    parsed: ParsedRecall | None,
) -> SearchRequest:
    """Return the search of a context without `kind` and `limit`, which the caller sets. Embeds the question.

    `files` is the working set. The filters and phrases of `parsed`, the parsed query, restrict the hits.
    """
    task = task_of(workspace, searched.documents, params.task, params.session).code
    text, title, named, _ = read_question_text(params.query, searched.reader)
    text = " ".join((text, *corrections(text, searched.own, searched.is_word).values()))
    bounds = scope_bounds(workspace.memory, searched.documents, searched.memories, params.scope, params.session, None)
    if parsed is not None and parsed.is_restricted:
        bounds = restricted(workspace, searched, bounds, parsed.restrictions).bounds
    terms = relevance(workspace, params, searched)
    return SearchRequest(
        text=text,
        title=title,
        named=named,
        vector=question_vector(searched.embedder, text, title),
        encoded=later_encoded(workspace, searched.reader, searched.memories, text),
        memories=searched.memories,
        limit=0,
        now=searched.now,
        terms=terms,
        bounds=bounds,
        focus=Focus(files=files, session=params.session, task=task or None),
    )


def restricted(workspace: Workspace, searched: SearchContext, bounds: Bounds, restrictions: Restrictions) -> Filtering:
    """Return `bounds` narrowed to what the restrictions of a question admit."""
    table = workspace.memory.table_of(searched.memories)
    return apply_filters(searched.reader, bounds, searched.memories, restrictions, searched.now, table)


def relevance(workspace: Workspace, params: RecallParams | ContextParams, searched: SearchContext) -> Relevance:
    """Return the default ranking with the work tree's file priors. Each lookup runs once in an answer.

    For a past revision the priors are empty, since its code is not indexed.
    """
    decisions = decision_lookup(searched.documents, params.at)
    half_life, weights = workspace.config.memory.half_life_days, memory_weights(workspace.config)
    if params.at is not None:
        return Relevance(decisions, half_life, weights)
    seen = visible(workspace.memory, params.scope, params.session)
    sessions = workspace.memory.sessions
    evolution, votes = cache(workspace.evolution.current), cache(workspace.evolution.votes)

    @cache
    def priors(words: tuple[str, ...]) -> Mapping[str, FilePrior]:
        project = params.scope != "session"
        return workspace.memory.file_priors.lookup(words, searched.now, seen, votes().ids, project=project)

    return Relevance(decisions, half_life, weights, priors, evolution, sessions, votes)


def searched_commit(params: ContextParams, searched: SearchContext) -> str | None:
    """Return the commit that the question names, None for the work tree."""
    return searched.saw.commit if params.at is not None else None


def memory_weights(config: Config) -> MemoryWeights:
    """Return the configured weights of memory signals."""
    chosen = config.ranking
    return MemoryWeights(chosen.words, chosen.meaning, chosen.graph, chosen.importance, chosen.recency)


def vector_of(embedder: Embedder, query: str) -> NDArray[np.float32] | None:
    """Return the vector of a question; None when it is zero, so when the model has none of the words."""
    vector = embedder.embed_query(query)
    return vector if vector.any() else None


def encoded_question(workspace: Workspace, reader: Reader, memories: Mapping[str, Memory], text: str) -> Encoded | None:
    """Return what the text encoder returns for a question about memories.

    None without the encoder or memories, and while a memory is not encoded: memories are then compared by the table.
    """
    encoder = workspace.encoder
    if encoder is None or not memories or not reader.encoded:
        return None
    return encoded_text(encoder, text)


class _LaterEncoded:
    """A question that is encoded when it is first compared, or `ahead` on another thread, while words are searched."""

    def __init__(self, encoder: Encoder, text: str, *, ahead: bool) -> None:
        self._encoder = encoder
        self._text = text
        if ahead:
            start_encoding(encoder.encode_query, text)

    @cached_property
    def _encoded(self) -> Encoded:
        return self._encoder.encode_query(self._text)

    @property
    def vector(self) -> NDArray[np.float32]:
        return self._encoded.vector

    @property
    def states(self) -> NDArray[np.float32]:
        return self._encoded.states


def later_encoded(
    workspace: Workspace, reader: Reader, memories: Mapping[str, Memory], text: str
) -> EncodedQuestion | None:
    """Return what `encoded_question` does, encoded later; None for a blank question, too.

    In a large index the words are searched on other threads, so that the question is encoded on this one.
    """
    encoder = workspace.encoder
    if encoder is None or not memories or not reader.encoded or not text.strip():
        return None
    return _LaterEncoded(encoder, text, ahead=reader.documents < LARGE)


def encoded_text(encoder: Encoder, text: str) -> Encoded | None:
    """Return what the text encoder returns for a text; None for a blank one."""
    encoded = encoder.encode_query(text)
    return encoded if encoded.vector.any() else None


def memory_hits(
    memories: Iterable[Memory], now: datetime, wanted: Callable[[Memory], bool], checker: CitationCheck
) -> list[Hit]:
    """Return at most `MAX_NAMED` of the `wanted` memories, the most important and newest first."""
    found = [memory for memory in memories if wanted(memory) and is_recallable(memory, now)]
    found.sort(key=lambda memory: memory.id)
    found.sort(key=lambda memory: (memory.importance, memory.updated or memory.ts), reverse=True)
    return [memory_hit(memory, (), checker.judge(memory)) for memory in found[:MAX_NAMED]]


def task_hits(
    searched: SearchContext, task: str, seen: Callable[[Memory], bool], checker: CitationCheck
) -> Iterator[Hit]:
    """Yield hits for a task's document, found by short code or else by file name, and for the task's memories."""
    document = searched.documents.with_code(task)
    for path in sorted(searched.reader.files()):
        by_name = document is None and path.startswith(".metis/") and task.lower() in path.lower()
        if by_name or (document is not None and path == document.path):
            status = document.status_text if document is not None else ""
            for chunk in searched.reader.chunks_of(path).values():
                yield replace(hit_of(chunk, None, ()), status=status)
    tasks = on_task(searched.memories, task) or frozenset()
    values = searched.memories.values()
    yield from memory_hits(values, searched.now, lambda memory: memory.task in tasks and seen(memory), checker)


def decision_lookup(library: SteeringDocuments, at: str | None) -> DecisionLookup:
    """Return the lookup {path: (in force, status)} of decision records; for a revision `at` it is empty."""

    def status(path: str) -> tuple[bool, str] | None:
        document = library.at_path(path) if at is None else None
        if document is None or not (document.in_force or document.retired):
            return None
        return document.in_force, document.status_text

    return status
