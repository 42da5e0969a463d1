"""Leases, checked in every state that two or three clients can reach, with lost answers, time and restarts.

A client believes in a lease from the answer to its claim until its own deadline, which it counts from before its last
answered call. In every reachable state, a lease that a client believes in is the one that the journal has.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any, NamedTuple

import pytest
from journals import open_journal

from muninn_core.errors import MuninnError
from muninn_core.journal.agents import Agents, Member
from muninn_core.journal.coordination import Handoffs
from muninn_core.journal.leases import Leases


class Client(NamedTuple):
    """What a client knows: its key, the steps of time that its belief lasts, and its leases with their tokens."""

    key: str = ""
    left: int = 0
    leases: tuple[tuple[str, int], ...] = ()


class World:
    """The real operations on a real journal, whose tables and deadlines are set back to each state."""

    def __init__(self, folder: Any, clients: int, resources: int, lifetime: int) -> None:
        self.journal = open_journal(folder)
        self.journal.writer.run_outside(lambda connection: connection.execute("PRAGMA synchronous = OFF"))
        self.names = [f"c{number}" for number in range(clients)]
        self.resources = [f"file:{number}" for number in range(resources)]
        self.lifetime = lifetime
        self.now = 0.0
        self.keys = iter(range(1, 10**9))
        self.clients = dict.fromkeys(self.names, Client())
        self._open()

    def _open(self) -> None:
        self.agents = Agents(self.journal, lambda size: next(self.keys).to_bytes(size, "big"), lambda: self.now)
        self.leases = Leases(self.agents)
        self.handoffs = Handoffs(self.agents, self.leases)

    # --- states ---

    def save(self) -> Any:
        """Return the whole state; its deadlines are relative to the present."""
        with self.journal.connections.one() as connection:
            rows = {
                table: tuple(connection.execute(f"SELECT * FROM {table} ORDER BY 1"))
                for table in ("agents", "leases", "handoffs")
            }
        deadlines = {name: self.agents.seconds_left(name) for name in self.names}
        return rows, deadlines, dict(self.clients), self.agents._loaded

    def load(self, state: Any) -> None:
        """Set the world back to a state."""
        rows, deadlines, clients, loaded = state

        def write(connection: Any) -> None:
            for table, content in rows.items():
                connection.execute(f"DELETE FROM {table}")
                for row in content:
                    connection.execute(f"INSERT INTO {table} VALUES({', '.join('?' * len(row))})", row)

        self.journal.writer.run_outside(write)
        self._open()
        self.agents._loaded = loaded
        self.agents._deadlines = {name: self.now + left for name, left in deadlines.items() if left > -self.now}
        self.clients = dict(clients)

    def abstract(self) -> Any:
        """Return the state without what only names it: keys, positions and times of day."""
        rows, deadlines, clients, loaded = self.save()
        tokens = {row[0]: row[2] for row in rows["leases"]}
        living = {row[0]: max(0.0, deadlines[row[0]]) for row in rows["agents"]}
        hashes = {row[0]: row[10] for row in rows["agents"]}
        known = tuple(
            (
                name in hashes and bool(one.key) and _hash(one.key) == hashes[name],
                one.left,
                tuple((resource, tokens.get(resource) == token) for resource, token in one.leases),
            )
            for name, one in clients.items()
        )
        notes = tuple((row[1], row[2], row[4]) for row in rows["handoffs"])
        return tuple(living.items()), tuple((row[0], row[1]) for row in rows["leases"]), notes, known, loaded

    # --- what may happen next ---

    def steps(self) -> Iterator[tuple[str, Callable[[], None]]]:
        """Yield every step from this state."""
        yield "time passes", self._tick
        yield "restart", self._open
        for name in self.names:
            yield f"{name} registers", lambda name=name: self._register(name)
            if not self.clients[name].key:
                continue
            for heard in (True, False):
                said = "" if heard else ", unheard"
                yield f"{name} beats{said}", lambda name=name, heard=heard: self._beat(name, heard)
                for size in range(1, len(self.resources) + 1):
                    for wanted in combinations(self.resources, size):
                        yield (
                            f"{name} claims {wanted}{said}",
                            lambda name=name, wanted=wanted, heard=heard: self._claim(name, wanted, heard),
                        )
            yield f"{name} releases", lambda name=name: self._release(name)
            yield f"{name} leaves", lambda name=name: self._leave(name)
            yield f"{name} crashes", lambda name=name: self._set(name, Client())
            yield f"{name} hands off", lambda name=name: self._hand_off(name)
            yield f"{name} takes", lambda name=name: self._take(name)

    def _set(self, name: str, client: Client) -> None:
        self.clients[name] = client

    def _tick(self) -> None:
        self.now += 1
        for name, one in self.clients.items():
            left = max(0, one.left - 1)
            self.clients[name] = one._replace(left=left, leases=one.leases if left else ())

    def _register(self, name: str) -> None:
        try:
            _, key = self.agents.register(Member(name, "executor", "", "/", "t", "", self.lifetime, 0, "p", ""))
        except MuninnError:
            return
        self._set(name, Client(key, self.lifetime))

    def _beat(self, name: str, heard: bool) -> None:
        self._answered(name, heard, lambda key: self.agents.heartbeat(key), lambda _done, leases: leases)

    def _claim(self, name: str, wanted: tuple[str, ...], heard: bool) -> None:
        def with_new(done: Any, leases: tuple[tuple[str, int], ...]) -> Any:
            return tuple(sorted({**dict(leases), **{one.resource: one.token for one in done.leases}}.items()))

        self._answered(name, heard, lambda key: self.leases.claim(key, wanted), with_new)

    def _answered(self, name: str, heard: bool, call: Any, leases: Any) -> None:
        """Call; a heard answer extends the belief, an error ends it."""
        one = self.clients[name]
        try:
            done = call(one.key)
        except MuninnError:
            self._set(name, Client())
            return
        if heard:
            self._set(name, Client(one.key, self.lifetime, leases(done, one.leases)))

    def _release(self, name: str) -> None:
        one = self.clients[name]
        self._set(name, one._replace(leases=()))  # a client stops before it asks
        self._answered(name, False, lambda key: self.leases.release(key, ()), None)

    def _leave(self, name: str) -> None:
        key = self.clients[name].key
        self._set(name, Client())
        try:
            self.agents.leave(key)
        except MuninnError:
            pass

    def _hand_off(self, name: str) -> None:
        one = self.clients[name]
        if not one.leases or self.handoffs.waiting():
            return
        self._set(name, one._replace(leases=()))  # what is handed off is no longer touched
        self._answered(
            name, False, lambda key: self.handoffs.send(key, "", "x", [each for each, _ in one.leases]), None
        )

    def _take(self, name: str) -> None:
        for note in self.handoffs.waiting()[:1]:
            one = self.clients[name]
            try:
                _, leases = self.handoffs.take(one.key, note.position)
            except MuninnError:
                return
            mine = {**dict(one.leases), **{each.resource: each.token for each in leases}}
            self._set(name, Client(one.key, self.lifetime, tuple(sorted(mine.items()))))

    # --- what must hold ---

    def wrong(self) -> str:
        """Return what is wrong in this state, "" for nothing."""
        held = {one.resource: one for one in self.leases.all()}
        for name, one in self.clients.items():
            for resource, token in one.leases:
                lease = held.get(resource)
                if lease is None or (lease.agent, lease.token) != (name, token):
                    return f"{name} believes in {resource} with {token}; the journal has {lease}"
        return ""


def _hash(key: str) -> bytes:
    return hashlib.sha256(key.encode()).digest()


def explore(world: World) -> int:
    """Visit every reachable state, check each, and return their number."""
    waiting = deque([(world.save(), ())])
    seen = {world.abstract()}
    while waiting:
        state, path = waiting.popleft()
        world.load(state)
        for said, step in list(world.steps()):
            world.load(state)
            step()
            assert not world.wrong(), (*path, said, world.wrong())
            if world.abstract() not in seen:
                seen.add(world.abstract())
                waiting.append((world.save(), (*path, said)))
    return len(seen)


@pytest.mark.parametrize(("clients", "resources", "lifetime"), [(2, 1, 2), (2, 2, 1), (3, 1, 1)])
def test_in_no_reachable_state_do_two_clients_hold_one_lease(folder, clients, resources, lifetime):
    world = World(folder, clients, resources, lifetime)
    count = explore(world)
    world.journal.close()
    assert count > 50
