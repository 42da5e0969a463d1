"""Plans the upkeep of memory: merges, decay of links, importance from use, and the archive of dead memories.

A pure function of the memories and of what is known about their use. Each step has a reason and can be undone. A pinned
memory and one that a person wrote are never archived, and their importance never falls.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Literal

from muninn_core.model.counting import number_of
from muninn_core.model.memory import TRUST_ORDER, Memory
from muninn_core.model.value import Value
from muninn_core.reconcile.comparison.known_texts import Known
from muninn_core.reconcile.comparison.pairs import compare_all
from muninn_core.reconcile.comparison.relation import forget

Kind = Literal["merge", "link", "importance", "archive"]

KINDS: tuple[Kind, ...] = ("merge", "link", "importance", "archive")

LINK_HALF_LIFE = 180.0
"""Days after which a link that was made automatically has half of its strength, if neither end was used."""

MIN_STRENGTH = 0.2
"""A weaker link is removed."""

USED_WITHIN = 90.0
"""Days within which a memory counts as in use."""

OFTEN = 5
"""Uses within an answer that raise the importance."""

MAX_RAISED = 8
"""The importance above which only a person goes."""

PAUSE = 30.0
"""Days between two changes of one memory's importance."""

UNUSED = 180.0
"""Days without use after which the importance falls."""

DEAD = 365.0
"""Days without use after which a memory of little importance is archived."""

DEAD_IMPORTANCE = 3
"""The greatest importance of a memory that is archived for lack of use."""

REFUTED = 2
"""How much more often a memory must be refuted than confirmed to lose importance at once."""

LASTING = frozenset({"constraint", "decision", "preference"})
"""Kinds that are not archived for lack of use."""


class Use(Value):
    """How a memory was used: answers with it on this machine and the last one, and outcomes in sessions."""

    count: int = 0
    last: str = ""
    confirmed: int = 0
    refuted: int = 0
    stepped: str = ""
    """When upkeep last changed the importance, "" for never."""

    gone: bool = False
    """Whether all cited code is gone."""


class Step(Value):
    """One step. `target` is the memory, for a merge the one that is kept, and `other` the merged one or the link's end.

    `before` and `after` are an importance, or the strength of a link; 0 after a link that is removed.
    """

    kind: Kind
    target: str
    reason: str
    other: str = ""
    relation: str = ""
    before: float = 0.0
    after: float = 0.0


def plan(
    memories: Sequence[Memory],
    uses: Mapping[str, Use],
    linked_at: Mapping[tuple[str, str, str], str],
    apart: set[tuple[str, str]],
    now: datetime,
    limit: int,
    known: Known | None = None,
) -> tuple[list[Step], int]:
    """Return at most `limit` steps of each kind, and the number of further ones.

    `linked_at` is the time of the last record of each link, by (memory, relation, end). `apart` are pairs that a person
    separated, in both orders. What is `known` of the texts saves time; it changes no step.
    """
    ordered = sorted(memories, key=lambda each: (-TRUST_ORDER.index(each.trust), each.ts, each.id))
    merged = list(_merges(ordered, apart, known))
    gone = {step.other for step in merged}
    left = [each for each in ordered if each.id not in gone]
    dead = list(_dead(left, uses, now))
    leaving = {step.target for step in dead}
    left = [each for each in left if each.id not in leaving]
    groups = [merged, list(_links(left, uses, linked_at, now)), list(_importance(left, uses, now)), dead]
    return [step for group in groups for step in group[:limit]], sum(max(0, len(group) - limit) for group in groups)


def _merges(ordered: Sequence[Memory], apart: set[tuple[str, str]], known: Known | None) -> Iterator[Step]:
    found = compare_all(ordered, apart, known).merges
    forget()
    for kept, source in found:
        yield Step(kind="merge", target=kept, other=source, reason="both state the same")


def _links(
    memories: Iterable[Memory], uses: Mapping[str, Use], linked_at: Mapping[tuple[str, str, str], str], now: datetime
) -> Iterator[Step]:
    for memory in memories:
        for link in memory.links:
            made = linked_at.get((memory.id, link.relation, link.target), "")
            if not link.by or not made:
                continue  # a person's link
            age = min(_days(made, now), *(_idle(uses.get(end, Use()), made, now) for end in (memory.id, link.target)))
            if age < LINK_HALF_LIFE:
                continue
            after = round(link.strength * 0.5 ** (age / LINK_HALF_LIFE), 2)
            yield Step(
                kind="link",
                target=memory.id,
                other=link.target,
                relation=link.relation,
                before=link.strength,
                after=after if after >= MIN_STRENGTH else 0.0,
                reason=f"neither end was used for {number_of(round(age), 'day')}",
            )


def _importance(memories: Iterable[Memory], uses: Mapping[str, Use], now: datetime) -> Iterator[Step]:
    for memory in memories:
        use = uses.get(memory.id, Use())
        if use.stepped and _days(use.stepped, now) < PAUSE:
            continue
        change, reason = _change(memory, use, now)
        after = max(1, memory.importance + change)
        if after != memory.importance:
            yield Step(kind="importance", target=memory.id, before=memory.importance, after=after, reason=reason)


def _change(memory: Memory, use: Use, now: datetime) -> tuple[int, str]:
    """Return by how much the importance changes, and why."""
    protected = memory.pinned or memory.trust == "user"
    if use.refuted >= use.confirmed + REFUTED and not protected:
        return -2, f"refuted {number_of(use.refuted, 'time')}, confirmed {number_of(use.confirmed, 'time')}"
    recent = bool(use.last) and _days(use.last, now) <= USED_WITHIN
    if use.count >= OFTEN and recent and use.refuted <= use.confirmed and memory.importance < MAX_RAISED:
        return (
            1,
            f"part of {number_of(use.count, 'answer')}, the last {number_of(round(_days(use.last, now)), 'day')} ago",
        )
    idle = _idle(use, memory.updated or memory.ts, now)
    if idle >= UNUSED and not protected and memory.importance > DEAD_IMPORTANCE and memory.type not in LASTING:
        return -1, f"not used for {number_of(round(idle), 'day')}"
    return 0, ""


def _dead(memories: Collection[Memory], uses: Mapping[str, Use], now: datetime) -> Iterator[Step]:
    known = Counter(link.target for memory in memories for link in memory.links)
    for memory in memories:
        if memory.pinned or memory.trust == "user" or known[memory.id]:
            continue
        use = uses.get(memory.id, Use())
        idle = _idle(use, memory.updated or memory.ts, now)
        if use.gone and idle >= USED_WITHIN:
            yield Step(
                kind="archive",
                target=memory.id,
                reason=f"all cited code is gone; not used for {number_of(round(idle), 'day')}",
            )
        elif idle >= DEAD and memory.importance <= DEAD_IMPORTANCE and memory.type not in LASTING:
            reason = f"importance {memory.importance}; not used for {number_of(round(idle), 'day')}"
            yield Step(kind="archive", target=memory.id, reason=reason)


def _idle(use: Use, made: str, now: datetime) -> float:
    """Return the days since the last use, or since a memory or link was made."""
    return _days(max(use.last, made), now)


def _days(then: str, now: datetime) -> float:
    try:
        return (now - datetime.fromisoformat(then)).total_seconds() / 86_400
    except (ValueError, TypeError):
        return 0.0  # an unreadable time: nothing is old
