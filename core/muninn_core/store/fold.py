"""Folding: from a set of records to the state, whatever their order and however often each is there.

`fold` is the pure function; `Fold` does the same step by step, for a log that grows. Both give a `State`, which
never changes again, so that readers need no lock.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from muninn_core.model.memory import Memory
from muninn_core.model.value import Value, replace
from muninn_core.store.change import CHANGES, needs
from muninn_core.store.history import alone, plain
from muninn_core.store.record import Record, preferred
from muninn_core.store.relate import Component, relate


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

    `waiting` are changes that lack what they are about; `records` counts distinct records.
    """

    memories: Mapping[str, Memory]
    disputes: tuple[Dispute, ...] = ()
    waiting: tuple[Record, ...] = ()
    records: int = 0

    @property
    def conflicts(self) -> tuple[Dispute, ...]:
        """The disputes that wait for a person, oldest first."""
        return tuple(dispute for dispute in self.disputes if dispute.open)

    @property
    def pending(self) -> int:
        """How many memories wait for an approval."""
        return sum(1 for memory in self.memories.values() if memory.review == "pending" and memory.waits)

    @property
    def active(self) -> int:
        """How many memories are active."""
        return sum(1 for memory in self.memories.values() if memory.active)


def fold(records: Iterable[Record]) -> State:
    """Fold records, all of them taken as sealed. Commutative, associative, idempotent."""
    growing = Fold()
    growing.add(records, sealed=True)
    return growing.state()


