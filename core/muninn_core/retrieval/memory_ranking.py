"""Ranks memories: their match, their neighbours in the session, their form, and the versions of one fact."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from muninn_core.retrieval import weights as w
from muninn_core.retrieval.candidates import memory_chunk, memory_cosines
from muninn_core.retrieval.decay import is_recallable
from muninn_core.retrieval.pool import Pool, ScoredChunk
from muninn_core.retrieval.ranking import Candidate
from muninn_core.retrieval.reader import ids_of_memories
from muninn_core.retrieval.scoring import ScoringContext, graph_signals, memory_signals
from muninn_core.retrieval.session_match import (
    NOTHING,
    REACH,
    NeighbourLookup,
    SessionMatch,
    is_question,
    session_matches,
)
from muninn_core.retrieval.signals import Signal, signal
from muninn_core.retrieval.versions import newer_first

if TYPE_CHECKING:
    from muninn_core.retrieval.reader import Reader
    from muninn_core.retrieval.request import SearchRequest

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


def no_neighbours(_identity: str, _reach: int) -> Sequence[tuple[str, int]]:
    """Return no neighbours."""
    return ()


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
        share = _word_share(reader, pool)
        found = [one._replace(words=one.words * share) for one in found]
        found += _neighbours(reader, request, found, context, neighbours)
        matched = [(one.memory, _match(one, context)) for one in found if one.memory is not None]
        beside = session_matches(matched, pool.query.words, reader.rarity, neighbours)
    graph = graph_signals(found, context.memory_weights)
    matches = [_match(one, context) + beside.get(_id(one), NOTHING).value() for one in found]
    least = sorted(matches, reverse=True)[count - 1] if len(found) > count else 0.0
    asks_time = bool(_ASKS_TIME.search(request.text))
    ranked = [
        Candidate(
            chunk,
            memory,
            memory_signals(context, memory, words, meaning, graph.get(memory.id))
            + beside.get(memory.id, NOTHING).signals()
            + _signals_of_form(memory.text, asks_time=asks_time),
        )
        for match, (chunk, memory, words, meaning) in zip(matches, found, strict=True)
        if memory is not None and (match >= least or not match or memory.id in graph)
    ]
    if request.encoded is not None:
        newer_first(reader, ranked)
    return ranked


def _word_share(reader: Reader, pool: Pool) -> float:
    """Return by how much matches by words count: less where the best of them covers little of the question.

    Words are scaled by the best match, which says nothing where a question in other words shares one word with it.
    """
    whole = w.COVERED * sum(reader.rarity(word) for word in pool.query.words)
    return min(1.0, pool.top / whole) if whole > 0 else 1.0


def _signals_of_form(text: str, *, asks_time: bool) -> list[Signal]:
    """Return the signals of the text's form, without those of value 0."""
    found = [signal("time", 1.0, w.TIME)] if asks_time and _GIVES_TIME.search(text) else []
    if is_question(text):
        found.append(signal("question", 1.0, w.QUESTION))
    return found


def _id(one: ScoredChunk) -> str:
    return one.memory.id if one.memory is not None else ""


def _match(one: ScoredChunk, context: ScoringContext) -> float:
    return one.words * context.memory_weights.words + one.meaning * context.memory_weights.meaning


def _with_required(request: SearchRequest, pool: Pool) -> list[ScoredChunk]:
    """Return the memories of a pool and the required memories of the bounds."""
    found = [each for each in pool.found if each.memory is not None]
    known = {_id(each) for each in found}
    if request.kind in (None, "memory"):
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
    context: ScoringContext,
    neighbours: NeighbourLookup,
) -> list[ScoredChunk]:
    """Return the neighbours of the best memories that are not candidates yet, with their match by meaning."""
    best = sorted(found, key=lambda one: (-_match(one, context), _id(one)))[:_FROM]
    known = {_id(one) for one in found}
    wanted = {each for one in best for each, _ in neighbours(_id(one), REACH)} - known
    allowed = sorted(
        each
        for each in wanted
        if (memory := request.memories.get(each)) is not None
        and is_recallable(memory, request.now)
        and request.bounds.admits(memory_chunk(memory), memory)
    )
    cosines: dict[str, float] = {}
    for source, ids in zip(reader.sources, ids_of_memories(reader, allowed), strict=True):
        chunks = source.chunks(ids) if ids else {}
        cosines |= {chunks[number].path: value for number, value in memory_cosines(source, request, ids)}
    most = w.ENCODED if request.kind == "memory" else 1.0  # as in `candidates.fuse`
    return [
        ScoredChunk(memory_chunk(memory), memory, 0.0, min(most, max(0.0, cosines.get(memory.id, 0.0)) * w.ENCODED))
        for memory in (request.memories[each] for each in allowed)
    ]
