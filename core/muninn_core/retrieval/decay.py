"""What time and the code do to a memory: whether it speaks, how much of it is left, how stale its citations are."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from muninn_core.model.citation import Citation
from muninn_core.model.memory import Memory
from muninn_core.retrieval import weights as w
from muninn_core.retrieval.signals import Signal, signal


def is_recallable(memory: Memory, now: datetime) -> bool:
    """Whether a memory is to be recalled: it is active and has not expired."""
    return memory.active and not has_expired(memory, now)


def has_expired(memory: Memory, now: datetime) -> bool:
    """Whether a memory's time is over."""
    if not memory.expires:
        return False
    try:
        return datetime.fromisoformat(memory.expires) < now
    except (ValueError, TypeError):
        return False  # no time that can be compared: better shown than lost


def recency(ts: str, now: datetime) -> float:
    """Return 1 for now, a half for `HALF_LIFE_DAYS` ago; 0 for a time that can't be read."""
    return _halved(ts, now, w.HALF_LIFE_DAYS)


def decayed_importance(memory: Memory, now: datetime, half_life: float) -> float:
    """Return a memory's importance, 0..1, as it is after the time since it was last changed.

    Nothing is written: a change of any kind makes it fresh again. Pinned and lasting ones do not fade, nor does
    anything with a half-life of 0.
    """
    full = memory.importance / 10
    if half_life <= 0 or memory.pinned or memory.type in w.LASTING:
        return full
    return full * _halved(memory.updated or memory.ts, now, half_life, unknown=1.0)


def staleness(citations: Sequence[Citation]) -> list[Signal]:
    """Return what stale citations count against a memory, nothing when none is."""
    stale = [one for one in citations if one.stale]
    if not stale:
        return []
    value = sum(1.0 if one.state == "gone" else 0.5 for one in stale) / len(citations)
    return [
        signal("stale", value, w.STALE, ", ".join(sorted({f"{one.was or one.place} {one.state}" for one in stale})))
    ]


def _halved(ts: str, now: datetime, half_life: float, unknown: float = 0.0) -> float:
    try:
        age = (now - datetime.fromisoformat(ts)).total_seconds() / 86_400
    except (ValueError, TypeError):
        return unknown
    return float(0.5 ** (max(age, 0.0) / half_life))
