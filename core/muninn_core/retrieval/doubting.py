"""When nothing is near a question, an empty answer with a reason is worth more than a full list of the unrelated.

Two measures tell, which the scales of 0..1 hide: how much of what is rare in the question the best chunk holds, and how
near the nearest chunk is. The bound was set on questions about real repositories and on others that are about none of
them (decision 020).
"""

from __future__ import annotations

from muninn_core.retrieval import weights as w
from muninn_core.retrieval.candidates import Pool
from muninn_core.retrieval.query import Ear


def doubt(pool: Pool, ear: Ear) -> str:
    """Return why nothing that was found answers the question; "" where something may."""
    if pool.small or not pool.found:
        return ""
    # Nobody holds all of a long question's words: those beyond `LONG_QUESTION` are not missed.
    held = pool.words / ear.whole * max(1.0, len(ear) / w.LONG_QUESTION)
    if held + w.NEARNESS * pool.meaning >= w.LEAST_NEAR:
        return ""
    return (
        "nothing here is near the question: hardly a word that tells is in any one place, "
        f"and the nearest is far in meaning (cosine {pool.meaning:.2f})"
    )
