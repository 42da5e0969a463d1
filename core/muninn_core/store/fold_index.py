"""Where folding finds what it needs: which records speak of which memories, and what connects these.

Everything is filed by id, in plain dicts and lists, so that it can be kept in a file. Knows no memory, and records
only while it files them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable

from muninn_core.model.value import Value
from muninn_core.store.change import CHANGES, needs
from muninn_core.store.record import Record


class Index(Value):
    """Everything that is filed.

    `changes`, `merges`: records by the memory that they are about; `conflicts`: the two sides by id; `sides`: the
    conflicts by their sides; `resolves`: by the conflict that they decide; `near`: the memories that a record connects
    with one; `missing`: the changes that wait for a memory or conflict.
    """

    changes: dict[str, list[str]]
    merges: dict[str, list[str]]
    conflicts: dict[str, tuple[str, str]]
    sides: dict[str, set[str]]
    resolves: dict[str, list[str]]
    near: dict[str, set[str]]
    missing: dict[str, set[str]]


_EMPTY = Index(changes={}, merges={}, conflicts={}, sides={}, resolves={}, near={}, missing={})


class FoldIndex:
    """An index that grows; `Index` says what is in it."""

    def __init__(self, index: Index = _EMPTY) -> None:
        self.changes: dict[str, list[str]] = defaultdict(list, index.changes)
        self.merges: dict[str, list[str]] = defaultdict(list, index.merges)
        self.conflicts = dict(index.conflicts)
        self.sides: dict[str, set[str]] = defaultdict(set, index.sides)
        self.resolves: dict[str, list[str]] = defaultdict(list, index.resolves)
        self.near: dict[str, set[str]] = defaultdict(set, index.near)
        self.missing: dict[str, set[str]] = defaultdict(set, index.missing)

    def index(self) -> Index:
        """Return all that is filed, as it is now: later records change it."""
        return Index(**{name: getattr(self, name) for name in Index.__struct_fields__})

    def file(self, record: Record, there: Callable[[str], bool]) -> Iterable[str]:
        """Put a record where folding finds it, and return the memories that it touches.

        `there` says whether a record made a memory of this id.
        """
        if record.type not in CHANGES:
            return self._file_birth(record)
        data = record.data
        wanted = needs(data)
        for identity in wanted:
            if identity not in self.conflicts and not there(identity):
                self.missing[identity].add(record.id)
        match record.type:
            case "merge":
                for identity in set(wanted):
                    self.merges[identity].append(record.id)
            case "conflict":
                self.missing.pop(record.id, None)
                self.conflicts[record.id] = (data["left"], data["right"])
                for identity in wanted:
                    self.sides[identity].add(record.id)
            case "resolve":
                self.resolves[data["conflict"]].append(record.id)
                return self.conflicts.get(data["conflict"], ())
            case _:
                target = data["target"]
                self.changes[target].append(record.id)
                wanted = (target, *superseded_by(record), *wanted[1:])
        self._connect(wanted)
        return wanted

    def about(self, record: Record) -> Iterable[str]:
        """Return the memories that a record says something of."""
        if record.type == "resolve":
            return self.conflicts.get(record.data["conflict"], ())
        return (record.id, *needs(record.data), *superseded_by(record))

    def component(self, start: str) -> set[str]:
        """Return a memory with all that records connect it with, near or far."""
        members = {start}
        ahead = [start]
        while ahead:
            near = self.near.get(ahead.pop(), set()) - members
            members |= near
            ahead.extend(near)
        return members

    def take_apart(self, members: set[str], conflicts: set[str]) -> set[str]:
        """Forget all that is filed of some memories, and of conflicts and those about them; return those records."""
        found: set[str] = set()
        conflicts = set(conflicts)
        for each in members:
            self.near.pop(each, None)
            conflicts |= self.sides.pop(each, set())
            found.update(self.changes.pop(each, ()), self.merges.pop(each, ()))
        for each in conflicts:
            found.update(self.resolves.pop(each, ()))
            if self.conflicts.pop(each, None):
                found.add(each)
        return found

    def wait_no_longer(self, record: Record) -> None:
        """Forget that a record waits for something."""
        for wanted in needs(record.data):
            waiting = self.missing.get(wanted)
            if waiting is not None:
                waiting.discard(record.id)
                if not waiting:
                    del self.missing[wanted]

    def _file_birth(self, record: Record) -> tuple[str, ...]:
        if not makes_memory(record):
            return ()  # a change of a later time: kept, not applied
        self.missing.pop(record.id, None)
        if not record.plain and "links" in record.data:
            self._connect((record.id, *superseded_by(record)))
        return (record.id,)

    def _connect(self, identities: tuple[str, ...]) -> None:
        first = identities[0]
        for other in identities[1:]:
            self.near[first].add(other)
            self.near[other].add(first)


def makes_memory(record: Record) -> bool:
    """Whether a record is no change: it makes a memory, if it has a text."""
    return record.plain or (record.type not in CHANGES and "target" not in record.data)


def superseded_by(record: Record) -> tuple[str, ...]:
    """Return the memories that a record's links say are superseded, now or no longer."""
    if record.plain:
        return ()  # it has no links
    data = record.data
    if record.type in ("link", "unlink"):
        return (data["to"],) if data["relation"] == "supersedes" else ()
    links = (data["set"] if record.type == "update" else data).get("links")
    return tuple(
        link["target"]
        for link in (links if isinstance(links, list) else ())
        if isinstance(link, dict) and link.get("relation") == "supersedes" and isinstance(link.get("target"), str)
    )
