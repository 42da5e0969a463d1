"""Verification: walks the chain and names the first event that was changed, dropped or moved."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from muninn_core.errors import StorageError
from muninn_core.journal.payload import digest
from muninn_core.journal.reader import Connections, scan, sealed_at
from muninn_core.journal.row import NO_HASH, Row, chain_hash, payload_text
from muninn_core.model.event import REDACTED
from muninn_core.model.value import Value
from muninn_core.protocol.families.audit import BrokenChain

_WINDOW = 1000
"""Events after a broken place in which the event that belongs there is looked for."""


class Verification(Value):
    """The outcome. `events` were checked, `redacted` of them are blank by a redaction that the chain holds.

    `removed` counts events that retention removed; the hash at their end is kept. `head` is the last good hash.
    """

    events: int
    head: str
    redacted: tuple[str, ...] = ()
    removed: int = 0
    broken: BrokenChain | None = None


class _Walk:
    def __init__(self, connections: Connections, folder: Path, payloads: Path) -> None:
        self.connections = connections
        self.folder = folder
        self.payloads = payloads
        self.position, self.hash = 0, NO_HASH
        self.events = self.removed = 0
        self.streams: dict[tuple[str, str], int] = {}
        self.blank: list[Row] = []
        self.redactions: set[str] = set()
        self.head = (0, NO_HASH)

    def run(self) -> BrokenChain | None:
        """Check all rows; return the first broken place."""
        with self.connections.one() as connection:
            head: tuple[int, bytes] = connection.execute("SELECT position, hash FROM chain_head").fetchone()
        self.head = head
        try:
            broken = self._rows(scan(self.connections, self.folder))
        except StorageError as error:
            return BrokenChain(kind="unreadable", position=self.position + 1, event_id="", message=error.message)
        return broken or self._end() or self._blanks()

    def _rows(self, rows: Iterator[Row]) -> BrokenChain | None:
        for row in rows:
            if row.position != self.position + 1:
                gap = self._gap(row)
                if gap is not None:
                    return gap
            problem = self._link(row, rows)
            if problem is not None:
                return problem
            self.events += 1
        return None

    def _gap(self, row: Row) -> BrokenChain | None:
        """Step over events that retention removed; return a break when events are missing otherwise."""
        while self.position + 1 < row.position:
            with self.connections.one() as connection:
                seal = sealed_at(connection, self.position + 1)
            if seal is None or not seal.dropped or seal.previous != self.hash:
                missing = self.position + 1
                until = f" to {row.position - 1}" if row.position - 1 > missing else ""
                return BrokenChain(
                    kind="dropped",
                    position=missing,
                    event_id="",
                    message=f"the event at position {missing}{until} is missing; the next one is {row.event_id}",
                )
            self.removed += seal.last - self.position
            self.position, self.hash = seal.last, seal.hash
        return None

    def _link(self, row: Row, following: Iterator[Row]) -> BrokenChain | None:
        """Check one row against the chain and step to it."""
        if chain_hash(self.hash, row) != row.hash or (row.position == self.head[0] and row.hash != self.head[1]):
            return self._wrong(row, following)
        if row.stored == "redacted":
            self.blank.append(row)
        else:
            try:
                text = payload_text(row, self.payloads)
            except StorageError as error:
                return BrokenChain(
                    kind="unreadable", position=row.position, event_id=row.event_id, message=error.message
                )
            if digest(text) != row.payload_hash.hex():
                message = f"the payload of event {row.event_id} at position {row.position} was changed"
                return BrokenChain(kind="changed", position=row.position, event_id=row.event_id, message=message)
            if row.event_type == REDACTED:
                self.redactions.add(json.loads(text)["event_id"])
        self.position, self.hash = row.position, row.hash
        return None

    def _wrong(self, row: Row, following: Iterator[Row]) -> BrokenChain:
        """Say what happened at a place whose hash is wrong: another event belongs there, or this one was changed."""
        for other in islice(following, _WINDOW):
            placed = other._replace(position=row.position)
            if chain_hash(self.hash, placed) == other.hash:
                message = (
                    f"event {row.event_id} is at position {row.position}, where event {other.event_id} belongs: events"
                    " were moved or inserted"
                )
                return BrokenChain(kind="moved", position=row.position, event_id=row.event_id, message=message)
        message = f"event {row.event_id} at position {row.position} does not continue the chain: it was changed"
        return BrokenChain(kind="changed", position=row.position, event_id=row.event_id, message=message)

    def _end(self) -> BrokenChain | None:
        head = self.head
        while self.position < head[0]:
            with self.connections.one() as connection:
                seal = sealed_at(connection, self.position + 1)
            if seal is None or not seal.dropped or seal.previous != self.hash:
                break
            self.removed += seal.last - self.position
            self.position, self.hash = seal.last, seal.hash
        if self.position < head[0]:
            message = f"the events after position {self.position} are missing; the journal had {head[0]}"
            return BrokenChain(kind="truncated", position=self.position + 1, event_id="", message=message)
        return None

    def _blanks(self) -> BrokenChain | None:
        for row in self.blank:
            if row.event_id not in self.redactions:
                message = (
                    f"the payload of event {row.event_id} at position {row.position} was removed without redaction"
                )
                return BrokenChain(kind="blanked", position=row.position, event_id=row.event_id, message=message)
        return None


def verify(connections: Connections, folder: Path, payloads: Path) -> Verification:
    """Check every event against the chain. Reads the whole journal and changes nothing."""
    walk = _Walk(connections, folder, payloads)
    broken = walk.run()
    return Verification(
        events=walk.events,
        head=walk.hash.hex(),
        redacted=tuple(row.event_id for row in walk.blank if row.event_id in walk.redactions),
        removed=walk.removed,
        broken=broken,
    )
