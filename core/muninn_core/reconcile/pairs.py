"""Finding, among thousands of memories, the few pairs that are worth comparing, without comparing all with all.

Statements that are alike have the same words but for one or two that one of them has more; so each looks for those
that hold its words without these. Statements with a single word exchanged meet under the statement with that word
left out.
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
    denial,
    group_of,
    likeness,
    same,
    same_subject,
    universal_denial,
)
from muninn_core.reconcile.sentence import Statement
from muninn_core.reconcile.value_conflicts import LONGEST, Slot, clash, frames_of, slot_at

MOST_VALUES = 4
"""A sentence with more values than this in one place is a list of things, not a contradiction."""

MOST_LEADERS = 50
"""With more memories of the same words that are yet not the same (other files, other details), the rest stand alone."""

_WORDS_MORE, _LONGEST_WITH_MORE = 3, 12
"""In words: by how much one statement may be longer than one that denies it altogether, and how long it may be."""

_TWO_MORE_UP_TO = 24
"""In words: one of two longer statements may have a single word more than the other, for the pairs are many."""


class SimilarPair(Value):
    """What comparing found: merges as (kept, source) and contradictions as (one, other, reason), by id."""

    merges: tuple[tuple[str, str], ...]
    contradictions: tuple[tuple[str, str, str], ...]


def compare_all(
    ordered: Sequence[Memory], statements: Mapping[str, Statement], apart: set[tuple[str, str]]
) -> SimilarPair:
    """Compare memories, the preferred ones first: of those that say the same, the first is kept.

    Contradictions are looked for where nothing is left to merge.

    `apart` are (kept, source) that a person has parted. The result depends on the order and on nothing else.
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
        # Whether a pair was decided before shows only when it is known who speaks for whom; so these come next time.
        return SimilarPair(merges=tuple(merges), contradictions=())
    contradictions += _exceptions(ordered, statements)
    contradictions += _exchanges(ordered, statements)
    return SimilarPair(merges=tuple(merges), contradictions=tuple(contradictions))


def _key(memory: Memory, statement: Statement) -> int:
    """A number that memories of one group with the same names, figures and words have in common."""
    key = _number(repr((group_of(memory.type) or memory.type, statement.numbers, sorted(statement.names))))
    for word in statement.content:
        key ^= _number(word)
    return key


def _neighbours(
    ordered: Sequence[Memory], statements: Mapping[str, Statement], keys: Mapping[str, int]
) -> dict[int, set[int]]:
    """Which keys belong to statements that differ by a word or two that one has more."""
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
        and same(memory, own, other, statements[other.id])
    ]
    return min(leaders, default=None)


def _denials(
    memory: Memory, alike: Iterable[Memory], statements: Mapping[str, Statement]
) -> list[tuple[str, str, str]]:
    own = statements[memory.id]
    if not group_of(memory.type) or len(own.words) > LONGEST:
        return []
    found = []
    for other in alike:
        theirs = statements[other.id]
        if same_subject(memory, other) and likeness(own, theirs) >= LIKENESS:
            reason = denial(*(pair[1] for pair in sorted(((memory.id, own), (other.id, theirs)))))
            found += [(memory.id, other.id, reason)] if reason else []
    return found


def _exceptions(kept: Sequence[Memory], statements: Mapping[str, Statement]) -> Iterator[tuple[str, str, str]]:
    """The pairs of which one denies altogether what the other says of a case, with up to three words more."""
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


def _exchanges(kept: Iterable[Memory], statements: Mapping[str, Statement]) -> list[tuple[str, str, str]]:
    """The pairs that are the same but for a value, at a place where something is claimed."""
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
        if one.id != other.id and same_subject(one, other) and clash(slot, other_slot):
            yield one.id, other.id, f"one says '{slot.shown}', the other '{other_slot.shown}'"
