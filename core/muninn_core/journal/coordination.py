"""Coordination of agents: hand-offs and barriers.

A hand-off is a note from one agent to another. A barrier blocks agents until a number of them has arrived."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from typing import NamedTuple

from muninn_core.errors import NotFoundError, RefusedError, UsageError
from muninn_core.journal.agents import Agents, Member
from muninn_core.journal.leases import Held, Leases, select
from muninn_core.journal.row import Row
from muninn_core.journal.writer import Transaction
from muninn_core.model.counting import number_of
from muninn_core.model.event import BARRIER_PASSED, HANDOFF, HANDOFF_TAKEN

MAX_WAITING = 1000
"""The most hand-offs that wait to be taken."""

_COLUMNS = "position, sender, recipient, text, resources_json, sent_at"


class Note(NamedTuple):
    """A hand-off that waits to be taken. `recipient` is an agent's name, a role, or "" for anyone.

    `resources` are those of the leases that it still carries: they may have ended or been taken back since.
    """

    position: int
    sender: str
    recipient: str
    text: str
    resources: tuple[str, ...]
    sent_at: str

    def is_for(self, member: Member) -> bool:
        """Whether an agent may take the note."""
        return self.recipient in ("", member.name, member.role) and self.sender != member.name


class Handoffs:
    """The hand-offs of one journal's agents. They wait for their recipient, after a restart too."""

    def __init__(self, agents: Agents, leases: Leases) -> None:
        self._agents = agents
        self._leases = leases

    def send(self, key: str, recipient: str, text: str, resources: Sequence[str]) -> Note:
        """Leave a note, with leases that its taker gets.

        Until then they are the sender's, under the note's number as a new token: the sender must not use them any more.
        A claim of the sender takes them back from the note. Raises UsageError for a lease that the agent does not
        hold, and for too many notes.
        """

        def operation(transaction: Transaction) -> Note:
            member = self._agents.member(transaction, key)
            mine = {lease.resource for lease in select(transaction, resources) if lease.agent == member.name}
            missing = [resource for resource in resources if resource not in mine]
            if missing:
                raise UsageError(f"'{member.name}' has no lease of {', '.join(missing)}", hint="Nothing was sent.")
            if len(_notes(transaction.connection)) >= MAX_WAITING:
                raise UsageError(f"{MAX_WAITING} hand-offs wait already", hint="Take them with agent.take first.")
            about = {"to": recipient, "text": text, "resources": list(resources)}
            row = self._agents.add(transaction, member, HANDOFF, about)
            note = Note(row.position, member.name, recipient, text, tuple(resources), row.occurred_at)
            stored = (*note[:4], json.dumps(note.resources), note.sent_at)
            transaction.connection.execute(f"INSERT INTO handoffs({_COLUMNS}) VALUES(?, ?, ?, ?, ?, ?)", stored)
            for resource in resources:
                transaction.connection.execute(
                    "UPDATE leases SET token = ? WHERE resource = ?", (note.position, resource)
                )
            return note

        return self._agents.run(operation)

    def take(self, key: str, position: int) -> tuple[Note, tuple[Held, ...]]:
        """Take a note and the leases that it carries, which get new tokens.

        Raises NotFoundError for a note that is taken or unknown, RefusedError for one to another recipient.
        """

        def operation(transaction: Transaction) -> tuple[Note, tuple[Held, ...]]:
            member = self._agents.member(transaction, key)
            note = next((one for one in _notes(transaction.connection) if one.position == position), None)
            if note is None:
                raise NotFoundError(
                    f"no hand-off {position} waits", hint="It was taken, or `muninn agent list` shows its number."
                )
            if not note.is_for(member):
                raise RefusedError(f"the hand-off {position} is for '{note.recipient}', not for '{member.name}'")
            self._agents.add(transaction, member, HANDOFF_TAKEN, {"handoff": position, "from": note.sender})
            transaction.connection.execute("DELETE FROM handoffs WHERE position = ?", (position,))
            return note, self._leases.take(transaction, member, note.resources)

        return self._agents.run(operation)

    def waiting(self, member: Member | None = None) -> tuple[Note, ...]:
        """Return the notes that wait, the oldest first; of an agent those that it may take."""
        self._agents.expire()
        with self._agents.journal.connections.one() as connection:
            found = _notes(connection)
        return tuple(note for note in found if member is None or note.is_for(member))


