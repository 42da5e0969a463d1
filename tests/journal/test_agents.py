"""Agents whose name is used again: what belonged to the earlier agent does not touch the later one."""

from __future__ import annotations

import pytest

from muninn_core.journal.agents import Agents, Member
from muninn_core.journal.coordination import Barrier, Barriers
from muninn_core.journal.leases import Leases


class Time:
    """A monotonic clock that tests set."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def agents(journal, time) -> Agents:
    keys = iter(range(1, 1000))
    return Agents(journal, lambda size: next(keys).to_bytes(size, "big"), time)


def registered(agents: Agents, name: str) -> str:
    return agents.register(Member(name, "executor", "", "/w", "test", "", 60, 0, "p", ""))[1]


@pytest.mark.parametrize("end", ["leave", "expire"])
def test_the_end_of_a_connection_does_not_end_a_later_agent_of_the_same_name(agents, time, end):
    leases, connection = Leases(agents), object()
    first = registered(agents, "ada")
    agents.bind("ada", connection)
    if end == "leave":
        agents.leave(first)
    else:
        time.now += 61
    second = registered(agents, "ada")
    held = leases.claim(second, ["file:a.py"]).leases
    agents.disconnected(connection)
    assert leases.all() == held
    assert agents.heartbeat(second).name == "ada"


def test_the_end_of_a_connection_ends_its_agent(agents):
    leases, connection = Leases(agents), object()
    key = registered(agents, "ada")
    agents.bind("ada", connection)
    leases.claim(key, ["file:a.py"])
    agents.disconnected(connection)
    assert (agents.all(), leases.all()) == ([], ())


def test_an_agent_that_ended_at_a_barrier_counts_for_no_later_agent_of_its_name(agents, journal, time):
    """The daemon is killed while the agent waits, so the agent is not removed from the barrier."""
    first = registered(agents, "ada")
    journal.writer.run(lambda transaction: Barriers(agents)._arrive(transaction, first, "built", 2))
    time.now += 61
    registered(agents, "ada")
    bob = registered(agents, "bob")
    barriers = Barriers(agents)
    assert barriers.arrive(bob, "built", 2, 0, lambda: False) == Barrier("built", 2, (), 0)


def test_a_barrier_where_only_agents_waited_that_ended_is_free_for_another_number(agents, journal, time):
    first = registered(agents, "ada")
    journal.writer.run(lambda transaction: Barriers(agents)._arrive(transaction, first, "built", 3))
    time.now += 61
    bob = registered(agents, "bob")
    assert Barriers(agents).arrive(bob, "built", 1, 0, lambda: False).arrived == ("bob",)
