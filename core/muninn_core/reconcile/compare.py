"""Decides whether two statements are equal or contradict each other. Pure functions of memories."""

from __future__ import annotations

from typing import Any

from muninn_core.model.memory import Memory
from muninn_core.reconcile.lexicon import AWAY, BEING, COMPARING, REVERSED, TOWARDS
from muninn_core.reconcile.sentence import Statement

LIKENESS = 0.8
"""The share of words (Jaccard index) that two statements must have in common to contradict each other."""

CLAIMS = frozenset({"configuration", "constraint", "decision", "preference"})
"""Kinds of memory that can contradict each other across kinds, because all state what should be."""

EVENTS = frozenset({"attempt", "context_hit", "session_summary"})
"""Kinds of memory about single events, which never contradict each other."""


def group_of(kind: str) -> str:
    """Return the group of kinds within which memories can contradict each other; "" for events."""
    if kind in EVENTS:
        return ""
    return "claims" if kind in CLAIMS else kind


def likeness(one: Statement, other: Statement) -> float:
    """Return the share of common words when one statement's words include all of the other's, else 0."""
    left, right = one.content, other.content
    if not left or not right or not (left <= right or right <= left):
        return 0.0
    return min(len(left), len(right)) / max(len(left), len(right))


def same_words(one: Statement, other: Statement) -> bool:
    """Whether two statements have the same words in the same order, or with a part moved to the front.

    A missing word always is a difference, because access logs are not all logs. So is another order, which swaps
    subject and object or cause and effect.
    """
    left, right = one.words, other.words
    if len(left) != len(right) or sorted(left) != sorted(right):
        return False
    if one.order != other.order or _directions_swapped(one, other):
        return False
    if one.permits != other.permits and not one.negations:  # "may not" means "must not"
        return False
    if _is_imperative_of(one, other) or _is_imperative_of(other, one):
        return True
    if not one.order:
        return _is_rotation(left, right)
    if len(one.order) > 1 or one.pivot != other.pivot:
        return left == right
    return _is_rotation(left[: one.pivot], right[: one.pivot]) and _is_rotation(left[one.pivot :], right[one.pivot :])


def _is_imperative_of(asking: Statement, telling: Statement) -> bool:
    """Whether one is the imperative of the other: "Rotate keys each month", "Keys are rotated each month"."""
    if not asking.words or asking.verbs[0] or (asking.order and asking.pivot != telling.pivot):
        return False
    verb, *rest = asking.words
    return any(
        word == verb and telling.leads[place] in BEING and [*telling.words[:place], *telling.words[place + 1 :]] == rest
        for place, word in enumerate(telling.words)
    )


def _is_rotation(left: tuple[str, ...], right: tuple[str, ...]) -> bool:
    return left == right or any(left == right[place:] + right[:place] for place in range(1, len(right)))


def _directions_swapped(one: Statement, other: Statement) -> bool:
    """Whether one statement's source is the other's target."""
    ways = [
        {(lead in TOWARDS, word) for lead, word in zip(side.leads, side.words, strict=True) if lead in _WAYS}
        for side in (one, other)
    ]
    return any((not towards, word) in ways[1] for towards, word in ways[0])


def same_subject(one: Memory, other: Memory) -> bool:
    """Whether two memories may have the same subject: false for two sets of files without a common file."""
    return not one.files or not other.files or bool(set(one.files) & set(other.files))


def is_equal(one: Memory, left: Statement, other: Memory, right: Statement) -> bool:
    """Whether two memories of one type are equal: words, figures, negations, trust, expiry and details."""
    return (
        one.type == other.type
        and left.negations == right.negations
        and same_words(left, right)
        and (one.trust == "outside") == (other.trust == "outside")
        and one.expires == other.expires
        and (one.type not in EVENTS or one.task == other.task)
        and _details_agree(one.details, other.details)
    )


def denial_reason(left: Statement, right: Statement) -> str:
    """Return how one of two statements with nearly the same words contradicts the other, "" when it does not."""
    if (left.negations - right.negations) % 2:
        return "one says the opposite of the other"
    if left.negations != right.negations or sorted(left.words) != sorted(right.words):
        return ""
    if left.words == right.words and _reversed(left.order, right.order):
        return f"one says '{' '.join(left.order)}', the other '{' '.join(right.order)}'"
    if left.order == right.order and {*left.order} & COMPARING and _sides_swapped(left, right):
        return "one puts first what the other puts last"
    return ""


def universal_denial(denying: Statement, affirming: Statement) -> bool:
    """Whether a statement denies in general what the other, with more words, affirms in a case."""
    return (
        denying.negations % 2 == 1
        and affirming.negations == 0
        and not affirming.order
        and denying.content < affirming.content
        and len(denying.content) >= 2
        and (len(denying.words) >= 3 or len(affirming.words) <= 4)
    )


def _sides_swapped(left: Statement, right: Statement) -> bool:
    """Whether the two sides of the ordering word are swapped: "A over B" and "B over A"."""
    pivot = left.pivot
    for start in range(pivot):
        for stop in range(pivot + 1, len(left.words) + 1):
            first, second = left.words[start:pivot], left.words[pivot:stop]
            swapped = left.words[:start] + second + first + left.words[stop:]
            if first + second != second + first and right.words == swapped and right.pivot == start + len(second):
                return True
    return False


def _reversed(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    return len(one) == len(other) == 1 and bool({(one[0], other[0]), (other[0], one[0])} & REVERSED)


def _details_agree(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return all(one[name] == other[name] for name in one.keys() & other.keys() if name not in _IGNORED_DETAILS)


_WAYS = TOWARDS | AWAY
_IGNORED_DETAILS = frozenset({"archived_reason", "enrichment", "feedback", "learnings", "query_hash", "relevance"})
"""Details that are not part of what a memory states."""
