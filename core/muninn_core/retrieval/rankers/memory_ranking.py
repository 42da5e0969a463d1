"""Ranks memories: their match, their neighbours in the session, their form, and the versions of one fact.

The candidates are columns: each value is computed for all of them at once. Signals are made for the hits shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from muninn_core.model.chunk import Chunk
from muninn_core.retrieval import weights as w
from muninn_core.retrieval.candidates.generation import memory_chunk, memory_cosines
from muninn_core.retrieval.decay import is_recallable, recallable_among
from muninn_core.retrieval.pool import Pool
from muninn_core.retrieval.reader import token_states_of_memories
from muninn_core.retrieval.results.ranking import Candidate
from muninn_core.retrieval.results.signal import Given, Signal, points, signals
from muninn_core.retrieval.signals.late_interaction import late_interaction
from muninn_core.retrieval.signals.scoring import ScoringContext, graph_signals, memory_points, memory_signals
from muninn_core.retrieval.signals.session_match import REACH, SessionMatches, Sessions, session_matches
from muninn_core.retrieval.signals.translation import translation_match
from muninn_core.retrieval.signals.versions import newer_first
from muninn_core.store.folding.lazy_mapping import getter

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from muninn_core.model.memory import Memory
    from muninn_core.retrieval.reader import Reader
    from muninn_core.retrieval.request import SearchRequest

    Column = NDArray[np.float64]

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


class _Columns(NamedTuple):
    """Candidates: memories, and the match of each by words and by meaning.

    `interaction` is the match of tokens, of which `meaning` is then a multiple; None where tokens are not compared.
    """

    memories: list[Memory]
    words: Column
    meaning: Column
    interaction: Column | None = None

    def match(self, context: ScoringContext) -> Column:
        """Return the match of each by words and meaning."""
        return self.words * context.memory_weights.words + self.meaning * context.memory_weights.meaning

    def joined(self, further: _Columns) -> _Columns:
        """Return the candidates of both."""
        return _Columns(
            self.memories + further.memories,
            np.concatenate([self.words, further.words]),
            np.concatenate([self.meaning, further.meaning]),
        )


def rank_memories(
    reader: Reader, request: SearchRequest, pool: Pool, context: ScoringContext, sessions: Sessions, count: int
) -> list[Candidate]:
    """Return the `count` best memories of a pool, ties with the last, and memories that are linked, required or have
    no match.
    """
    found = _with_required(request, pool)
    if not found.memories:
        return []
    beside: SessionMatches | None = None
    if request.encoded is not None:
        found, beside = _with_neighbours(reader, request, pool, context, sessions, found)
    graph = graph_signals(found.memories, found.words, found.meaning, context.memory_weights)
    matches = found.match(context)
    if beside is not None:
        matches = matches + beside.value
    least = np.partition(matches, -count)[-count] if len(matches) > count else 0.0
    wanted = (matches >= least) | (matches == 0)
    certain = {*graph, *(memory.id for memory in request.bounds.required)}
    rows = [row for row, memory in enumerate(found.memories) if wanted[row] or memory.id in certain]
    ranked = _candidates(request, context, found, beside, graph, rows)
    if request.encoded is not None:
        newer_first(reader, ranked)
    return ranked


def _candidates(
    request: SearchRequest,
    context: ScoringContext,
    found: _Columns,
    beside: SessionMatches | None,
    graph: Mapping[str, Signal],
    rows: Sequence[int],
) -> list[Candidate]:
    """Return the candidates of some rows, with their scores."""
    memories = [found.memories[row] for row in rows]
    words, meaning = found.words[rows], found.meaning[rows]
    scores = memory_points(context, memories, words, meaning, graph)
    asks_time = bool(_ASKS_TIME.search(request.text))
    times = [asks_time and _GIVES_TIME.search(memory.text) is not None for memory in memories]
    questions = _asking(memories)
    # What the form of a memory and its session contribute; `_signals` names it.
    scores += np.array(times, bool) * points(1.0, w.TIME) + questions * points(1.0, w.QUESTION)
    sessions: Sequence[tuple[float, float, float]] = [(0.0, 0.0, 0.0)] * len(rows)
    if beside is not None:
        nearby, answers, session = beside.nearby[rows], beside.answers[rows], beside.session[rows]
        scores += points(nearby, w.NEARBY) + points(answers, w.ANSWERS) + points(session, w.SESSION_MATCH)
        sessions = list(zip(nearby.tolist(), answers.tolist(), session.tolist(), strict=True))
    columns = (memories, words.tolist(), meaning.tolist(), sessions, times, questions.tolist(), scores.tolist())
    ranked = [
        Candidate(
            Chunk(kind="memory", path=memory.id, start=1, end=1, text=memory.text, title=memory.title),
            memory,
            partial(_signals, context, memory, word, near, graph.get(memory.id), values, gives_time, question),
            score / 10_000,
        )
        for memory, word, near, values, gives_time, question, score in zip(*columns, strict=True)
    ]
    if found.interaction is not None:
        for candidate, value in zip(ranked, found.interaction[rows].tolist(), strict=True):
            candidate.interaction = value
    return ranked


def _with_neighbours(
    reader: Reader,
    request: SearchRequest,
    pool: Pool,
    context: ScoringContext,
    sessions: Sessions,
    found: _Columns,
) -> tuple[_Columns, SessionMatches]:
    """Return the candidates with the neighbours of the best of them, and the values of the signals of sessions."""
    found = found._replace(words=found.words * _word_share(context, pool))
    others = _neighbours(reader, request, found, found.match(context), sessions)
    if others.memories:
        found = found.joined(others)
    found = _by_tokens(reader, request, context, found)
    words, rarities = pool.query.words, context.matcher.rarities
    asking = _asking(found.memories)
    return found, session_matches(found.memories, found.match(context), asking, words, rarities, sessions)


def _by_tokens(reader: Reader, request: SearchRequest, context: ScoringContext, found: _Columns) -> _Columns:
    """Return the candidates with the match of their tokens as meaning.

    A memory that is not among the best, or whose tokens are not known, as a server of an earlier version has none, is
    compared by its cosine.
    """
    assert request.encoded is not None
    known = token_states_of_memories(
        reader, _best([memory.id for memory in found.memories], found.match(context), w.MOST_COMPARED)
    )
    rows = [row for row, memory in enumerate(found.memories) if known.get(memory.id)]
    asked = request.encoded.states
    if not rows or not len(asked):
        return found
    values = found.meaning / w.ENCODER_FACTOR
    tokens = late_interaction(asked, [known[found.memories[row].id] for row in rows])
    translated = translation_match(request.text, [_asked_text(found.memories[row]) for row in rows])
    values[rows] = (1 - w.TRANSLATION) * tokens + w.TRANSLATION * translated
    factor = w.INTERACTION_FACTOR
    if request.kind != "memory":
        factor = w.MOST_INTERACTION / max(w.RELATED_INTERACTION, float(np.max(values)))
    return found._replace(words=found.words * w.WORDS_WITH_INTERACTION, meaning=values * factor, interaction=values)


def _asked_text(memory: Memory) -> str:
    """Return the text of a memory and the questions stored with it."""
    return "\n".join([memory.text, *memory.questions])


def _signals(
    context: ScoringContext,
    memory: Memory,
    words: float,
    meaning: float,
    linked: Signal | None,
    session: tuple[float, float, float],
    gives_time: bool,
    question: bool,
) -> list[Signal]:
    """Return the signals of a memory that is shown, without those of value 0."""
    nearby, answers, together = session
    further: list[Given] = [
        ("nearby", nearby, w.NEARBY, ""),
        ("answers", answers, w.ANSWERS, ""),
        ("session", together, w.SESSION_MATCH, ""),
        ("time", float(gives_time), w.TIME, ""),
        ("question", float(question), w.QUESTION, ""),
    ]
    return [
        *memory_signals(context, memory, words, meaning, linked),
        *signals([each for each in further if each[1]]),
    ]


def _asking(memories: Iterable[Memory]) -> NDArray[np.bool_]:
    """Return whether each memory is a question."""
    return np.array([memory.text.rstrip()[-1:] == "?" for memory in memories], bool)


def _word_share(context: ScoringContext, pool: Pool) -> float:
    """Return by how much matches by words count: less where the best of them covers little of the question.

    Words are scaled by the best match, which says nothing where a question in other words shares one word with it.
    """
    whole = w.FULL_COVERAGE * sum(context.matcher.rarities.values())
    return min(1.0, pool.top / whole) if whole > 0 else 1.0


def _with_required(request: SearchRequest, pool: Pool) -> _Columns:
    """Return the memories of a pool and the required memories of the bounds."""
    found = [(memory, words, meaning) for _, memory, words, meaning in pool.found if memory is not None]
    if request.bounds.required and request.kind in (None, "memory"):
        known = {memory.id for memory, _, _ in found}
        found += [
            (memory, 0.0, 0.0)
            for memory in request.bounds.required
            if memory.id not in known and is_recallable(memory, request.now)
        ]
    return _Columns(
        [memory for memory, _, _ in found],
        np.array([words for _, words, _ in found], np.float64),
        np.array([meaning for _, _, meaning in found], np.float64),
    )


def _neighbours(
    reader: Reader, request: SearchRequest, found: _Columns, matches: Column, sessions: Sessions
) -> _Columns:
    """Return the neighbours of the best memories that are not candidates yet, with their match by meaning."""
    ids = [memory.id for memory in found.memories]
    near = sessions.near(_best(ids, matches, _FROM), REACH)
    wanted = {each for beside in near.values() for each, _ in beside}.difference(ids)
    admits, project = request.bounds.admits, request.bounds.admits_project
    if request.bounds.admits_passing and request.bounds.passing is not None:
        wanted &= request.bounds.passing.members
        project = True
    recallable = recallable_among(sorted(wanted), getter(request.memories), request.now)
    allowed = [
        memory
        for memory in recallable.values()
        if (project and memory.scope == "project") or admits(memory_chunk(memory), memory)
    ]
    identities = [memory.id for memory in allowed]
    cosines: dict[str, float] = {}
    for source in reader.sources if allowed else ():
        numbers = source.numbers_of_memories(identities)
        values = dict(memory_cosines(source, request, list(numbers.values()))) if numbers else {}
        cosines |= {each: values[number] for each, number in numbers.items() if number in values}
    most = w.ENCODER_FACTOR if request.kind == "memory" else 1.0  # as in `candidates.fuse`
    meaning = np.array([cosines.get(each, 0.0) for each in identities], np.float64)
    return _Columns(allowed, np.zeros(len(allowed)), np.minimum(most, np.maximum(0.0, meaning) * w.ENCODER_FACTOR))


def _best(ids: Sequence[str], matches: Column, count: int) -> list[str]:
    """Return the ids of the `count` best matches, ties by id."""
    least = np.partition(matches, -count)[-count] if len(matches) > count else -np.inf
    ranked = sorted([(-matches[row], ids[row]) for row in np.flatnonzero(matches >= least).tolist()])
    return [identity for _, identity in ranked[:count]]
