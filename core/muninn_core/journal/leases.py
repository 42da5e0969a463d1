"""Leases: a file or a task that one agent works on at a time.

The position of a claim in the journal is the lease's fencing token: a later holder's token is always greater, after a
restart too (M. Kleppmann, "How to do distributed locking", 2016). A lease ends with its agent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from muninn_core.errors import RefusedError, UsageError
from muninn_core.journal.agents import Agents, Member
from muninn_core.journal.writer import Transaction
from muninn_core.model.event import LEASE_CLAIMED, LEASE_RELEASED

_COLUMNS = "resource, agent, token, claimed_at"


class Held(NamedTuple):
    """A lease: `resource` is `file:PATH` or `task:NAME`, `token` its fencing token."""

    resource: str
    agent: str
    token: int
    claimed_at: str


class Claimed(NamedTuple):
    """The outcome of a claim: the leases, or those of others that are in the way."""

    leases: tuple[Held, ...]
    blocked_by: tuple[Held, ...]


class Leases:
    """The leases of one journal's agents. Safe to use from several threads."""

    def __init__(self, agents: Agents) -> None:
        self._agents = agents
        self._waits: dict[str, frozenset[str]] = {}

    def claim(
        self, key: str, resources: Sequence[str], seconds: float = 0.0, gone: Callable[[], bool] = lambda: False
    ) -> Claimed:
        """Claim all of some resources or none, waiting up to `seconds` for those that others hold.

        A resource that the agent holds already keeps its token. Raises RefusedError where waiting would deadlock, and
        PreconditionError for an agent that has ended.
        """
        name = self._agents.heartbeat(key).name
        wanted = tuple(dict.fromkeys(resources))

        def operation(transaction: Transaction) -> Claimed:
            member = self._agents.member(transaction, key)
            held = select(transaction, wanted)
            others = tuple(lease for lease in held if lease.agent != name)
            if others and seconds > 0:
                self._refuse_deadlock(name, frozenset(lease.agent for lease in others))
            return Claimed((), others) if others else Claimed(self.take(transaction, member, wanted), ())

        try:
            return self._agents.wait(
                lambda: self._agents.run(operation), lambda found: not found.blocked_by, seconds, gone
            )
        finally:
            self._waits.pop(name, None)

    def _refuse_deadlock(self, name: str, holders: frozenset[str]) -> None:
        """Note whom an agent waits for. Raises RefusedError when one of these waits for the agent, even indirectly."""
        reached, fresh = set[str](), set(holders)
        while fresh:
            reached |= fresh
            fresh = {other for each in fresh for other in self._waits.get(each, ())} - reached
        if name in reached:
            raise RefusedError(
                f"waiting would deadlock: {', '.join(sorted(holders))} waits for a lease of '{name}'",
                hint="Release your leases first, then claim all that you need at once.",
            )
        self._waits[name] = holders

    def take(self, transaction: Transaction, member: Member, resources: Sequence[str]) -> tuple[Held, ...]:
        """Give an agent resources in a transaction, also those that others hold; return their leases.

        Those that it holds already stay as they are, unless it has handed them off: it gets these back with new tokens.
        """
        handed_off = {row[0] for row in transaction.connection.execute("SELECT position FROM handoffs")}
        mine = [lease for lease in select(transaction, resources) if lease.agent == member.name]
        known = {lease.resource: lease for lease in mine if lease.token not in handed_off}
        new = [resource for resource in resources if resource not in known]
        if new:
            row = self._agents.add(transaction, member, LEASE_CLAIMED, {"resources": new})
            for resource in new:
                known[resource] = Held(resource, member.name, row.position, row.occurred_at)
                transaction.connection.execute(
                    f"INSERT OR REPLACE INTO leases({_COLUMNS}) VALUES(?, ?, ?, ?)", known[resource]
                )
        return tuple(known[resource] for resource in resources)

    def release(self, key: str, resources: Sequence[str]) -> tuple[str, ...]:
        """Release some of an agent's leases, or all without resources; return what was released.

        Raises UsageError for a resource that the agent does not hold; then none is released.
        """

        def operation(transaction: Transaction) -> tuple[str, ...]:
            member = self._agents.member(transaction, key)
            mine = [lease.resource for lease in all_leases(transaction) if lease.agent == member.name]
            missing = [resource for resource in resources if resource not in mine]
            if missing:
                raise UsageError(f"'{member.name}' has no lease of {', '.join(missing)}", hint="Nothing was released.")
            return self._release(transaction, member, tuple(dict.fromkeys(resources)) or tuple(mine), "released")

        return self._agents.run(operation)

    def revoke(self, resources: Sequence[str], project: str, by: str) -> tuple[str, ...]:
        """End leases of any agents; return those that existed. `by` is who decided it."""

        def operation(transaction: Transaction) -> tuple[str, ...]:
            ended: list[str] = []
            for lease in select(transaction, resources):
                holder = _nobody(lease.agent, project)
                ended += self._release(transaction, holder, (lease.resource,), f"revoked by {by}")
            return tuple(ended)

        return self._agents.run(operation)

    def _release(
        self, transaction: Transaction, member: Member, resources: tuple[str, ...], reason: str
    ) -> tuple[str, ...]:
        if resources:
            self._agents.add(transaction, member, LEASE_RELEASED, {"resources": list(resources), "reason": reason})
        for resource in resources:
            transaction.connection.execute("DELETE FROM leases WHERE resource = ?", (resource,))
        return resources

    def all(self) -> tuple[Held, ...]:
        """Return the leases by resource."""
        self._agents.expire()
        with self._agents.journal.connections.one() as connection:
            rows = connection.execute(f"SELECT {_COLUMNS} FROM leases ORDER BY resource").fetchall()
        return tuple(held for held in (Held(*row) for row in rows) if self._agents.seconds_left(held.agent) > 0)


def _nobody(name: str, project: str) -> Member:
    """Return an agent for an event about its lease."""
    return Member(name, "", "", "", "muninn", "", 0, 0, project, "")


def select(transaction: Transaction, resources: Sequence[str]) -> list[Held]:
    """Return the leases of some resources, of all agents."""
    wanted = set(resources)
    return [lease for lease in all_leases(transaction) if lease.resource in wanted]


def all_leases(transaction: Transaction) -> list[Held]:
    """Return all leases by resource."""
    sql = f"SELECT {_COLUMNS} FROM leases ORDER BY resource"
    return [Held(*row) for row in transaction.connection.execute(sql)]
