"""The index that folding uses: which records concern which memories, and which memories are connected.

It holds ids in plain dicts and lists, so that it can be written to a file.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable

from muninn_core.model.value import Value
from muninn_core.store.records.change import CHANGES, required_ids
from muninn_core.store.records.record import Record


class FoldIndexData(Value):
    """The content of a `FoldIndex`, by id.

    changes, merges: records by the memory that they concern
    conflicts: the two sides of each conflict
    sides: conflicts by the memories on their sides
    resolves: records by the conflict that they decide
    near: memories that a record connects with a memory
    missing: records by the memory or conflict that they need and that does not exist yet
    """

    changes: dict[str, list[str]]
    merges: dict[str, list[str]]
    conflicts: dict[str, tuple[str, str]]
    sides: dict[str, set[str]]
    resolves: dict[str, list[str]]
    near: dict[str, set[str]]
    missing: dict[str, set[str]]


_EMPTY = FoldIndexData(changes={}, merges={}, conflicts={}, sides={}, resolves={}, near={}, missing={})


class FoldIndex:
    """A `FoldIndexData` that records are added to and removed from."""

    def __init__(self, index: FoldIndexData = _EMPTY) -> None:
        self.changes: dict[str, list[str]] = defaultdict(list, index.changes)
        self.merges: dict[str, list[str]] = defaultdict(list, index.merges)
        self.conflicts = dict(index.conflicts)
        self.sides: dict[str, set[str]] = defaultdict(set, index.sides)
        self.resolves: dict[str, list[str]] = defaultdict(list, index.resolves)
        self.near: dict[str, set[str]] = defaultdict(set, index.near)
        self.missing: dict[str, set[str]] = defaultdict(set, index.missing)

    def snapshot(self) -> FoldIndexData:
        """Return the current content. It shares its values with the index."""
        return FoldIndexData(**{name: getattr(self, name) for name in FoldIndexData.__struct_fields__})

    def add(self, record: Record, exists: Callable[[str], bool]) -> Iterable[str]:
        """Index a record and return the memories that it concerns. `exists` tells whether a memory of an id exists."""
        if record.type not in CHANGES:
            return self._add_creation(record)
        data = record.data
        required = required_ids(data)
        for identity in required:
            if identity not in self.conflicts and not exists(identity):
                self.missing[identity].add(record.id)
        match record.type:
            case "merge":
                for identity in set(required):
                    self.merges[identity].append(record.id)
            case "conflict":
                self.missing.pop(record.id, None)
                self.conflicts[record.id] = (data["left"], data["right"])
                for identity in required:
                    self.sides[identity].add(record.id)
            case "resolve":
                self.resolves[data["conflict"]].append(record.id)
                return self.conflicts.get(data["conflict"], ())
            case _:
                target = data["target"]
                self.changes[target].append(record.id)
                required = (target, *superseded_ids(record), *required[1:])
        self._connect(required)
        return required

    def memories_of(self, record: Record) -> Iterable[str]:
        """Return the ids of the memories that a record concerns."""
        if record.type == "resolve":
            return self.conflicts.get(record.data["conflict"], ())
        return (record.id, *required_ids(record.data), *superseded_ids(record))

    def component(self, start: str) -> set[str]:
        """Return a memory and all memories that records connect it with, directly or indirectly."""
        members = {start}
        queue = [start]
        while queue:
            neighbours = self.near.get(queue.pop(), set()) - members
            members |= neighbours
            queue.extend(neighbours)
        return members

    def remove(self, members: set[str], conflicts: set[str]) -> set[str]:
        """Remove the entries of memories, and of conflicts and those about the memories; return their records' ids."""
        found: set[str] = set()
        conflicts = set(conflicts)
        for identity in members:
            self.near.pop(identity, None)
            conflicts |= self.sides.pop(identity, set())
            found.update(self.changes.pop(identity, ()), self.merges.pop(identity, ()))
        for identity in conflicts:
            found.update(self.resolves.pop(identity, ()))
            if self.conflicts.pop(identity, None):
                found.add(identity)
        return found

    def remove_missing(self, record: Record) -> None:
        """Remove a record from the lists of those that need something."""
        for required in required_ids(record.data):
            waiting = self.missing.get(required)
            if waiting is not None:
                waiting.discard(record.id)
                if not waiting:
                    del self.missing[required]

    def _add_creation(self, record: Record) -> tuple[str, ...]:
        if not creates_memory(record):
            return ()  # an unknown kind of change: stored, not applied
        self.missing.pop(record.id, None)
        if not record.plain and "links" in record.data:
            self._connect((record.id, *superseded_ids(record)))
        return (record.id,)

    def _connect(self, ids: tuple[str, ...]) -> None:
        first = ids[0]
        for other in ids[1:]:
            self.near[first].add(other)
            self.near[other].add(first)


def creates_memory(record: Record) -> bool:
    """Whether a record creates a memory, provided it has a text."""
    return record.plain or (record.type not in CHANGES and "target" not in record.data)


def superseded_ids(record: Record) -> tuple[str, ...]:
    """Return the memories that a record's links supersede or no longer supersede."""
    if record.plain:
        return ()  # plain records have no links
    data = record.data
    if record.type in ("link", "unlink"):
        return (data["to"],) if data["relation"] == "supersedes" else ()
    links = (data["set"] if record.type == "update" else data).get("links")
    return tuple(
        link["target"]
        for link in (links if isinstance(links, list) else ())
        if isinstance(link, dict) and link.get("relation") == "supersedes" and isinstance(link.get("target"), str)
    )
