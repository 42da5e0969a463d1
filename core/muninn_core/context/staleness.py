"""One-line descriptions of citations: a warning about stale ones, and a citation with its state."""

from __future__ import annotations

from collections.abc import Sequence

from muninn_core.model.citation import Citation

STATES = {"drifted": "code changed since", "gone": "code gone"}
"""The states of stale citations, in words."""

SHOWN = 3
"""The maximum number of stale places that a warning names."""


def warning(citations: Sequence[Citation]) -> str:
    """Return what is stale: "code changed since: a.py:3-9; code gone: b.py"; "" when nothing is."""
    parts = []
    for state, words in STATES.items():
        places = list(dict.fromkeys(one.was or one.place for one in citations if one.state == state))
        if places:
            more = f" and {len(places) - SHOWN} more" if len(places) > SHOWN else ""
            parts.append(f"{words}: {', '.join(places[:SHOWN])}{more}")
    return "; ".join(parts)


def describe_citation(citation: Citation) -> str:
    """Return a citation with its state: "a.py:3-9 fresh", "b.py:1-4 moved from a.py:3-6"."""
    name = f" {citation.symbol}" if citation.symbol else ""
    origin = f" from {citation.was}" if citation.was else ""
    note = f" ({citation.note})" if citation.note else ""
    return f"{citation.place}{name} {citation.state}{origin}{note}"
