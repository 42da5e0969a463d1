"""Whether two statements say the same, or can't both hold. Pure; knows memories but no log."""

from __future__ import annotations

from typing import Any

from muninn_core.model.memory import Memory
from muninn_core.reconcile.lexicon import AWAY, BEING, COMPARING, REVERSED, TOWARDS
from muninn_core.reconcile.sentence import Statement

LIKENESS = 0.8
"""The share of their words that two statements must have in common (Jaccard's index), for one to deny the other."""

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
    """Return the share of words in common when one's words hold all of the other's, else 0."""
    left, right = one.content, other.content
    if not left or not right or not (left <= right or right <= left):
        return 0.0
    return min(len(left), len(right)) / max(len(left), len(right))


def same_words(one: Statement, other: Statement) -> bool:
    """Whether two statements have the same words in the same order, or with a part of it moved to the front.

    A word that one side lacks is a difference in what is said, however long the sentence: access logs are not all
    logs. So is another order: who feeds whom, what causes what.
    """
    left, right = one.words, other.words
    if len(left) != len(right) or sorted(left) != sorted(right):
        return False
    if one.order != other.order or _crossed(one, other):
        return False
    if one.permits != other.permits and not one.negations:  # what may not be must not be
        return False
    if _asked(one, other) or _asked(other, one):
        return True
    if not one.order:
        return _rotated(left, right)
    if len(one.order) > 1 or one.pivot != other.pivot:
        return left == right
    return _rotated(left[: one.pivot], right[: one.pivot]) and _rotated(left[one.pivot :], right[one.pivot :])


def _asked(asking: Statement, telling: Statement) -> bool:
    """Whether one asks for what the other says is done: "Rotate keys each month", "Keys are rotated each month"."""
    if not asking.words or asking.verbs[0] or (asking.order and asking.pivot != telling.pivot):
        return False
    verb, *rest = asking.words
    return any(
        word == verb and telling.leads[place] in BEING and [*telling.words[:place], *telling.words[place + 1 :]] == rest
        for place, word in enumerate(telling.words)
    )


def _rotated(left: tuple[str, ...], right: tuple[str, ...]) -> bool:
    return left == right or any(left == right[place:] + right[:place] for place in range(1, len(right)))


def _crossed(one: Statement, other: Statement) -> bool:
    """Whether something comes from where, in the other, it goes to."""
    ways = [
        {(lead in TOWARDS, word) for lead, word in zip(side.leads, side.words, strict=True) if lead in _WAYS}
        for side in (one, other)
    ]
    return any((not towards, word) in ways[1] for towards, word in ways[0])


def same_subject(one: Memory, other: Memory) -> bool:
    """Whether two memories may be about the same: no two sets of files without a file in common."""
    return not one.files or not other.files or bool(set(one.files) & set(other.files))


def same(one: Memory, left: Statement, other: Memory, right: Statement) -> bool:
    """Whether two memories of one type say the same: same words, figures, negations, details."""
    return (
        one.type == other.type
        and left.negations == right.negations
        and same_words(left, right)
        and (one.trust == "outside") == (other.trust == "outside")
        and one.expires == other.expires
        and (one.type not in EVENTS or one.task == other.task)
        and _agree(one.details, other.details)
    )


def denial(left: Statement, right: Statement) -> str:
    """Say how one of two statements with nearly the same words denies what the other says, "" when it does not."""
    if (left.negations - right.negations) % 2:
        return "one says the opposite of the other"
    if left.negations != right.negations or sorted(left.words) != sorted(right.words):
        return ""
    if left.words == right.words and _reversed(left.order, right.order):
        return f"one says '{' '.join(left.order)}', the other '{' '.join(right.order)}'"
    if left.order == right.order and {*left.order} & COMPARING and _exchanged(left, right):
        return "one puts first what the other puts last"
    return ""


def universal_denial(denying: Statement, affirming: Statement) -> bool:
    """Whether a statement that denies something altogether meets one that says it of a case, with more words."""
    return (
        denying.negations % 2 == 1
        and affirming.negations == 0
        and not affirming.order
        and denying.content < affirming.content
        and len(denying.content) >= 2
        and (len(denying.words) >= 3 or len(affirming.words) <= 4)
    )


def _exchanged(left: Statement, right: Statement) -> bool:
    """Whether what is on both sides of the ordering word has changed places: "A over B" and "B over A"."""
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


def _agree(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return all(one[name] == other[name] for name in one.keys() & other.keys() if name not in _PRIVATE)


_WAYS = TOWARDS | AWAY
_PRIVATE = frozenset({"archived_reason", "feedback", "learnings", "query_hash", "relevance"})
"""Details that say nothing of what the memory states."""