class Barrier(NamedTuple):
    """A barrier, passed when `parties` agents have arrived. `position` is that of its event, 0 before."""

    name: str
    parties: int
    arrived: tuple[str, ...]
    position: int


class Barriers:
    """The barriers of one journal's agents. A barrier is passed once; who comes later passes at once."""

    def __init__(self, agents: Agents) -> None:
        self._agents = agents

    def arrive(self, key: str, name: str, parties: int, seconds: float, gone: Callable[[], bool]) -> Barrier:
        """Arrive at a barrier and wait up to `seconds` for the others.

        The answer has the position 0 when they did not come in time; the agent has then left the barrier. Agents that
        end before it is passed do not count. Raises UsageError when others named another number of parties.
        """
        try:
            found = self._agents.wait(
                lambda: self._agents.run(lambda transaction: self._arrive(transaction, key, name, parties)),
                lambda barrier: barrier.position > 0,
                seconds,
                gone,
            )
        except BaseException:
            self._agents.run(lambda transaction: self._leave(transaction, key, name))
            raise
        return found if found.position else self._agents.run(lambda transaction: self._leave(transaction, key, name))

    def _arrive(self, transaction: Transaction, key: str, name: str, parties: int) -> Barrier:
        member = self._agents.member(transaction, key)
        known = _barrier(transaction, name) or Barrier(name, parties, (), 0)
        if known.parties != parties:
            raise UsageError(
                f"the barrier '{name}' is for {number_of(known.parties, 'agent')}, not {parties}",
                hint="Give the same number everywhere, or another name.",
            )
        if known.position:
            return known
        active = {row[0] for row in transaction.connection.execute("SELECT name FROM agents")}
        arrived = tuple(sorted({member.name, *known.arrived} & active))
        row: Row | None = None
        if len(arrived) >= parties:
            about = {"barrier": name, "agents": list(arrived)}
            row = self._agents.add(transaction, member, BARRIER_PASSED, about)
        return _store(transaction, known._replace(arrived=arrived, position=row.position if row else 0))

    def _leave(self, transaction: Transaction, key: str, name: str) -> Barrier:
        """Take an agent back from a barrier, unless it was passed meanwhile."""
        member = self._agents.member(transaction, key)
        known = _barrier(transaction, name) or Barrier(name, 1, (), 0)
        if known.position:
            return known
        left = known._replace(arrived=tuple(one for one in known.arrived if one != member.name))
        if left.arrived:
            return _store(transaction, left)
        transaction.connection.execute("DELETE FROM barriers WHERE name = ?", (name,))
        return left


def _barrier(transaction: Transaction, name: str) -> Barrier | None:
    row = transaction.connection.execute(
        "SELECT name, parties, arrived_json, position FROM barriers WHERE name = ?", (name,)
    ).fetchone()
    return Barrier(row[0], row[1], tuple(json.loads(row[2])), row[3]) if row else None


def _store(transaction: Transaction, barrier: Barrier) -> Barrier:
    """Write a barrier when it differs from what is stored."""
    if _barrier(transaction, barrier.name) != barrier:
        stored = (barrier.name, barrier.parties, json.dumps(barrier.arrived), barrier.position)
        transaction.connection.execute("INSERT OR REPLACE INTO barriers VALUES(?, ?, ?, ?)", stored)
    return barrier


def _notes(connection: sqlite3.Connection) -> list[Note]:
    carried = set(connection.execute("SELECT token, resource FROM leases"))
    notes = []
    for position, sender, recipient, text, resources, sent_at in connection.execute(
        f"SELECT {_COLUMNS} FROM handoffs ORDER BY position"
    ):
        still = tuple(each for each in json.loads(resources) if (position, each) in carried)
        notes.append(Note(position, sender, recipient, text, still, sent_at))
    return notes
