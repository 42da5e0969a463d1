"""The answer to a query of filters alone: memories by importance and age, then files by path, without scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from muninn_core.retrieval.rankers.relevance import Relevance
from muninn_core.retrieval.results.ranking import Candidate, Ranking

if TYPE_CHECKING:
    from muninn_core.retrieval.pool import Pool
    from muninn_core.retrieval.reader import Reader
    from muninn_core.retrieval.request import SearchRequest

_LAST = 1.0
"""The first part of a file's sort key: after all memories, whose scores are above -1."""


class Listing(NamedTuple):
    """The order of a request without text. `weights` gives memories their importance and age."""

    weights: Relevance

    def gather(self, reader: Reader, request: SearchRequest) -> Pool:
        """Return everything that the bounds admit."""
        return self.weights.gather(reader, request)

    def score(self, reader: Reader, request: SearchRequest, pool: Pool) -> Ranking:
        """Return the memories with their signals, and the chunks of files without any."""
        memories = [each for each in pool.found if each.memory is not None]
        ranking = self.weights.score(reader, request, pool._replace(found=memories))
        for chunk, memory, _, _ in pool.found:
            if memory is None:
                candidate = Candidate(chunk, None, [])
                candidate.order = (_LAST, "", chunk.path, chunk.start, chunk.end)
                ranking.append(candidate)
        return ranking
