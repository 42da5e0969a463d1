"""Folding: from a set of records to the state, independent of their order and of repetitions.

`fold` is the pure function; `Fold` does the same incrementally for a growing log. Both return a `State`, which never
changes, so that readers need no lock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from itertools import islice, pairwise
from typing import Protocol

from muninn_core.errors import StorageError
from muninn_core.model.memory import Memory
from muninn_core.model.value import Value, replace
from muninn_core.store.folding.fold_index import FoldIndex, creates_memory
from muninn_core.store.folding.lazy_mapping import LazyMapping, Slots, make_all
from muninn_core.store.folding.lazy_memory import LazyMemories
from muninn_core.store.folding.relations import Component, fold_component
from muninn_core.store.records.fast_parse import memory_from_line
from muninn_core.store.records.record import Record, preferred_version
from muninn_core.store.records.record_history import as_unsealed, is_standalone, standalone_memory


class Dispute(Value):
    """The current state of a conflict between two memories. The memory it was merged into represents a merged side.

    `keep` is a person's decision: left, right or both. `open` means that a decision is needed.
    """

    id: str
    left: str
    right: str
    reason: str
    ts: str
    keep: str | None = None
    open: bool = False


class State(Value):
    """The result of folding. Memories are in the order of their ids, disputes in that of time.

    `unresolved` are changes whose target does not exist. `records` counts distinct records, `inactive` the memories
    that are not active, and `pending` those that wait for approval.
    """

    memories: Mapping[str, Memory]
    disputes: tuple[Dispute, ...] = ()
    unresolved: tuple[Record, ...] = ()
    records: int = 0
    inactive: int = 0
    pending: int = 0

    @property
    def conflicts(self) -> tuple[Dispute, ...]:
        """The open disputes, oldest first."""
        return tuple(dispute for dispute in self.disputes if dispute.open)

    @property
    def active(self) -> int:
        """The number of active memories."""
        return len(self.memories) - self.inactive


def fold(records: Iterable[Record]) -> State:
    """Fold records, all taken as sealed. Commutative, associative and idempotent."""
    folding = Fold()
    folding.add(records, sealed=True)
    return folding.state()


class ValueSource(Protocol):
    """The values of a fold that was cached. `memory` returns the same object each time."""

    def record(self, number: int) -> Record:
        """Return a record."""

    def has_line(self, number: int, line: bytes) -> bool:
        """Whether a record has exactly this line. Raises StorageError."""

    def cached_record(self, number: int) -> Record:
        """Return a record, the same object each time: for callers that read all records repeatedly."""

    def memory(self, number: int) -> Memory:
        """Return a memory."""

    def passing_memory(self, number: int) -> Memory:
        """Return a memory that is not kept, unless it was created before."""

    def created(self, number: int) -> Memory | None:
        """Return a memory that was created before, None for any other."""

    def take(self, memories: Mapping[int, Memory]) -> None:
        """Take over memories that were created elsewhere, by number."""

    @property
    def created_count(self) -> int:
        """How many memories were created."""

    def forget(self) -> Mapping[int, Memory]:
        """Return the memories that were created, by number, and forget them."""


class Fold:
    """An incremental fold. Not safe for several threads; its states are."""

    def __init__(self, before: Mapping[str, Memory] | None = None) -> None:
        """`before` has the memories of an earlier fold; an equal result reuses the same object."""
        self.unsealed: set[str] = set()
        """The ids of the records that are not sealed."""
        self.changed: set[str] = set()
        """The ids of memories that may have changed or gone since a caller last emptied this set."""
        self.revised: set[str] = set()
        """The ids that more than one distinct record has had."""
        self.inactive: set[str] = set()
        """The ids of the memories that are not active."""
        self.pending: set[str] = set()
        """The ids of the memories that wait for approval."""
        self.index = FoldIndex()
        self.cached: ValueSource | None = None
        self.slots: Slots[Record] = {}
        self.folded: Slots[Memory] = {}
        self._before: Mapping[str, Memory] = before or {}
        self._lazy: LazyMemories | None = None
        self._all_made = False
        self._shown: LazyMapping[Memory] | None = None
        """The memories of the last state, while some are not created yet."""

    @property
    def records(self) -> Mapping[str, Record]:
        """A live view of all records by id."""
        return LazyMapping(self.slots, None if self.cached is None else self.cached.record)

    def all_records(self) -> Mapping[str, Record]:
        """Return a snapshot of all records by id."""
        return LazyMapping(dict(self.slots), None if self.cached is None else self.cached.cached_record)

    def record(self, identity: str) -> Record | None:
        """Return one record, None for an unknown id."""
        if identity not in self.slots:
            return None
        slots = {identity: self.slots[identity]}
        return LazyMapping(slots, None if self.cached is None else self.cached.cached_record)[identity]

    @property
    def memories(self) -> Mapping[str, Memory]:
        """A live view of all memories by id."""
        return LazyMapping(self.folded, self._memory_source())

    def add(self, records: Iterable[Record], sealed: bool) -> None:
        """Add records; known ones are ignored. A record that was sealed once stays sealed."""
        slots, known_records, file = self.slots, self.records, self.index.add
        missing = self.index.missing
        concerned: dict[str, None] = {}  # ordered: the records of a log are almost sorted by id
        revised = False
        for record in records:
            identity = record.id
            if identity not in slots:
                slots[identity] = record
                if not sealed:
                    self.unsealed.add(identity)
                if record.plain and identity not in missing:
                    concerned[identity] = None  # the common case
                else:
                    concerned.update(dict.fromkeys(file(record, self._creates_memory)))
                continue
            if sealed and identity in self.unsealed:
                self.unsealed.discard(identity)
                concerned[identity] = None
            if not self.holds(record):
                known = known_records[identity]
                self.revised.add(identity)
                slots[identity] = better = preferred_version(known, record)
                revised = revised or better is not known
        if revised:
            self._rebuild_index()
            concerned = dict.fromkeys(slots)
        self._refold(concerned)

    def holds(self, record: Record) -> bool:
        """Whether the known record with this id has the same content. An equal line is not decoded again."""
        slot = self.slots[record.id]
        if isinstance(slot, int) and self.cached is not None and record.line:
            with suppress(StorageError):  # the record is compared, which finds it in the files
                if self.cached.has_line(slot, record.line):
                    return True
        return self.records[record.id].has_same_content(record)

    def remove(self, ids: Iterable[str]) -> None:
        """Remove records as if they had never been added. Not for ids in `revised`, whose other version is unknown.

        Only the connected memories are folded again.
        """
        records, memories = self.records, self.memories
        gone = {identity: records[identity] for identity in ids if identity in records}
        members: set[str] = set()
        for identity in {each for record in gone.values() for each in self.index.memories_of(record)}:
            if identity not in members:
                members |= self.index.component(identity)
        before = {each: memories[each] for each in members if each in memories}
        creations = {each for each in members if self._creates_memory(each)}
        decided = {record.data["conflict"] for record in gone.values() if record.type == "resolve"}
        detached = {each: records[each] for each in self.index.remove(members, decided) | creations}
        for record in {**detached, **gone}.values():
            self.index.remove_missing(record)
        for identity in before:
            del self.folded[identity]
        for identity in gone:
            del self.slots[identity]
        self.unsealed -= gone.keys()
        self.inactive -= members
        self.pending -= members
        self._before = before
        left = [detached[identity] for identity in sorted(detached.keys() - gone.keys())]
        self._refold(dict.fromkeys(each for record in left for each in self.index.add(record, self._creates_memory)))
        self.changed |= {each for each, memory in before.items() if self.folded.get(each) is not memory}

    def read_from(self, cached: Fold) -> None:
        """Take records from an equal fold that was cached, so that their lines need not be in memory.

        Memories that were created stay the same objects.
        """
        folded: Slots[Memory] = {}
        made: dict[int, Memory] = {}
        for identity, number in cached.folded.items():
            slot = self.folded[identity]
            known = self._created(slot) if isinstance(slot, int) else slot
            if known is not None and isinstance(number, int):
                made[number] = known
            folded[identity] = number if known is None else known
        self.slots, self.folded, self.cached = cached.slots, folded, cached.cached
        if self.cached is not None:
            self.cached.take(made)
        self._lazy, self._shown = None, None
        self._all_made = not any(isinstance(each, int) for each in folded.values())

    def forget(self, least: int) -> bool:
        """Free the memories that the cached fold has, if `least` were created; return whether they were freed.

        They are created again when they are used.
        """
        if self.cached is None or self.cached.created_count < least:
            return False
        for number, memory in self.cached.forget().items():
            if self.folded.get(memory.id) is memory:  # else it has changed since, or was never put in its place
                self.folded[memory.id] = number
        self._all_made, self._shown = False, None
        return True

    def _created(self, number: int) -> Memory | None:
        source: ValueSource | LazyMemories | None = self.cached if number >= 0 else self._lazy
        return None if source is None else source.created(number)

    def state(self) -> State:
        """Return the current state."""
        memories = self._snapshot()
        waiting = {identity for waits in self.index.missing.values() for identity in waits}
        return State(
            memories=memories,
            disputes=self._disputes(),
            unresolved=tuple(self.records[identity] for identity in sorted(waiting)),
            records=len(self.slots),
            inactive=len(self.inactive),
            pending=len(self.pending),
        )

    def _snapshot(self) -> LazyMapping[Memory]:
        make = self._memory_source()
        if make is not None and self._shown is not None and self._shown.complete:
            make_all(self.folded, make)  # all have been created, so later states share them
            self._all_made, self._lazy, make = True, None, None
        shown = LazyMapping(dict(self.folded), make, self._passing_source())
        self._shown = shown if make is not None else None
        return shown

    def _memory_source(self) -> Callable[[int], Memory] | None:
        """Return the function that creates a memory from its number; None when all are created."""
        if self._all_made:
            return None
        base, unmade = self.cached, self._lazy
        if base is None or unmade is None:
            one = base or unmade
            return None if one is None else one.memory
        return lambda number: (base if number >= 0 else unmade).memory(number)

    def _passing_source(self) -> Callable[[int], Memory] | None:
        """Return the function that creates a memory which is not kept; None when all are created."""
        if self._all_made:
            return None
        base, unmade = self.cached, self._lazy
        if base is None or unmade is None:
            one = base or unmade
            return None if one is None else one.passing_memory
        return lambda number: (base if number >= 0 else unmade).passing_memory(number)

    def latest_change(self, about: Iterable[str]) -> str:
        """Return the time of the last record about some memories or conflicts, "" when there is none."""
        filed, records = (self.index.changes, self.index.merges, self.index.resolves), self.records
        known = [word for one in about for word in (one, *(each for said in filed for each in said.get(one, ())))]
        return max((records[each].ts for each in known if each in records), default="")

    def _creates_memory(self, identity: str) -> bool:
        return identity in self.folded or (identity in self.slots and creates_memory(self.records[identity]))

    def _rebuild_index(self) -> None:
        """Index all records again after one was replaced by a preferred version."""
        self._before = self.memories
        self.changed.update(self.folded)
        self.index, self.folded, self.inactive, self.pending = FoldIndex(), {}, set(), set()
        for record in self.records.values():
            self.index.add(record, self._creates_memory)

    def _refold(self, concerned: dict[str, None]) -> None:
        near, changes, slots, folded = self.index.near, self.index.changes, self.slots, self.folded
        count, last = len(folded), next(reversed(folded), "")
        first = not (folded or self._before)
        unmade = LazyMemories() if first else None
        if unmade is not None:
            self._lazy, self._all_made = unmade, False
        done: set[str] = set()
        for identity in sorted(concerned):
            record = slots.get(identity)
            if isinstance(record, Record) and record.plain and identity not in near and identity not in changes:
                if unmade is not None and identity not in self.unsealed:
                    folded[identity] = unmade.add(record)  # a plain memory is active
                else:
                    memory = memory_from_line(record.line)
                    self._set_memory(identity, as_unsealed(memory) if identity in self.unsealed else memory)
            elif identity not in done:
                for each, memory in self._fold_component(identity, done):
                    self._set_memory(each, memory)
        if first:
            self.changed.update(concerned)
        self._before = {}
        came = [last, *reversed([*islice(reversed(folded), len(folded) - count)])]
        if any(one > other for one, other in pairwise(came)):
            self.folded = {each: folded[each] for each in sorted(folded)}

    def _set_memory(self, identity: str, folded: Memory) -> None:
        known = self.memories[identity] if identity in self.folded else self._before.get(identity)
        if known is None or known != folded:
            known = folded
            self.changed.add(identity)
        self.folded[identity] = known
        for ids, belongs in ((self.inactive, not known.active), (self.pending, known.waits)):
            if belongs:
                ids.add(identity)
            else:
                ids.discard(identity)

    def _fold_component(self, identity: str, done: set[str]) -> Iterable[tuple[str, Memory]]:
        """Fold the component of a memory and add its members to `done`."""
        records = self.records
        if identity not in self.index.near and identity not in self.index.changes and self._creates_memory(identity):
            creation = records[identity]
            if is_standalone(creation):
                memory = standalone_memory(creation, sealed=identity not in self.unsealed)
                return ((identity, memory),) if memory is not None else ()
        members = self.index.component(identity)
        done |= members
        return [
            (each, memory if each in self.unsealed else replace(memory, sealed=True))
            for each, memory in sorted(fold_component(self._component_of(members)).items())
        ]

    def _component_of(self, members: set[str]) -> Component:
        filed, records = self.index, self.records
        merges = {each for member in members for each in filed.merges.get(member, ())}
        conflicts = {each for member in members for each in filed.sides.get(member, ())}
        return Component(
            creations={each: records[each] for each in members if self._creates_memory(each)},
            changes={each: [records[one] for one in filed.changes[each]] for each in members if each in filed.changes},
            merges=tuple(records[each] for each in sorted(merges)),
            disputes=tuple(
                (records[each], self._decision(each)) for each in sorted(conflicts) if each in filed.resolves
            ),
        )

    def _decision(self, conflict: str) -> Record:
        records = self.records
        return max((records[each] for each in self.index.resolves[conflict]), key=lambda record: record.stamp)

    def _disputes(self) -> tuple[Dispute, ...]:
        found = sorted(map(self._dispute, self.index.conflicts), key=lambda each: (each.ts, each.id))
        # Two machines may have recorded the same conflict before merges were known; one decision is enough.
        answered = {frozenset((each.left, each.right)) for each in found if each.keep is not None}
        return tuple(
            replace(each, open=False) if each.open and frozenset((each.left, each.right)) in answered else each
            for each in found
        )

    def _dispute(self, identity: str) -> Dispute:
        record, memories = self.records[identity], self.memories
        data = record.data
        sides = [memories.get(data[side]) for side in ("left", "right")]
        current_sides = [side and memories.get(side.merged_into or side.id) for side in sides]
        left, right = (
            side.id if side else data[name] for name, side in zip(("left", "right"), current_sides, strict=True)
        )
        keep = self._decision(identity).data["keep"] if identity in self.index.resolves else None
        reason = data.get("reason")
        both_active = all(side is not None and side.active for side in current_sides)
        return Dispute(
            id=identity,
            left=left,
            right=right,
            reason=reason if isinstance(reason, str) else "",
            ts=record.ts,
            keep=keep,
            open=keep is None and both_active and left != right,
        )
