"""The signal of citations whose code changed."""

from __future__ import annotations

from collections.abc import Sequence

from muninn_core.model.citation import Citation
from muninn_core.retrieval import weights as w
from muninn_core.retrieval.results.signal import Signal, signal


def staleness(citations: Sequence[Citation]) -> list[Signal]:
    """Return the `stale` signal of a memory; [] when no citation is stale."""
    stale = [one for one in citations if one.stale]
    if not stale:
        return []
    value = sum(1.0 if one.state == "gone" else 0.5 for one in stale) / len(citations)
    return [
        signal("stale", value, w.STALE, ", ".join(sorted({f"{one.was or one.place} {one.state}" for one in stale})))
    ]
