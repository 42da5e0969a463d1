"""The default ranking, for recall and contexts: code, knowledge and memory by words, meaning and all other signals."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from muninn_core.model.chunk import Chunk
from muninn_core.retrieval import weights as w
from muninn_core.retrieval.candidates.generation import candidates
from muninn_core.retrieval.decay import recallable_among
from muninn_core.retrieval.pool import Pool, ScoredChunk
from muninn_core.retrieval.query.query_terms import TermMatcher, parse_query, significant_words
from muninn_core.retrieval.rankers.abstention import abstention_reason
from muninn_core.retrieval.rankers.file_ranking import rank_files
from muninn_core.retrieval.rankers.memory_ranking import rank_memories
from muninn_core.retrieval.reader import ids_of_files, read_chunks
from muninn_core.retrieval.results.ranking import Candidate, DecisionLookup, Ranking, no_decision
from muninn_core.retrieval.signals.commit_votes import NO_VOTES, CommitVotes, FileVote
from muninn_core.retrieval.signals.evolution import UNKNOWN, Evolution
from muninn_core.retrieval.signals.file_prior import FilePrior, likely_files, with_matching
from muninn_core.retrieval.signals.scoring import (
    DEFAULT_WEIGHTS,
    MemoryWeights,
    ScoringContext,
    file_signals,
    memory_points,
    memory_signals,
)
from muninn_core.retrieval.signals.session_match import NoSessions, Sessions
from muninn_core.store.folding.lazy_mapping import getter

if TYPE_CHECKING:
    from muninn_core.retrieval.reader import Reader
    from muninn_core.retrieval.request import SearchRequest

FilePriorLookup = Callable[[tuple[str, ...]], Mapping[str, FilePrior]]
"""Returns {path: prior} for the words of a question."""

MAX_LISTED = 500
"""The most files whose chunks a request without text lists, the first by path."""


VotesLookup = Callable[[], CommitVotes]
"""Returns the titles and files of earlier commits."""

EvolutionLookup = Callable[[], Evolution]
"""Returns which files change often or together."""


def no_evolution() -> Evolution:
    """Return an empty history."""
    return UNKNOWN


def no_votes() -> CommitVotes:
    """Return an empty history."""
    return NO_VOTES


def no_rarities(words: Iterable[str]) -> dict[str, float]:
    """Return that all words are in every chunk."""
    return dict.fromkeys(words, 0.0)


def no_prior(_words: Sequence[str]) -> Mapping[str, FilePrior]:
    """Return {}: no memory makes a file more likely."""
    return {}


class Relevance(NamedTuple):
    """The default ranking.

    The lookups `decisions`, `file_priors`, `evolution` and `votes` are called when a question needs them.
    `sessions` has the order of the memories. `half_life` is that of a memory's importance in days, 0 for none.
    """

    decisions: DecisionLookup = no_decision
    half_life: float = w.DECAY_DAYS
    memory_weights: MemoryWeights = DEFAULT_WEIGHTS
    file_priors: FilePriorLookup = no_prior
    evolution: EvolutionLookup = no_evolution
    sessions: Sessions = NoSessions()
    votes: VotesLookup = no_votes

    def gather(self, reader: Reader, request: SearchRequest) -> Pool:
        """Return the candidates by words and meaning; without text, everything that the bounds admit."""
        return candidates(reader, request) if request.text else _listed(reader, request)

    def score(self, reader: Reader, request: SearchRequest, pool: Pool) -> Ranking:
        """Return the candidates with all signals; none, with a reason, when nothing is near the question."""
        return self._ranked(reader, request, pool) if request.text else self._weighed(request, pool)

    def _ranked(self, reader: Reader, request: SearchRequest, pool: Pool) -> Ranking:
        kind, bounds, words = request.kind, request.bounds, pool.query.words
        matcher = TermMatcher(words, reader.rarities, pool.query.factors if request.title else None)
        ranking = Ranking()
        priors = self.file_priors(words) if kind != "memory" else {}
        certain = (
            bounds.required or request.named or any(prior.value >= w.REMEMBERED_ANSWER for prior in priors.values())
        )
        ranking.abstention = "" if certain else abstention_reason(pool, matcher)
        if ranking.abstention:
            return ranking
        context = ScoringContext(
            pool.query,
            matcher,
            request.now,
            request.focus,
            self.decisions,
            self.half_life,
            self.memory_weights,
            pool.files,
            priors,
            reader.generated,
            self._weight_of_priors(request, pool),
            self.evolution(),
            request.named,
            self._votes(reader, request, pool),
        )
        count = max(w.RANKED, 3 * request.limit)
        memories = rank_memories(reader, request, pool, context, self.sessions, count)
        context = context._replace(priors=with_matching(priors, memories, request.memories))
        of_files = [each for each in pool.found if each.memory is None]
        of_files += _further_files(reader, request, context, {each.chunk.path for each in of_files})
        ranking += rank_files(context, of_files, count)
        ranking += memories
        return ranking

    @staticmethod
    def _weight_of_priors(request: SearchRequest, pool: Pool) -> float:
        if pool.query.sought:
            return w.REMEMBERED_OF_NAME
        return w.REMEMBERED if request.kind is not None else w.REMEMBERED_WITH_MEMORIES

    def _votes(self, reader: Reader, request: SearchRequest, pool: Pool) -> Mapping[str, FileVote]:
        """Return the votes of commits for code files; only the title of a long question is compared."""
        votes = self.votes() if request.kind in (None, "code") else NO_VOTES
        if not votes.commits:
            return {}
        words = significant_words(request.title) if request.title else pool.query.words
        return votes.lookup(words, reader.paths)

    def _weighed(self, request: SearchRequest, pool: Pool) -> Ranking:
        """Return all candidates with the signals that need no question."""
        context = ScoringContext(
            pool.query,
            TermMatcher((), no_rarities),
            request.now,
            request.focus,
            no_decision,
            self.half_life,
            self.memory_weights,
            {},
            {},
            (),
        )
        of_files = {
            chunk.path: file_signals(context, chunk.path, chunk.kind)
            for chunk in {one.chunk.path: one.chunk for one in pool.found if one.memory is None}.values()
        }
        ranking = Ranking(
            [Candidate(chunk, None, [*of_files[chunk.path]]) for chunk, memory, _, _ in pool.found if memory is None]
        )
        memories = [(chunk, memory) for chunk, memory, _, _ in pool.found if memory is not None]
        none = np.zeros(len(memories))
        scores = memory_points(context, [memory for _, memory in memories], none, none, {})
        ranking += [
            Candidate(chunk, memory, partial(memory_signals, context, memory, 0.0, 0.0, None), score / 10_000)
            for (chunk, memory), score in zip(memories, scores.tolist(), strict=True)
        ]
        return ranking


def _further_files(
    reader: Reader, request: SearchRequest, context: ScoringContext, known: Collection[str]
) -> list[ScoredChunk]:
    """Return the first chunks of files that the question names, or that memory or history make likely."""
    if request.kind == "memory":
        return []
    likely = (*likely_files(context.priors, known), *likely_files(context.votes, known))
    wanted = list(dict.fromkeys((*(path for path in request.named if path not in known), *likely)))
    return [
        ScoredChunk(chunk, None, 0.0, 0.0)
        for chunk in (reader.first_chunks(wanted).values() if wanted else ())
        if request.kind in (None, chunk.kind) and request.bounds.admits(chunk, None)
    ]


def _listed(reader: Reader, request: SearchRequest) -> Pool:
    """Return all chunks and memories that the bounds admit, of files only the first `MAX_LISTED`."""
    bounds, kind, filters = request.bounds, request.kind, request.bounds.filters
    found: list[ScoredChunk] = []
    if kind != "memory" and not filters.memories_alone:
        paths = [path for path, tier, language in reader.paths() if filters.file(path, tier, language)]
        chunks = read_chunks(reader, ids_of_files(reader, paths[:MAX_LISTED]))
        found += [
            ScoredChunk(chunk, None, 0.0, 0.0)
            for chunk in chunks
            if kind in (None, chunk.kind) and bounds.admits(chunk, None)
        ]
    if kind in (None, "memory"):
        passing: Sequence[str]
        if bounds.passing is not None:
            passing = bounds.passing.ids
        else:
            passing = [memory.id for memory in request.memories.values() if filters.memory(memory)]
        for memory in recallable_among(passing, getter(request.memories), request.now).values():
            chunk = Chunk(kind="memory", path=memory.id, start=1, end=1, text=memory.text, title=memory.title)
            if (bounds.admits_passing and memory.scope == "project") or bounds.admits(chunk, memory):
                found.append(tuple.__new__(ScoredChunk, (chunk, memory, 0.0, 0.0)))
    return Pool(parse_query(""), found, {}, 0.0, True)
