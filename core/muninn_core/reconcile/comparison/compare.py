"""Decides whether two memories state the same or contradict each other. A pure function of both."""

from __future__ import annotations

from typing import Any

from muninn_core.model.memory import Memory
from muninn_core.reconcile.comparison.relation import APART, SAME, Relation, relate, state_same

CLAIMS = frozenset({"configuration", "constraint", "decision", "preference"})
"""Kinds of memory that can contradict each other across kinds, because all state what should be."""

EVENTS = frozenset({"attempt", "context_hit", "session_summary"})
"""Kinds of memory about single events, which never contradict each other."""


def judge(one: Memory, other: Memory) -> Relation:
    """Return how two memories relate. The order of the two does not matter.

    Memories of different types, expiry, details or tasks are never the same, nor are one from outside and one from
    inside the project. Memories about sets of files without a common file do not relate at all.
    """
    if not may_relate(one, other):
        return APART
    found = relate_texts(one, other)
    return APART if found.verdict == "same" and not is_mergeable(one, other) else found


def may_relate(one: Memory, other: Memory) -> bool:
    """Whether two memories can be the same or contradict each other, whatever their texts say."""
    if comparable_kind(one.type) != comparable_kind(other.type) or not same_subject(one, other):
        return False
    return may_contradict(one, other) or is_mergeable(one, other)


def relate_texts(one: Memory, other: Memory) -> Relation:
    """Return how the texts of two memories that may relate do so. Those about events are the same or apart."""
    if one.text == other.text:
        return SAME
    if may_contradict(one, other):
        return relate(one.text, other.text)
    return SAME if state_same(one.text, other.text) else APART


def replaces(newer: Memory, older: Memory) -> bool:
    """Whether a memory replaces an older one by itself: both have one author and one trust, and one value changed.

    The author is a person and, where a program wrote for the person, that program.
    """
    return (
        newer.ts > older.ts
        and (newer.author, newer.actor, newer.agent) == (older.author, older.actor, older.agent)
        and newer.trust == older.trust
        and newer.type == older.type
        and (newer.files, _cited(newer)) == (older.files, _cited(older))
        and not (older.pinned or newer.unvetted)
        and (newer.expires, newer.scope) == (older.expires, older.scope)
        and judge(newer, older).value
    )


def group_of(kind: str) -> str:
    """Return the group of kinds within which memories can contradict each other; "" for events."""
    if kind in EVENTS:
        return ""
    return "claims" if kind in CLAIMS else kind


def comparable_kind(kind: str) -> str:
    """Return what memories that can be the same or contradict each other have in common: the group of kinds, or, of an
    event, the kind.
    """
    return group_of(kind) or kind


def may_contradict(one: Memory, other: Memory) -> bool:
    """Whether memories of these types contradict each other if their texts do."""
    group = group_of(one.type)
    return bool(group) and group == group_of(other.type)


def same_subject(one: Memory, other: Memory) -> bool:
    """Whether two memories may have the same subject: false for two sets of files without a common file."""
    return not one.files or not other.files or bool(set(one.files) & set(other.files))


def is_mergeable(one: Memory, other: Memory) -> bool:
    """Whether two memories are one if their texts state the same."""
    return not obstacle(one, other)


def obstacle(one: Memory, other: Memory) -> str:
    """Return what of two memories keeps them separate even if their texts state the same, "" for nothing."""
    if one.type != other.type:
        return "type"
    if (one.trust == "outside") != (other.trust == "outside"):
        return "origin"
    if one.expires != other.expires:
        return "expiry"
    if one.type in EVENTS and one.task != other.task:
        return "task"
    return "" if _details_agree(one.details, other.details) else "details"


def _cited(memory: Memory) -> set[str]:
    return {cite.path for cite in memory.cites}


def _details_agree(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return all(one[name] == other[name] for name in one.keys() & other.keys() if name not in _IGNORED_DETAILS)


_IGNORED_DETAILS = frozenset({"archived_reason", "enrichment", "feedback", "learnings", "query_hash", "relevance"})
"""Details that are not part of what a memory states."""
