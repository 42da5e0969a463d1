"""Folding: from a set of records to the state, whatever their order and however often each is there.

`fold` is the pure function; `Fold` does the same step by step, for a log that grows. Both give a `State`, which
never changes again, so that readers need no lock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import islice, pairwise
from typing import Protocol

from muninn_core.model.memory import Memory
from muninn_core.model.value import Value, replace
from muninn_core.store.fast_parse import memory_of
from muninn_core.store.fold_index import FoldIndex, makes_memory
from muninn_core.store.lazy_mapping import LazyMapping, Slots, make_all
from muninn_core.store.lazy_memory import LazyMemory
from muninn_core.store.record import Record, preferred
from muninn_core.store.record_history import alone, plain, unsealed
from muninn_core.store.relations import Component, relate


class Dispute(Value):
    """A conflict as it stands. A side that was merged is the memory that speaks for it.

    `keep` is what a person decided: left, right or both. `open` says that a person is asked.
    """

    id: str
    left: str
    right: str
    reason: str
    ts: str
    keep: str | None = None
    open: bool = False


class State(Value):
    """What a set of records says. Memories are in the order of their ids, disputes in that of time.

    `waiting` are changes that lack what they are about; `records` counts distinct records, `silent` the memories that
    are not active, `pending` those of them that wait for an approval.
    """

    memories: Mapping[str, Memory]
    disputes: tuple[Dispute, ...] = ()
    waiting: tuple[Record, ...] = ()
    records: int = 0
    silent: int = 0
    pending: int = 0

    @property
    def conflicts(self) -> tuple[Dispute, ...]:
        """The disputes that wait for a person, oldest first."""
        return tuple(dispute for dispute in self.disputes if dispute.open)

    @property
    def active(self) -> int:
        """How many memories are active."""
        return len(self.memories) - self.silent


def fold(records: Iterable[Record]) -> State:
    """Fold records, all of them taken as sealed. Commutative, associative, idempotent."""
    growing = Fold()
    growing.add(records, sealed=True)
    return growing.state()


class Base(Protocol):
    """Where a fold that was made before has its values. A memory is the same object each time it is asked for."""

    def record(self, number: int) -> Record:
        """Return a record."""

    def same_record(self, number: int) -> Record:
        """Return a record, the same object each time: for who looks through all of them, and does so again."""

    def memory(self, number: int) -> Memory:
        """Return a memory."""


class Fold:
    """A fold that takes records as they come. Not for several threads at once; its states are."""

    def __init__(self, before: Mapping[str, Memory] | None = None) -> None:
        """`before` are memories of an earlier fold: one that comes out equal stays the same object."""
        self.unsealed: set[str] = set()
        """The ids of the records that nobody said to be sealed."""
        self.changed: set[str] = set()
        """The memories that may have changed or gone since somebody last emptied this."""
        self.varied: set[str] = set()
        """The ids of which more than one record was seen."""
        self.silent: set[str] = set()
        """The ids of the memories that are not active."""
        self.pending: set[str] = set()
        """The ids of those of them that wait for an approval."""
        self.filed = FoldIndex()
        self.base: Base | None = None
        self.slots: Slots[Record] = {}
        self.folded: Slots[Memory] = {}
        self._before: Mapping[str, Memory] = before or {}
        self._unmade: LazyMemory | None = None
        self._all_made = False
        self._shown: LazyMapping[Memory] | None = None
        """The memories of the last state, while some of them are yet to be made."""

    @property
    def records(self) -> Mapping[str, Record]:
        """All records by id, as they are now: a view."""
        return LazyMapping(self.slots, None if self.base is None else self.base.record)

    def all_records(self) -> Mapping[str, Record]:
        """Return all records by id; what comes later does not change it."""
        return LazyMapping(dict(self.slots), None if self.base is None else self.base.same_record)

    @property
    def memories(self) -> Mapping[str, Memory]:
        """All memories by id, as they are now: a view."""
        return LazyMapping(self.folded, self._maker())

    def add(self, records: Iterable[Record], sealed: bool) -> None:
        """Take records in; those that are known count once. What was sealed once stays so."""
        slots, known_records, file = self.slots, self.records, self.filed.file
        missing = self.filed.missing
        touched: dict[str, None] = {}  # no set: the records of a log come nearly in the order of their ids
        revised = False
        for record in records:
            identity = record.id
            if identity not in slots:
                slots[identity] = record
                if not sealed:
                    self.unsealed.add(identity)
                if record.plain and identity not in missing:
                    touched[identity] = None  # what `file` says of nearly all
                else:
                    touched.update(dict.fromkeys(file(record, self._makes_memory)))
                continue
            if sealed and identity in self.unsealed:
                self.unsealed.discard(identity)
                touched[identity] = None
            known = known_records[identity]
            if not known.says_as(record):
                self.varied.add(identity)
                slots[identity] = better = preferred(known, record)
                revised = revised or better is not known
        if revised:
            self._file_anew()
            touched = dict.fromkeys(slots)
        self._refold(touched)

    def remove(self, ids: Iterable[str]) -> None:
        """Take records out, as if they had never come. Not for those of `varied`: which stands then is not known.

        Whatever the records are connected with is taken apart and filed again; the rest is not looked at.
        """
        records, memories = self.records, self.memories
        gone = {identity: records[identity] for identity in ids if identity in records}
        members: set[str] = set()
        for identity in {each for record in gone.values() for each in self.filed.about(record)}:
            if identity not in members:
                members |= self.filed.component(identity)
        before = {each: memories[each] for each in members if each in memories}
        births = {each for each in members if self._makes_memory(each)}
        decided = {record.data["conflict"] for record in gone.values() if record.type == "resolve"}
        apart = {each: records[each] for each in self.filed.take_apart(members, decided) | births}
        for record in {**apart, **gone}.values():
            self.filed.wait_no_longer(record)
        for identity in before:
            del self.folded[identity]
        for identity in gone:
            del self.slots[identity]
        self.unsealed -= gone.keys()
        self.silent -= members
        self.pending -= members
        self._before = before
        left = [apart[identity] for identity in sorted(apart.keys() - gone.keys())]
        self._refold(dict.fromkeys(each for record in left for each in self.filed.file(record, self._makes_memory)))
        self.changed |= {each for each, memory in before.items() if self.folded.get(each) is not memory}

    def state(self) -> State:
        """Return the state so far; later records do not change it."""
        memories = self._show()
        waiting = {identity for waits in self.filed.missing.values() for identity in waits}
        return State(
            memories=memories,
            disputes=self._disputes(),
            waiting=tuple(self.records[identity] for identity in sorted(waiting)),
            records=len(self.slots),
            silent=len(self.silent),
            pending=len(self.pending),
        )

    def _show(self) -> LazyMapping[Memory]:
        make = self._maker()
        if make is not None and self._shown is not None and self._shown.settled:
            make_all(self.folded, make)  # all are there, and the next state need not see to that for itself
            self._all_made, self._unmade, make = True, None, None
        shown = LazyMapping(dict(self.folded), make)
        self._shown = shown if make is not None else None
        return shown

    def _maker(self) -> Callable[[int], Memory] | None:
        """Return what makes a memory of its number; None while there is none to be made."""
        if self._all_made:
            return None
        base, unmade = self.base, self._unmade
        if base is None or unmade is None:
            one = base or unmade
            return None if one is None else one.memory
        return lambda number: (base if number >= 0 else unmade).memory(number)

    def latest(self, about: Iterable[str]) -> str:
        """Return the time of the last word on memories or conflicts, "" when there is none."""
        filed, records = (self.filed.changes, self.filed.merges, self.filed.resolves), self.records
        known = [word for one in about for word in (one, *(each for said in filed for each in said.get(one, ())))]
        return max((records[each].ts for each in known if each in records), default="")

    def _makes_memory(self, identity: str) -> bool:
        return identity in self.folded or (identity in self.slots and makes_memory(self.records[identity]))

    def _file_anew(self) -> None:
        """File all records again: one that was filed is another one now."""
        self._before = self.memories
        self.changed.update(self.folded)
        self.filed, self.folded, self.silent, self.pending = FoldIndex(), {}, set(), set()
        for record in self.records.values():
            self.filed.file(record, self._makes_memory)

    def _refold(self, touched: dict[str, None]) -> None:
        near, changes, slots, folded = self.filed.near, self.filed.changes, self.slots, self.folded
        count, last = len(folded), next(reversed(folded), "")
        first = not (folded or self._before)
        unmade = LazyMemory() if first else None
        if unmade is not None:
            self._unmade, self._all_made = unmade, False
        done: set[str] = set()
        for identity in sorted(touched):
            record = slots.get(identity)
            if isinstance(record, Record) and record.plain and identity not in near and identity not in changes:
                if unmade is not None and identity not in self.unsealed:
                    folded[identity] = unmade.take(record)  # nothing to compare with; one that is plain is active
                else:
                    memory = memory_of(record.line)
                    self._put(identity, unsealed(memory) if identity in self.unsealed else memory)
            elif identity not in done:
                for each, memory in self._related(identity, done):
                    self._put(each, memory)
        if first:
            self.changed.update(touched)
        self._before = {}
        came = [last, *reversed([*islice(reversed(folded), len(folded) - count)])]
        if any(one > other for one, other in pairwise(came)):
            self.folded = {each: folded[each] for each in sorted(folded)}

    def _put(self, identity: str, folded: Memory) -> None:
        known = self.memories[identity] if identity in self.folded else self._before.get(identity)
        if known is None or known != folded:
            known = folded
            self.changed.add(identity)
        self.folded[identity] = known
        for ids, belongs in ((self.silent, not known.active), (self.pending, known.waits)):
            if belongs:
                ids.add(identity)
            else:
                ids.discard(identity)

    def _related(self, identity: str, done: set[str]) -> Iterable[tuple[str, Memory]]:
        """Fold the component of a memory; its members are `done` then."""
        records = self.records
        if identity not in self.filed.near and identity not in self.filed.changes and self._makes_memory(identity):
            birth = records[identity]
            if plain(birth):
                memory = alone(birth, sealed=identity not in self.unsealed)
                return ((identity, memory),) if memory is not None else ()
        members = self.filed.component(identity)
        done |= members
        return [
            (each, memory if each in self.unsealed else replace(memory, sealed=True))
            for each, memory in sorted(relate(self._records_of(members)).items())
        ]

    def _records_of(self, members: set[str]) -> Component:
        filed, records = self.filed, self.records
        merges = {each for member in members for each in filed.merges.get(member, ())}
        conflicts = {each for member in members for each in filed.sides.get(member, ())}
        return Component(
            births={each: records[each] for each in members if self._makes_memory(each)},
            changes={each: [records[one] for one in filed.changes[each]] for each in members if each in filed.changes},
            merges=tuple(records[each] for each in sorted(merges)),
            disputes=tuple(
                (records[each], self._last_word(each)) for each in sorted(conflicts) if each in filed.resolves
            ),
        )

    def _last_word(self, conflict: str) -> Record:
        records = self.records
        return max((records[each] for each in self.filed.resolves[conflict]), key=lambda record: record.stamp)

    def _disputes(self) -> tuple[Dispute, ...]:
        found = sorted(map(self._dispute, self.filed.conflicts), key=lambda each: (each.ts, each.id))
        # Two machines may have asked about one pair before they knew who speaks for whom; one answer is enough.
        answered = {frozenset((each.left, each.right)) for each in found if each.keep is not None}
        return tuple(
            replace(each, open=False) if each.open and frozenset((each.left, each.right)) in answered else each
            for each in found
        )

    def _dispute(self, identity: str) -> Dispute:
        record, memories = self.records[identity], self.memories
        data = record.data
        sides = [memories.get(data[side]) for side in ("left", "right")]
        spokesmen = [side and memories.get(side.merged_into or side.id) for side in sides]
        left, right = (side.id if side else data[name] for name, side in zip(("left", "right"), spokesmen, strict=True))
        keep = self._last_word(identity).data["keep"] if identity in self.filed.resolves else None
        reason = data.get("reason")
        both_active = all(side is not None and side.active for side in spokesmen)
        return Dispute(
            id=identity,
            left=left,
            right=right,
            reason=reason if isinstance(reason, str) else "",
            ts=record.ts,
            keep=keep,
            open=keep is None and both_active and left != right,
        )
