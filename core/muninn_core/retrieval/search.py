"""The search: every question that is answered by ranking takes this path."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from muninn_core.retrieval.ranking import no_citations, no_decision, settle

if TYPE_CHECKING:
    from muninn_core.model.answer import Hit
    from muninn_core.retrieval.ranking import CitationLookup, DecisionLookup, Ranking
    from muninn_core.retrieval.reader import Reader
    from muninn_core.retrieval.request import SearchRequest


def search(reader: Reader, request: SearchRequest) -> Ranking:
    """Return the candidates of a request in their order: `limit` of them and, where there are, some more.

    The same index, memories and clock give the same candidates in the same order, down to the rounding of scores.
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
    """Return at most `limit` hits of a request, best first, with the state of their citations counted."""
    return settle(search(reader, request), request.limit, citations, decisions)[0]
