"""When nothing is near a question, an empty answer with a reason is worth more than a full list of the unrelated.

It takes two measures that the scales of 0..1 hide, and both of them: how much of what is rare in the question stands
anywhere at all, and how near the nearest chunk is. An answer that is withheld costs more than one that is not wanted,
so the bounds let most doubtful questions pass (decision 020). In a small repository a missing word says little: there
nothing is doubted.
"""

from __future__ import annotations

from muninn_core.retrieval import weights as w
from muninn_core.retrieval.candidates import Pool
from muninn_core.retrieval.query_terms import TermMatcher


def abstention_reason(pool: Pool, matcher: TermMatcher) -> str:
    """Return why nothing that was found answers the question; "" where something may."""
    if pool.small or not pool.found or matcher.strange < w.LEAST_STRANGE:
        return ""
    if matcher.known >= w.LEAST_KNOWN or pool.meaning >= w.LEAST_NEAR:
        return ""
    return (
        "nothing here is near the question: hardly a word of it that tells is anywhere, "
        f"and the nearest is far in meaning (cosine {pool.meaning:.2f})"
    )
