"""Says why memories were not merged."""

from __future__ import annotations

from collections.abc import Iterable

from muninn_core.model.memory import Memory
from muninn_core.reconcile.comparison.compare import judge, obstacle, relate_texts, same_subject

CONTRADICTION = "contradicts another one; a person decides which one holds"
OTHER_TEXT = "states something else, as far as the rules tell"
NOT_WITH_THIS = "states the same as another one that was left; consolidate these on their own"
_OBSTACLES = {
    "files": "states the same, but names other files",
    "type": "states the same, but has another type",
    "origin": "states the same, but only one of them comes from outside the project",
    "expiry": "states the same, but expires at another time",
    "task": "states the same, but belongs to another task",
    "details": "states the same, but has other details",
}


def why_separate(memory: Memory, others: Iterable[Memory]) -> str:
    """Return why a memory was merged with none of the others: what keeps it from the first one that it relates to."""
    reasons = (_why(memory, other) for other in others)
    return next((reason for reason in reasons if reason != OTHER_TEXT), OTHER_TEXT)


def _why(one: Memory, other: Memory) -> str:
    one, other = sorted((one, other), key=lambda memory: (memory.ts, memory.id))
    if judge(one, other).verdict == "contradiction":
        return CONTRADICTION
    if relate_texts(one, other).verdict != "same":
        return OTHER_TEXT
    found = obstacle(one, other) if same_subject(one, other) else "files"
    return _OBSTACLES[found] if found else NOT_WITH_THIS
