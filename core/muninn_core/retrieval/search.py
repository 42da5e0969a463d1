"""Runs a search request: gather candidates, score them, sort them. All ranked answers use it."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from muninn_core.retrieval.results.ranking import no_citations, no_decision, settle

if TYPE_CHECKING:
    from muninn_core.model.answer import Hit
    from muninn_core.retrieval.reader import Reader
    from muninn_core.retrieval.request import SearchRequest
    from muninn_core.retrieval.results.ranking import CitationLookup, DecisionLookup, Ranking


def search(reader: Reader, request: SearchRequest) -> Ranking:
    """Return the candidates of a request, best first. There may be more than `limit`.

    Deterministic: the same index, memories and clock give the same order and the same scores.
    """
    terms = request.terms
    ranking = terms.score(reader, request, terms.gather(reader, request))
    ranking.sort(key=attrgetter("order"))
    return ranking


def search_hits(
    reader: Reader,
    request: SearchRequest,
    citations: CitationLookup = no_citations,
    decisions: DecisionLookup = no_decision,
) -> tuple[Hit, ...]:
    """Return at most `limit` hits, best first. Stale citations lower a memory's score."""
    return settle(search(reader, request), request.limit, citations, decisions)[0]
