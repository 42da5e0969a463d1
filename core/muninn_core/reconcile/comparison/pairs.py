"""Compares many memories: judges the candidate pairs, and derives merges, replacements and contradictions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from muninn_core.model.memory import Memory
from muninn_core.model.value import Value
from muninn_core.reconcile.comparison.candidates import candidates, question_of
from muninn_core.reconcile.comparison.compare import is_mergeable, may_relate, relate_texts, replaces
from muninn_core.reconcile.comparison.known_texts import Known
from muninn_core.reconcile.comparison.relation import Relation

MAX_VALUES = 4
"""With more different values in one place, the statements are a list and no contradiction."""


class Comparison(Value):
    """The result of a comparison, by id: merges as (kept, source), replacements as (newer, older, reason),
    contradictions as (one, other, reason).
    """

    merges: tuple[tuple[str, str], ...] = ()
    replaced: tuple[tuple[str, str, str], ...] = ()
    contradictions: tuple[tuple[str, str, str], ...] = ()


def compare_all(ordered: Sequence[Memory], apart: set[tuple[str, str]], known: Known | None = None) -> Comparison:
    """Compare memories, in the order of preference. Of equal memories the first is kept.

    Contradictions are only searched when there is nothing to merge: earlier decisions about a pair are known only after
    merging. `apart` are pairs that a person has separated, in both orders. The result depends on the order of the
    memories alone: what is `known` of their texts only saves time, and grows.
    """
    known = known or Known()
    texts = known.read(memory.text for memory in ordered)
    merges: dict[int, int] = {}
    others: list[tuple[int, int, Relation]] = []
    for first, second in candidates(ordered, texts, known):
        one, other = ordered[first], ordered[second]
        if first in merges or second in merges or (one.id, other.id) in apart or not may_relate(one, other):
            continue
        found = relate_texts(*sorted((one, other), key=lambda memory: (memory.ts, memory.id)))
        if found.verdict == "apart":
            known.deny(int(texts[first]), int(texts[second]), question_of(one))
        elif found.verdict == "contradiction":
            others.append((first, second, found))
        elif is_mergeable(one, other):
            merges[second] = first
    if merges:
        return Comparison(merges=tuple((ordered[kept].id, ordered[gone].id) for gone, kept in sorted(merges.items())))
    others.sort(key=lambda each: each[:2])
    listed = _lists(others)
    replaced: dict[int, tuple[str, str, str]] = {}
    contradictions = []
    for first, second, found in others:
        if found.sides and {first, second} <= listed:
            continue
        older, newer = sorted((first, second), key=lambda position: (ordered[position].ts, ordered[position].id))
        if found.value and replaces(ordered[newer], ordered[older]):
            replaced.setdefault(older, (ordered[newer].id, ordered[older].id, found.reason))
        else:
            contradictions.append((ordered[first].id, ordered[second].id, found.reason))
    return Comparison(
        replaced=tuple(replaced[position] for position in sorted(replaced)), contradictions=tuple(contradictions)
    )


def _lists(found: Iterable[tuple[int, int, Relation]]) -> set[int]:
    """Return the memories that differ in one value from too many others to be in contradiction with them."""
    degree = Counter(position for first, second, relation in found if relation.sides for position in (first, second))
    return {position for position, count in degree.items() if count >= MAX_VALUES}