class Fold:
    """A fold that takes records as they come. Not for several threads at once; its states are."""

    def __init__(self, before: Mapping[str, Memory] | None = None) -> None:
        """`before` are memories of an earlier fold: one that comes out equal stays the same object."""
        self.records: dict[str, Record] = {}
        self.sealed: set[str] = set()
        self._before = before or {}
        self.changed: set[str] = set()
        """The memories that may have changed or gone since somebody last emptied this."""
        self.varied: set[str] = set()
        """The ids of which more than one record was seen."""
        self._clear()

    def _clear(self) -> None:
        self._births: dict[str, Record] = {}
        self._changes: dict[str, list[Record]] = defaultdict(list)
        self._merges: dict[str, list[Record]] = defaultdict(list)
        self._conflicts: dict[str, Record] = {}
        self._sides: dict[str, set[str]] = defaultdict(set)
        self._resolves: dict[str, list[Record]] = defaultdict(list)
        self._near: dict[str, set[str]] = defaultdict(set)
        self._missing: dict[str, dict[str, Record]] = defaultdict(dict)
        self._memories: dict[str, Memory] = {}

    def add(self, records: Iterable[Record], sealed: bool) -> None:
        """Take records in; those that are known count once. What was sealed once stays so."""
        touched: set[str] = set()
        revised = False
        for record in records:
            known = self.records.get(record.id)
            if sealed and record.id not in self.sealed:
                self.sealed.add(record.id)
                if known is not None and record.id in self._births:
                    touched.add(record.id)
            if known is not None:
                better = known
                if known.data != record.data:
                    self.varied.add(record.id)
                    better = preferred(known, record)
                revised = revised or better is not known
                self.records[record.id] = better
                continue
            self.records[record.id] = record
            touched.update(self._file(record))
        if revised:
            self._before = self._memories
            self.changed.update(self._before)
            self._clear()
            touched = {identity for record in self.records.values() for identity in self._file(record)}
        self._refold(touched)

    def remove(self, ids: Iterable[str]) -> None:
        """Take records out, as if they had never come. Not for those of `varied`: which stands then is not known.

        Whatever the records are connected with is taken apart and filed again; the rest is not looked at.
        """
        gone = {identity: self.records.pop(identity) for identity in ids if identity in self.records}
        self.sealed -= gone.keys()
        members: set[str] = set()
        for identity in {each for record in gone.values() for each in self._about(record)}:
            if identity not in members:
                members |= self._component(identity)
        before = {each: self._memories.pop(each) for each in members if each in self._memories}
        apart = {**self._take_apart(members, gone.values()), **gone}
        for record in apart.values():
            for wanted in needs(record.data):
                self._missing[wanted].pop(record.id, None)
        self._before = before
        self._refold({each for identity in apart.keys() - gone.keys() for each in self._file(apart[identity])})
        self.changed |= {each for each, memory in before.items() if self._memories.get(each) is not memory}

    def _about(self, record: Record) -> Iterable[str]:
        """The memories that a record says something of."""
        if record.type == "resolve":
            conflict = self._conflicts.get(record.data["conflict"])
            return needs(conflict.data) if conflict else ()
        return (record.id, *needs(record.data), *_superseded_by(record))

    def _take_apart(self, members: set[str], gone: Iterable[Record]) -> dict[str, Record]:
        """Forget all that is filed of some memories, and of the conflicts about them; return those records."""
        found: list[Record] = []
        conflicts = {record.data["conflict"] for record in gone if record.type == "resolve"}
        for each in members:
            self._near.pop(each, None)
            conflicts |= self._sides.pop(each, set())
            found += self._changes.pop(each, []) + self._merges.pop(each, [])
            if each in self._births:
                found.append(self._births.pop(each))
        for each in conflicts:
            found += self._resolves.pop(each, [])
            if each in self._conflicts:
                found.append(self._conflicts.pop(each))
        return {record.id: record for record in found}

    def state(self) -> State:
        """Return the state so far; later records do not change it."""
        waiting = {identity: record for waits in self._missing.values() for identity, record in waits.items()}
        return State(
            memories=MappingProxyType(dict(self._memories)),
            disputes=self._disputes(),
            waiting=tuple(waiting[identity] for identity in sorted(waiting)),
            records=len(self.records),
        )

    def latest(self, about: Iterable[str]) -> str:
        """Return the time of the last word on memories or conflicts, "" when there is none."""
        known: list[Record] = []
        for identity in about:
            if identity in self.records:
                known.append(self.records[identity])
            for index in (self._changes, self._merges, self._resolves):
                known.extend(index.get(identity, ()))
        return max((record.ts for record in known), default="")

    def _file(self, record: Record) -> Iterable[str]:
        """Put a record where folding finds it, and return the memories that it touches."""
        if record.type not in CHANGES:
            return self._file_birth(record)
        wanted = needs(record.data)
        for identity in wanted:
            if identity not in self._births and identity not in self._conflicts:
                self._missing[identity][record.id] = record
        match record.type:
            case "merge":
                for identity in set(wanted):
                    self._merges[identity].append(record)
            case "conflict":
                self._missing.pop(record.id, None)
                self._conflicts[record.id] = record
                for identity in wanted:
                    self._sides[identity].add(record.id)
            case "resolve":
                self._resolves[record.data["conflict"]].append(record)
                conflict = self._conflicts.get(record.data["conflict"])
                return (conflict.data["left"], conflict.data["right"]) if conflict else ()
            case _:
                target = record.data["target"]
                self._changes[target].append(record)
                wanted = (target, *_superseded_by(record), *wanted[1:])
        self._connect(wanted)
        return wanted

    def _file_birth(self, record: Record) -> tuple[str, ...]:
        if "target" in record.data:
            return ()  # a change of a later time: kept, not applied
        self._missing.pop(record.id, None)
        self._births[record.id] = record
        if "links" in record.data:
            self._connect((record.id, *_superseded_by(record)))
        return (record.id,)

    def _connect(self, identities: tuple[str, ...]) -> None:
        first = identities[0]
        for other in identities[1:]:
            self._near[first].add(other)
            self._near[other].add(first)

    def _refold(self, touched: set[str]) -> None:
        done: set[str] = set()
        in_order = True
        last = next(reversed(self._memories), "")
        for identity in sorted(touched):
            if identity in done:
                continue
            for each, folded in self._related(identity, done):
                in_order = in_order and (each in self._memories or each > last)
                last = max(last, each)
                known = self._memories.get(each) or self._before.get(each)
                if known is None or known != folded:
                    known = folded
                    self.changed.add(each)
                self._memories[each] = known
        self._before = {}
        if not in_order:
            self._memories = {each: self._memories[each] for each in sorted(self._memories)}

    def _related(self, identity: str, done: set[str]) -> Iterable[tuple[str, Memory]]:
        """Fold the component of a memory; its members are `done` then."""
        birth = self._births.get(identity)
        if birth and identity not in self._near and identity not in self._changes and plain(birth):
            memory = alone(birth, sealed=identity in self.sealed)
            return ((identity, memory),) if memory is not None else ()
        members = self._component(identity)
        done |= members
        return [
            (each, replace(memory, sealed=True) if each in self.sealed else memory)
            for each, memory in sorted(relate(self._records_of(members)).items())
        ]

    def _component(self, start: str) -> set[str]:
        members = {start}
        ahead = [start]
        while ahead:
            near = self._near.get(ahead.pop(), set()) - members
            members |= near
            ahead.extend(near)
        return members

    def _records_of(self, members: set[str]) -> Component:
        merges = {record.id: record for each in members for record in self._merges.get(each, ())}
        conflicts = {identity for each in members for identity in self._sides.get(each, ())}
        return Component(
            births={each: self._births[each] for each in members if each in self._births},
            changes={each: self._changes[each] for each in members if each in self._changes},
            merges=tuple(merges.values()),
            disputes=tuple(
                (self._conflicts[identity], self._last_word(identity))
                for identity in sorted(conflicts)
                if identity in self._resolves
            ),
        )

    def _last_word(self, conflict: str) -> Record:
        return max(self._resolves[conflict], key=lambda record: record.stamp)

    def _disputes(self) -> tuple[Dispute, ...]:
        found = sorted(map(self._dispute, self._conflicts.values()), key=lambda each: (each.ts, each.id))
        # Two machines may have asked about one pair before they knew who speaks for whom; one answer is enough.
        answered = {frozenset((each.left, each.right)) for each in found if each.keep is not None}
        return tuple(
            replace(each, open=False) if each.open and frozenset((each.left, each.right)) in answered else each
            for each in found
        )

    def _dispute(self, record: Record) -> Dispute:
        sides = [self._memories.get(record.data[side]) for side in ("left", "right")]
        spokesmen = [side and self._memories.get(side.merged_into or side.id) for side in sides]
        left, right = (
            side.id if side else record.data[name] for name, side in zip(("left", "right"), spokesmen, strict=True)
        )
        keep = self._last_word(record.id).data["keep"] if record.id in self._resolves else None
        reason = record.data.get("reason")
        both_active = all(side is not None and side.active for side in spokesmen)
        return Dispute(
            id=record.id,
            left=left,
            right=right,
            reason=reason if isinstance(reason, str) else "",
            ts=record.ts,
            keep=keep,
            open=keep is None and both_active and left != right,
        )


def _superseded_by(record: Record) -> tuple[str, ...]:
    """The memories that a record's links say are superseded, now or no longer."""
    data = record.data
    if record.type in ("link", "unlink"):
        return (data["to"],) if data["relation"] == "supersedes" else ()
    links = (data["set"] if record.type == "update" else data).get("links")
    return tuple(
        link["target"]
        for link in (links if isinstance(links, list) else ())
        if isinstance(link, dict) and link.get("relation") == "supersedes" and isinstance(link.get("target"), str)
    )
