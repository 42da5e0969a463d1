"""Withholds the candidates of a question that nothing in the index is near to, with a reason.

Two measures must agree: how many of the question's rare words are in the index, and the highest cosine. A withheld
answer costs more than an unrelated one, so most doubtful questions pass (decision 020). In a small repository a missing
word means little, and nothing is withheld.
"""

from __future__ import annotations

from muninn_core.retrieval import weights as w
from muninn_core.retrieval.pool import Pool
from muninn_core.retrieval.query.query_terms import TermMatcher


def abstention_reason(pool: Pool, matcher: TermMatcher) -> str:
    """Return why no candidate answers the question, "" where one may."""
    if pool.small or not pool.found or matcher.unknown_rarity < w.UNKNOWN_RARITY:
        return ""
    if matcher.known_share >= w.KNOWN_SHARE or pool.meaning >= w.NEAREST_COSINE:
        return ""
    return (
        "nothing in the index is near the question: it has few of the question's rare words, "
        f"and the best match by meaning is weak (cosine {pool.meaning:.2f})"
    )
