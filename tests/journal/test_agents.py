"""Agents whose name is used again: what belonged to the earlier agent does not touch the later one."""

from __future__ import annotations

import pytest

from muninn_core.journal.agents import Agents, Member
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
