"""Whether two statements say the same, or can't both hold. Pure; knows memories but no log."""

from __future__ import annotations

from typing import Any

from muninn_core.model.memory import Memory
from muninn_core.reconcile.lexicon import REVERSED
from muninn_core.reconcile.words import Statement

LIKENESS = 0.8
"""The share of their words that two statements about the same must have in common (Jaccard's index)."""

CLAIMS = frozenset({"configuration", "constraint", "decision", "preference"})
"""Kinds that contradict each other across kinds: all of them say what is to be."""

EVENTS = frozenset({"attempt", "context_hit", "session_summary"})
"""Kinds that tell what happened once: two of them can both be true, whatever they say."""


def group_of(kind: str) -> str:
    """Return the group within which memories of a kind can contradict each other, "" for one that can't."""
    if kind in EVENTS:
        return ""
    return "claims" if kind in CLAIMS else kind


def likeness(one: Statement, other: Statement) -> float:
    """Return the share of words in common when one's words hold all of the other's, else 0.

    A word on either side that the other lacks is a difference in what is said, however long the sentence.
    """
    left, right = one.content, other.content
    if not left or not right or not (left <= right or right <= left):
        return 0.0
    return min(len(left), len(right)) / max(len(left), len(right))


def same_subject(one: Memory, other: Memory) -> bool:
    """Whether two memories may be about the same: no two sets of files without a file in common."""
    return not one.files or not other.files or bool(set(one.files) & set(other.files))


def same(one: Memory, left: Statement, other: Memory, right: Statement) -> bool:
    """Whether two memories of one type say the same, for like statements: same names, figures, negations, details."""
    return (
        one.type == other.type
        and left.negations == right.negations
        and _order_holds(left, right)
        and (one.trust == "outside") == (other.trust == "outside")
        and one.expires == other.expires
        and (one.type not in EVENTS or one.task == other.task)
        and _agree(one.details, other.details)
    )


def denial(left: Statement, right: Statement) -> str:
    """Say how one of two statements with the same words denies what the other says, "" when it does not."""
    if (left.negations - right.negations) % 2:
        return "one says the opposite of the other"
    if left.negations == right.negations and len(left.words) == len(right.words):
        places = [place for place, pair in enumerate(zip(left.words, right.words, strict=True)) if pair[0] != pair[1]]
        if not places and _reversed(left.order, right.order):
            return f"one says '{' '.join(left.order)}', the other '{' '.join(right.order)}'"
        if len(places) == 2 and left.order and left.order == right.order:
            first, second = places
            if left.words[first] == right.words[second] and left.words[second] == right.words[first]:
                return "the same with two words exchanged"
    return ""


def _reversed(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    return len(one) == len(other) == 1 and REVERSED.get(one[0]) == other[0]


def _order_holds(left: Statement, right: Statement) -> bool:
    if left.names != right.names or left.order != right.order:
        return False
    if left.subject and right.subject and not (left.subject <= right.subject or right.subject <= left.subject):
        return False
    if not left.order:
        return True
    common = left.content & right.content
    return [word for word in left.words if word in common] == [word for word in right.words if word in common]


def _agree(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return all(one[name] == other[name] for name in one.keys() & other.keys() if name not in _PRIVATE)


_PRIVATE = frozenset({"archived_reason", "feedback", "learnings", "query_hash", "relevance"})
"""Details that say nothing of what the memory states."""
