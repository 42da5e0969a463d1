"""The agents that share a repository at one time, and the transactions that all their operations run in.

Each operation is one transaction of the journal's writer, so operations are linearizable, and the position of an event
is the place of its operation in that order.

An agent lives until a deadline of the monotonic clock, a number of seconds after its last call; its leases end with it.
Deadlines are not stored. After a restart every agent has its full time again, so a lease can last longer than its
holder assumes but never shorter.
"""

from __future__ import annotations

import base64
import hashlib
import re
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from muninn_core.errors import BadParams, MuninnError, NotFoundError, PreconditionError, UsageError
from muninn_core.journal.journal import Journal
from muninn_core.journal.row import Row
from muninn_core.journal.writer import Refused, Transaction
from muninn_core.model.event import AGENT_GRANTED, AGENT_LEFT, AGENT_REGISTERED, EventDraft
from muninn_core.model.role import ROLES

T = TypeVar("T")

KEY_BYTES = 24
MAX_AGENTS = 200
MAX_SECONDS = 86_400

RETRY_SECONDS = 1.0
"""How often a call that waits tries again when nothing changes; this also extends the life of its agent."""

POLL_SECONDS = 0.2
"""How often a call that waits looks whether its client is gone."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_COLUMNS = "name, role, session_id, root, client, task, seconds, granted, project_id, registered_at"


class Member(NamedTuple):
    """A registered agent. `seconds` is how long it lives after its last call; `granted`: a person granted its role."""

    name: str
    role: str
    session_id: str
    root: str
    client: str
    task: str
    seconds: int
    granted: int
    project_id: str
    registered_at: str


class Agents:
    """The agents of one journal. Safe to use from several threads. `chance` returns random bytes."""

    def __init__(
        self, journal: Journal, chance: Callable[[int], bytes], monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self.journal = journal
        self._chance = chance
        self._monotonic = monotonic
        self._deadlines: dict[str, float] = {}
        self._owners: dict[str, object] = {}
        self._changed = threading.Condition()
        self._changes = 0
        self._loaded = False

    def register(self, member: Member) -> tuple[Member, str]:
        """Register an agent; return it with its key, which its other calls need.

        Raises BadParams for a malformed name or time, UsageError for a name in use and for too many agents.
        """
        if not _NAME.fullmatch(member.name) or member.name in ROLES:
            raise BadParams(
                f"'{member.name[:120]}' can't name an agent",
                hint="A name has up to 100 letters, digits, '.', '_' and '-', and is no role.",
            )
        key = base64.urlsafe_b64encode(self._chance(KEY_BYTES)).decode()

        def operation(transaction: Transaction) -> Member:
            _check_free(transaction, member.name)
            about = {"role": member.role, "task": member.task, "seconds": member.seconds, "root": member.root}
            row = self.add(transaction, member, AGENT_REGISTERED, about)
            added = member._replace(registered_at=row.occurred_at, granted=0)
            marks = ", ".join("?" * (len(added) + 1))
            transaction.connection.execute(
                f"INSERT INTO agents({_COLUMNS}, key_hash) VALUES({marks})", (*added, _hashed(key))
            )
            self._deadlines[member.name] = self._monotonic() + member.seconds
            self._owners.pop(member.name, None)  # that of an earlier agent of this name, whose end is not this one's
            return added

        return self.run(operation), key

    def heartbeat(self, key: str, task: str | None = None) -> Member:
        """Extend an agent's life and, if given, set its task. Raises PreconditionError for an agent that has ended."""

        def operation(transaction: Transaction) -> Member:
            member = self.member(transaction, key)
            if task is None or task == member.task:
                return member
            transaction.connection.execute("UPDATE agents SET task = ? WHERE name = ?", (task, member.name))
            return member._replace(task=task)

        return self.run(operation)

    def leave(self, key: str) -> Member:
        """End an agent and its leases. Raises PreconditionError for one that has ended."""

        def operation(transaction: Transaction) -> Member:
            member = self.member(transaction, key)
            self._end(transaction, member, "left")
            return member

        return self.run(operation)

    def grant(self, name: str, *, granted: bool) -> Member:
        """Grant an agent the rights of its role, or withdraw them. Raises NotFoundError."""

        def operation(transaction: Transaction) -> Member:
            found = _select(transaction, "name = ?", name)
            if found is None:
                raise NotFoundError(f"there is no agent '{name}'", hint="`muninn agent list` shows the agents.")
            self.add(transaction, found, AGENT_GRANTED, {"role": found.role, "granted": granted})
            transaction.connection.execute("UPDATE agents SET granted = ? WHERE name = ?", (granted, name))
            return found._replace(granted=int(granted))

        return self.run(operation)

    def all(self) -> list[tuple[Member, float]]:
        """Return the active agents by name, each with the seconds until its deadline."""
        self.expire()
        with self.journal.connections.one() as connection:
            rows = connection.execute(f"SELECT {_COLUMNS} FROM agents ORDER BY name").fetchall()
        timed = [(Member(*row), self.seconds_left(row[0])) for row in rows]
        return [(member, left) for member, left in timed if left > 0]

    def get(self, name: str) -> Member | None:
        """Return an active agent, None for one that has ended."""
        with self.journal.connections.one() as connection:
            row = connection.execute(f"SELECT {_COLUMNS} FROM agents WHERE name = ?", (name,)).fetchone()
        return Member(*row) if row and self.seconds_left(name) > 0 else None

    def seconds_left(self, name: str) -> float:
        """Return how many seconds an agent lives without another call; 0 or less for one that has ended."""
        return self._deadlines.get(name, 0.0) - self._monotonic()

    def expire(self) -> None:
        """End the agents whose time is over. Without any, the journal is not touched.

        Raises BusyError when another process writes the journal.
        """
        if not self._loaded or any(self.seconds_left(name) <= 0 for name in list(self._deadlines)):
            self.run(lambda _transaction: None)

    # --- connections ---

    def bind(self, name: str, owner: object) -> None:
        """Let an agent end when its owner, a connection, does."""
        self._owners[name] = owner

    def disconnected(self, owner: object) -> None:
        """End the agents whose connection is gone."""
        for name in [name for name, known in list(self._owners.items()) if known is owner]:
            self.run(lambda transaction, name=name: self._end_owned(transaction, name, owner))  # type: ignore[misc]

    # --- what the operations of leases, hand-offs and barriers share ---

    def run(self, operation: Callable[[Transaction], T]) -> T:
        """Run an operation after agents whose time is over have ended, and wake the calls that wait.

        An operation that raises a MuninnError must not have written anything: the ends of others are kept.
        """

        def whole(transaction: Transaction) -> T | Refused:
            self._load(transaction)
            self._end_expired(transaction)
            try:
                return operation(transaction)
            except MuninnError as error:
                return Refused(error)

        before = self.journal.writer.position
        try:
            return self.journal.writer.run(whole)
        finally:
            if self.journal.writer.position != before:
                with self._changed:
                    self._changes += 1
                    self._changed.notify_all()

    def member(self, transaction: Transaction, key: str) -> Member:
        """Return the agent of a key and extend its life. Raises PreconditionError for one that has ended."""
        found = _select(transaction, "key_hash = ?", _hashed(key))
        if found is None:
            raise PreconditionError(
                "no active agent has this key",
                hint="Register again with agent.register. The leases of the agent have ended.",
                data={"precondition": "agent"},
            )
        self._deadlines[found.name] = self._monotonic() + found.seconds
        return found

    def add(self, transaction: Transaction, member: Member, kind: str, payload: dict[str, Any]) -> Row:
        """Append an event about an agent."""
        draft = EventDraft(
            event_type=kind,
            payload={"agent": member.name, **payload},
            project_id=member.project_id,
            stream_id=f"agent:{member.name}",
            actor="assistant",
            source=member.client,
        )
        return self.journal.add(transaction, self.journal.prepare(draft, system=True))[0]

    def wait(self, attempt: Callable[[], T], done: Callable[[T], bool], seconds: float, gone: Callable[[], bool]) -> T:
        """Repeat an attempt until it is done, the time is over, or the client is gone; return the last outcome."""
        until = self._monotonic() + seconds
        while True:
            seen = self._changes
            outcome = attempt()
            left = until - self._monotonic()
            if left <= 0 or done(outcome) or gone():
                return outcome
            self._sleep(seen, min(left, RETRY_SECONDS), gone)

    def _sleep(self, seen: int, seconds: float, gone: Callable[[], bool]) -> None:
        """Sleep until something changes, the time is over, or the client is gone."""
        until = self._monotonic() + seconds
        with self._changed:
            while self._changes == seen and not gone():
                left = until - self._monotonic()
                if left <= 0:
                    return
                self._changed.wait(min(left, POLL_SECONDS))

    def _load(self, transaction: Transaction) -> None:
        """Give the agents of an earlier process their full time, once."""
        if not self._loaded:
            for name, seconds in transaction.connection.execute("SELECT name, seconds FROM agents"):
                self._deadlines[name] = self._monotonic() + seconds
            self._loaded = True

    # --- ends ---

    def _end_expired(self, transaction: Transaction) -> None:
        """End agents whose time is over. A deadline is dropped when its agent's end is committed."""
        for name in [name for name in list(self._deadlines) if self.seconds_left(name) <= 0]:
            if not self._end_named(transaction, name, "expired"):
                self._deadlines.pop(name, None)

    def _end_named(self, transaction: Transaction, name: str, reason: str) -> bool:
        member = _select(transaction, "name = ?", name)
        if member is not None:
            self._end(transaction, member, reason)
        return member is not None

    def _end_owned(self, transaction: Transaction, name: str, owner: object) -> None:
        """End an agent unless another one has its name since: that one does not belong to the connection."""
        if self._owners.get(name) is owner:
            self._end_named(transaction, name, "disconnected")
            self._owners.pop(name, None)

    def _end(self, transaction: Transaction, member: Member, reason: str) -> None:
        held = transaction.connection.execute(
            "SELECT resource FROM leases WHERE agent = ? ORDER BY resource", (member.name,)
        ).fetchall()
        self.add(transaction, member, AGENT_LEFT, {"reason": reason, "resources": [row[0] for row in held]})
        transaction.connection.execute("DELETE FROM leases WHERE agent = ?", (member.name,))
        transaction.connection.execute("DELETE FROM agents WHERE name = ?", (member.name,))
        _leave_barriers(transaction, member.name)


