"""Finds the pairs of memories worth comparing, without comparing all with all.

Similar statements have the same words, except for one or two that one of them has in addition. So each statement looks
up the hash of its words without these. Statements that differ in one word share the hash of the statement without that
word.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, reduce
from itertools import combinations
from operator import xor

from muninn_core.model.memory import Memory
from muninn_core.model.value import Value
from muninn_core.reconcile.compare import (
    LIKENESS,
    denial_reason,
    group_of,
    is_equal,
    likeness,
    same_subject,
    universal_denial,
)
from muninn_core.reconcile.sentence import Statement
from muninn_core.reconcile.value_conflicts import MAX_WORDS, Slot, frames_of, slot_at, slots_conflict

MOST_VALUES = 4
"""With more different values in one place, the statements are a list and no contradiction."""

MOST_LEADERS = 50
"""With more memories of the same words that are not equal (other files, other details), the rest is not compared."""

_WORDS_MORE, _LONGEST_WITH_MORE = 3, 12
"""In words: how many more a statement may have than its general denial, and its maximum length."""

_TWO_MORE_UP_TO = 24
"""In words: of longer statements one may have only one word more, because there are too many pairs."""


class Comparison(Value):
    """The result of a comparison: merges as (kept, source), contradictions as (one, other, reason), by id."""

    merges: tuple[tuple[str, str], ...]
    contradictions: tuple[tuple[str, str, str], ...]


def compare_all(
    ordered: Sequence[Memory], statements: Mapping[str, Statement], apart: set[tuple[str, str]]
) -> Comparison:
    """Compare memories, in the order of preference. Of equal memories the first is kept.

    Contradictions are only searched when there is nothing to merge. `apart` are pairs (kept, source) that a person has
    separated. The result depends on the order of the memories alone.
    """
    keys = {memory.id: _key(memory, statements[memory.id]) for memory in ordered}
    near = _neighbours(ordered, statements, keys)
    leaders: dict[int, list[Memory]] = defaultdict(list)
    merges: list[tuple[str, str]] = []
    contradictions: list[tuple[str, str, str]] = []
    for memory in ordered:
        key = keys[memory.id]
        alike = [leader for each in (key, *sorted(near.get(key, ()))) for leader in leaders.get(each, ())]
        leader = _leader(memory, alike, statements, apart)
        if leader is not None:
            merges.append((leader, memory.id))
        elif len(leaders[key]) < MOST_LEADERS:
            contradictions += _denials(memory, alike, statements)
            leaders[key].append(memory)
    if merges:
        # Earlier decisions about a pair are known only after merging, so contradictions wait for the next call.
        return Comparison(merges=tuple(merges), contradictions=())
    contradictions += _general_denials(ordered, statements)
    contradictions += _value_conflicts(ordered, statements)
    return Comparison(merges=tuple(merges), contradictions=tuple(contradictions))


def _key(memory: Memory, statement: Statement) -> int:
    """Return a hash that memories of one group with the same names, figures and words have in common."""
    key = _number(repr((group_of(memory.type) or memory.type, statement.numbers, sorted(statement.names))))
    for word in statement.content:
        key ^= _number(word)
    return key


def _neighbours(
    ordered: Sequence[Memory], statements: Mapping[str, Statement], keys: Mapping[str, int]
) -> dict[int, set[int]]:
    """Return, for each key, the keys of statements that have one or two words more or fewer."""
    there = set(keys.values())
    near: dict[int, set[int]] = defaultdict(set)
    for memory in ordered:
        key = keys[memory.id]
        if key in near:
            continue
        near[key] = set()
        for less in _with_less(key, statements[memory.id].content):
            if less in there:
                near[key].add(less)
    for key, others in list(near.items()):
        for other in others:
            near[other].add(key)
    return near


def _with_less(key: int, content: frozenset[str]) -> Iterator[int]:
    size = len(content)
    spare = min(2 if size <= _TWO_MORE_UP_TO else 1, int(size * (1 - LIKENESS) + 1e-9))
    numbers = [_number(word) for word in content]
    for count in range(1, spare + 1):
        for left_out in combinations(numbers, count):
            less = key
            for number in left_out:
                less ^= number
            yield less


@lru_cache(maxsize=100_000)
def _number(word: str) -> int:
    return int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "big")


def _leader(
    memory: Memory, alike: Iterable[Memory], statements: Mapping[str, Statement], apart: set[tuple[str, str]]
) -> str | None:
    own = statements[memory.id]
    leaders = [
        other.id
        for other in alike
        if (other.id, memory.id) not in apart
        and same_subject(memory, other)
        and is_equal(memory, own, other, statements[other.id])
    ]
    return min(leaders, default=None)


def _denials(
    memory: Memory, alike: Iterable[Memory], statements: Mapping[str, Statement]
) -> list[tuple[str, str, str]]:
    own = statements[memory.id]
    if not group_of(memory.type) or len(own.words) > MAX_WORDS:
        return []
    found = []
    for other in alike:
        theirs = statements[other.id]
        if same_subject(memory, other) and likeness(own, theirs) >= LIKENESS:
            reason = denial_reason(*(pair[1] for pair in sorted(((memory.id, own), (other.id, theirs)))))
            found += [(memory.id, other.id, reason)] if reason else []
    return found


def _general_denials(kept: Sequence[Memory], statements: Mapping[str, Statement]) -> Iterator[tuple[str, str, str]]:
    """Yield the pairs where one denies in general what the other, with up to three words more, affirms in a case."""
    denying: dict[tuple[str, int], list[Memory]] = defaultdict(list)
    for memory in kept:
        group, statement = group_of(memory.type), statements[memory.id]
        if group and statement.negations % 2 and len(statement.words) <= _LONGEST_WITH_MORE:
            denying[group, _content_key(statement.content)].append(memory)
    for memory in kept if denying else ():
        group, statement = group_of(memory.type), statements[memory.id]
        if not group or statement.negations or not 2 <= len(statement.content) <= _LONGEST_WITH_MORE:
            continue
        numbers = [_number(word) for word in statement.content]
        whole = _content_key(statement.content)
        for count in range(1, min(_WORDS_MORE, len(numbers) - 1) + 1):
            for left_out in combinations(numbers, count):
                for other in denying.get((group, reduce(xor, left_out, whole)), ()):
                    if same_subject(memory, other) and universal_denial(statements[other.id], statement):
                        yield other.id, memory.id, "one says never what the other says of a case"


def _content_key(content: frozenset[str]) -> int:
    return reduce(xor, map(_number, content), 0)


def _value_conflicts(kept: Iterable[Memory], statements: Mapping[str, Statement]) -> list[tuple[str, str, str]]:
    """Return the pairs that differ in one claimed value."""
    frames: dict[tuple[object, ...], list[tuple[int, int, Memory]]] = defaultdict(list)
    for memory in kept:
        group = group_of(memory.type)
        for frame, start, stop in frames_of(statements[memory.id]) if group else ():
            frames[group, *frame].append((start, stop, memory))
    found: dict[tuple[str, str], str] = {}
    for places in frames.values():
        if 2 <= len(places) <= MOST_LEADERS:
            entries = [(slot_at(statements[memory.id], start, stop), memory) for start, stop, memory in places]
            for one, other, reason in _clashes(entries):
                found.setdefault((one, other), reason)
    return [(one, other, reason) for (one, other), reason in found.items()]


def _clashes(entries: Sequence[tuple[Slot, Memory]]) -> Iterator[tuple[str, str, str]]:
    if not 2 <= len({slot.words for slot, _ in entries}) <= MOST_VALUES:
        return
    in_order = sorted(entries, key=lambda entry: entry[1].id)
    for (slot, one), (other_slot, other) in combinations(in_order, 2):
        if one.id != other.id and same_subject(one, other) and slots_conflict(slot, other_slot):
            yield one.id, other.id, f"one says '{slot.shown}', the other '{other_slot.shown}'"
