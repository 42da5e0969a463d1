"""Ranks memories: their match, their neighbours in the session, their form, and the versions of one fact."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from math import floor
from typing import TYPE_CHECKING

from muninn_core.model.chunk import Chunk
from muninn_core.retrieval import weights as w
from muninn_core.retrieval.candidates import memory_chunk, memory_cosines
from muninn_core.retrieval.decay import is_recallable, recallable_among
from muninn_core.retrieval.pool import Pool, ScoredChunk
from muninn_core.retrieval.ranking import Candidate
from muninn_core.retrieval.reader import ids_of_memories
from muninn_core.retrieval.scoring import ScoringContext, graph_signals, memory_score, memory_signals
from muninn_core.retrieval.session_match import (
    REACH,
    NeighbourLookup,
    SessionMatch,
    session_matches,
)
from muninn_core.retrieval.signals import Signal, signal
from muninn_core.retrieval.versions import newer_first
from muninn_core.store.lazy_mapping import getter

if TYPE_CHECKING:
    from muninn_core.model.memory import Memory
    from muninn_core.retrieval.reader import Reader
    from muninn_core.retrieval.request import SearchRequest

_tuple = tuple.__new__

_FROM = 40
"""The best memories whose neighbours become candidates."""

_ASKS_TIME = re.compile(
    r"\b(?:when|how\s+(?:long|often)|(?:what|which)\s+(?:year|month|date|day|time)|(?:since|until)\s+when)\b",
    re.IGNORECASE,
)
_GIVES_TIME = re.compile(
    r"""\b(?:\d{1,4}|yesterday|today|tonight|tomorrow|last|next|ago|(?:week|month|year|day|hour|minute|second)s?|ms
    |(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|october
    |november|december|morning|evening|night|weekend|recently|since|until)\b""",
    re.IGNORECASE | re.VERBOSE,
)


def no_neighbours(_identities: Iterable[str], _reach: int) -> Mapping[str, Sequence[tuple[str, int]]]:
    """Return no neighbours."""
    return {}


def rank_memories(
    reader: Reader,
    request: SearchRequest,
    pool: Pool,
    context: ScoringContext,
    neighbours: NeighbourLookup,
    count: int,
) -> list[Candidate]:
    """Return the `count` best memories of a pool, ties with the last, and memories that are linked or have no match."""
    found = _with_required(request, pool)
    beside: Mapping[str, SessionMatch] = {}
    if request.encoded is not None:
        found, beside = _with_neighbours(reader, request, pool, context, neighbours, found)
    graph = graph_signals(found, context.memory_weights)
    matches = _with_sessions(found, _matches(found, context), beside)
    least = sorted(matches, reverse=True)[count - 1] if len(found) > count else 0.0
    asks_time = bool(_ASKS_TIME.search(request.text))
    ranked = []
    for match, (chunk, memory, words, meaning) in zip(matches, found, strict=True):
        if memory is None or not (match >= least or not match or memory.id in graph):
            continue
        linked, session = graph.get(memory.id), beside.get(memory.id)
        gives_time = asks_time and _GIVES_TIME.search(memory.text) is not None
        question = memory.text.rstrip()[-1:] == "?"
        further = 0.0
        # What `_further_signals` contribute, in their order, without making them.
        if session is not None:
            for value, weight in ((session[0], w.NEARBY), (session[1], w.ANSWERS), (session[2], w.SESSION_MATCH)):
                if value:
                    further += floor(value * weight * 10_000 + 0.5) / 10_000
        if gives_time:
            further += floor(w.TIME * 10_000 + 0.5) / 10_000
        if question:
            further += floor(w.QUESTION * 10_000 + 0.5) / 10_000
        score = memory_score(context, memory, words, meaning, linked) + further
        make = partial(_signals, context, memory, words, meaning, linked, session, gives_time, question)
        ranked.append(Candidate(chunk, memory, make, floor(score * 10_000 + 0.5) / 10_000))
    if request.encoded is not None:
        newer_first(reader, ranked)
    return ranked


def _with_neighbours(
    reader: Reader,
    request: SearchRequest,
    pool: Pool,
    context: ScoringContext,
    neighbours: NeighbourLookup,
    found: Sequence[ScoredChunk],
) -> tuple[list[ScoredChunk], Mapping[str, SessionMatch]]:
    """Return the candidates with the neighbours of the best of them, and {id: values of the signals of sessions}."""
    share = _word_share(context, pool)
    # Without the constructor of the tuple, which is a Python function.
    own = [_tuple(ScoredChunk, (chunk, memory, words * share, near)) for chunk, memory, words, near in found]
    values = _matches(own, context)
    near = neighbours([memory.id for _, memory, _, _ in own if memory is not None], REACH)
    others = _neighbours(reader, request, own, values, near)
    if others:
        near = {**near, **neighbours([memory.id for _, memory, _, _ in others if memory is not None], REACH)}
        own, values = own + others, values + _matches(others, context)
    memories = [memory for _, memory, _, _ in own if memory is not None]
    match = {memory.id: value for memory, value in zip(memories, values, strict=True)}
    return own, session_matches(memories, match, pool.query.words, context.matcher.rarities, near)


def _signals(
    context: ScoringContext,
    memory: Memory,
    words: float,
    meaning: float,
    linked: Signal | None,
    session: SessionMatch | None,
    gives_time: bool,
    question: bool,
) -> list[Signal]:
    further = _further_signals(session, gives_time=gives_time, question=question)
    return [*memory_signals(context, memory, words, meaning, linked), *further]


def _matches(found: Iterable[ScoredChunk], context: ScoringContext) -> list[float]:
    """Return the match of each memory by words and meaning."""
    by_words, by_meaning = context.memory_weights.words, context.memory_weights.meaning
    return [words * by_words + meaning * by_meaning for _, _, words, meaning in found]


def _with_sessions(
    found: Sequence[ScoredChunk], matches: Sequence[float], beside: Mapping[str, SessionMatch]
) -> list[float]:
    """Return the matches with the contributions of the memories' sessions."""
    if not beside:
        return list(matches)
    return [
        match + (beside[memory.id].value if memory is not None and memory.id in beside else 0.0)
        for match, (_, memory, _, _) in zip(matches, found, strict=True)
    ]


def _word_share(context: ScoringContext, pool: Pool) -> float:
    """Return by how much matches by words count: less where the best of them covers little of the question.

    Words are scaled by the best match, which says nothing where a question in other words shares one word with it.
    """
    whole = w.COVERED * sum(context.matcher.rarities.values())
    return min(1.0, pool.top / whole) if whole > 0 else 1.0


def _further_signals(session: SessionMatch | None, *, gives_time: bool, question: bool) -> list[Signal]:
    """Return the signals of a memory's session and of its text's form, without those of value 0."""
    found = [] if session is None else session.signals()
    if gives_time:
        found.append(signal("time", 1.0, w.TIME))
    if question:
        found.append(signal("question", 1.0, w.QUESTION))
    return found


def _with_required(request: SearchRequest, pool: Pool) -> list[ScoredChunk]:
    """Return the memories of a pool and the required memories of the bounds."""
    found = [each for each in pool.found if each.memory is not None]
    if request.bounds.required and request.kind in (None, "memory"):
        known = {memory.id for _, memory, _, _ in found if memory is not None}
        found += [
            ScoredChunk(memory_chunk(memory), memory, 0.0, 0.0)
            for memory in request.bounds.required
            if memory.id not in known and is_recallable(memory, request.now)
        ]
    return found


def _neighbours(
    reader: Reader,
    request: SearchRequest,
    found: Sequence[ScoredChunk],
    matches: Sequence[float],
    near: Mapping[str, Sequence[tuple[str, int]]],
) -> list[ScoredChunk]:
    """Return the neighbours of the best memories that are not candidates yet, with their match by meaning."""
    ids = [memory.id for _, memory, _, _ in found if memory is not None]
    best = sorted(zip([-match for match in matches], ids, strict=True))[:_FROM]
    wanted = {each for _, identity in best for each, _ in near.get(identity, ())}.difference(ids)
    allowed: dict[str, tuple[Chunk, Memory]] = {}
    admits, project = request.bounds.admits, request.bounds.admits_project
    recallable = recallable_among(sorted(wanted), getter(request.memories), request.now)
    for each, memory in recallable.items():
        chunk = Chunk(kind="memory", path=each, start=1, end=1, text=memory.text, title=memory.title)
        if (project and memory.scope == "project") or admits(chunk, memory):
            allowed[each] = (chunk, memory)
    cosines: dict[str, float] = {}
    for source, numbers in zip(reader.sources, ids_of_memories(reader, list(allowed)), strict=True):
        chunks = source.chunks(numbers) if numbers else {}
        cosines |= {chunks[number].path: value for number, value in memory_cosines(source, request, numbers)}
    most = w.ENCODED if request.kind == "memory" else 1.0  # as in `candidates.fuse`
    return [
        _tuple(ScoredChunk, (*pair, 0.0, min(most, max(0.0, cosines.get(each, 0.0)) * w.ENCODED)))
        for each, pair in allowed.items()
    ]