def _leave_barriers(transaction: Transaction, name: str) -> None:
    """Remove an agent from the open barriers, and delete a barrier where no other agent waits."""
    transaction.connection.execute(
        "UPDATE barriers SET arrived_json = (SELECT json_group_array(value) FROM json_each(arrived_json)"
        " WHERE value <> ?1) WHERE position = 0 AND EXISTS(SELECT 1 FROM json_each(arrived_json) WHERE value = ?1)",
        (name,),
    )
    transaction.connection.execute("DELETE FROM barriers WHERE position = 0 AND arrived_json = '[]'")


def _check_free(transaction: Transaction, name: str) -> None:
    """Raise UsageError when a name is in use or there are too many agents."""
    names = [row[0] for row in transaction.connection.execute("SELECT name FROM agents")]
    if name in names:
        raise UsageError(
            f"an agent is registered as '{name}' already",
            hint="Use another name, or that agent's key. The name of an agent that has ended is free.",
        )
    if len(names) >= MAX_AGENTS:
        raise UsageError(f"{len(names)} agents are registered already", hint="`muninn agent list` shows them.")


def _select(transaction: Transaction, where: str, value: object) -> Member | None:
    row = transaction.connection.execute(f"SELECT {_COLUMNS} FROM agents WHERE {where}", (value,)).fetchone()
    return Member(*row) if row else None


def _hashed(key: str) -> bytes:
    return hashlib.sha256(key.encode()).digest()
