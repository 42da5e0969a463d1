"""kill -9 of the process that has the journal, between and within the operations of clients that claim leases.

The process is a fork that opens the journal as the daemon does and runs operations of several clients at once, so a
kill costs a fork and not a daemon. Time is a number that both processes share, so no lease is waited for. A client
believes in a lease from the answer to its claim until its own deadline, which it counts from before its last answered
call. No two clients may believe in the same lease, and tokens only grow. The unit of the count is a kill.
"""

from __future__ import annotations

import json
import mmap
import os
import random
import select
import signal
import struct
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from muninn_core.errors import MuninnError
from muninn_core.journal.agents import Agents, Member
from muninn_core.journal.journal import Journal
from muninn_core.journal.leases import Leases
from muninn_core.journal.verify import verify
from muninn_core.store.records.ids import UlidGenerator
from torture.campaign import Limit, Outcome

CLIENTS = 5
RESOURCES = ("task:1", "task:2", "task:3")
LIFE_SECONDS = 10
BATCHES = 3
"""The most batches of operations between two kills."""

FOLDER = "/dev/shm" if os.path.isdir("/dev/shm") else None
"""In memory: what a killed process has written is in the system's hands on a disk, too, and no flush is waited for."""

ROUND = 500
"""Kills after which the journal is verified and a new one begins."""

LATE_SECONDS = 0.012
"""The most time from sending a batch to the kill: an operation takes about a millisecond, an opening some."""

HANGS_SECONDS = 120.0


class Belief(NamedTuple):
    """What a client knows: its key, until when it believes in its leases, and their tokens."""

    key: str = ""
    until: float = 0.0
    leases: dict[str, int] = {}  # noqa: RUF012 # replaced, never changed


def run(seed: int, limit: Limit) -> Outcome:
    """Kill until the limit."""
    outcome = Outcome()
    kills = 0
    while not limit.reached(kills):
        with tempfile.TemporaryDirectory(prefix="mn-interleavings-", dir=FOLDER) as folder:
            game = Game(Path(folder), random.Random(f"{seed}-{kills}"), outcome)
            begun = kills
            while kills < begun + ROUND and not limit.reached(kills):
                game.play()
                kills += 1
            game.verify()
    outcome.figures["kills"] = kills
    return outcome


class Game:
    """One journal, its clients' beliefs, and the process that serves them."""

    def __init__(self, folder: Path, chance: random.Random, outcome: Outcome) -> None:
        self._folder = folder
        self._chance = chance
        self._outcome = outcome
        self._time = mmap.mmap(-1, 8)
        self._now = 0.0
        self._beliefs = dict.fromkeys(range(CLIENTS), Belief())
        self._last: dict[str, tuple[int, str]] = {}
        self._named = 0

    def play(self) -> None:
        """Start a process, let clients call it, and kill it; it may be killed while it opens the journal."""
        server = Server(self._folder, self._time)
        try:
            for _ in range(self._chance.randrange(BATCHES)):
                self._pass_time()
                sent = self._send(server)
                for answer in server.answers(len(sent)):
                    self._hear(sent, answer)
            self._pass_time()
            sent = self._send(server)
            time.sleep(self._chance.uniform(0, LATE_SECONDS))
        finally:
            server.kill()
        for answer in server.left():  # what came before the kill is an answer, too
            self._hear(sent, answer)

    def _pass_time(self) -> None:
        self._now += self._chance.choice((0.0, 0.0, 0.5, 2.0, LIFE_SECONDS))
        self._time[:8] = struct.pack("d", self._now)

    def _send(self, server: Server) -> dict[int, dict[str, Any]]:
        """Send an operation of some clients at once; a client that gives something up does so when it sends that."""
        sent = {}
        for client in self._chance.sample(range(CLIENTS), self._chance.randint(1, CLIENTS)):
            belief = self._beliefs[client]
            operation = self._chance.choice(("claim", "claim", "claim", "release", "beat", "leave"))
            wanted = self._chance.sample(RESOURCES, self._chance.choice((1, 1, 2)))
            if not belief.key:
                self._named += 1
                operation, wanted = "register", [f"c{self._named}"]
            if operation in ("release", "leave"):
                self._beliefs[client] = belief._replace(leases={}) if operation == "release" else Belief()
            sent[client] = {"client": client, "operation": operation, "key": belief.key, "wanted": wanted}
        server.send(list(sent.values()))
        return sent

    def _hear(self, sent: dict[int, dict[str, Any]], answer: dict[str, Any]) -> None:
        client, operation = answer["client"], sent[answer["client"]]["operation"]
        belief, until = self._beliefs[client], self._now + LIFE_SECONDS
        self._outcome.figures["operations answered"] += 1
        if "error" in answer:
            self._outcome.expect(answer["error"] in ("precondition", "usage"), f"{operation}: {answer}")
            if answer["error"] == "precondition":  # the agent has ended
                self._beliefs[client] = Belief()
        elif operation == "register":
            self._beliefs[client] = Belief(answer["key"], until)
        elif operation == "claim":
            self._take(client, answer["leases"])
            self._beliefs[client] = Belief(belief.key, until, {**belief.leases, **answer["leases"]})
        elif operation in ("beat", "release"):
            self._beliefs[client] = belief._replace(until=until)

    def _take(self, client: int, leases: dict[str, int]) -> None:
        for resource, token in leases.items():
            self._outcome.figures["leases held"] += 1
            for other, belief in self._beliefs.items():
                holds = other != client and resource in belief.leases and self._now < belief.until
                self._outcome.figures["double holders"] += holds
                self._outcome.expect(not holds, f"double: {resource} {token} while {belief.leases.get(resource)} holds")
            key = self._beliefs[client].key
            last, holder = self._last.get(resource, (0, ""))
            grows = token > last or (token == last and holder == key)  # a release may not have been carried out
            self._outcome.expect(grows, f"backward: {resource} {token} after {last}")
            self._last[resource] = max((token, key), (last, holder))

    def verify(self) -> None:
        """Check the chain of the journal."""
        journal = opened(self._folder)
        found = verify(journal.connections, self._folder, journal.payloads)
        journal.close()
        self._outcome.expect(found.broken is None, f"the journal's chain is broken: {found.broken}")
        self._outcome.figures["journals verified"] += 1


class Server:
    """A forked process with the journal, and the pipes to it."""

    def __init__(self, folder: Path, clock: mmap.mmap) -> None:
        read, self._write = os.pipe()
        self._read, write = os.pipe()
        self._rest = b""
        self.pid = os.fork()
        if not self.pid:
            try:
                os.close(self._write)
                os.close(self._read)
                serve(folder, clock, read, write)
            finally:
                os._exit(0)
        os.close(read)
        os.close(write)

    def send(self, batch: list[dict[str, Any]]) -> None:
        """Send operations to run at the same time."""
        os.write(self._write, json.dumps(batch).encode() + b"\n")

    def answers(self, count: int) -> list[dict[str, Any]]:
        """Wait for so many answers."""
        found = []
        while len(found) < count:
            ready, _, _ = select.select([self._read], [], [], HANGS_SECONDS)
            piece = os.read(self._read, 65_536) if ready else b""
            if not piece:
                raise AssertionError("the process with the journal ended or hangs")
            *lines, self._rest = (self._rest + piece).split(b"\n")
            found += [json.loads(line) for line in lines]
        return found

    def kill(self) -> None:
        """Kill the process."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self._write)

    def left(self) -> list[dict[str, Any]]:
        """Return the answers that were sent before the kill."""
        data = self._rest
        while piece := os.read(self._read, 65_536):
            data += piece
        os.close(self._read)
        return [json.loads(line) for line in data.split(b"\n")[:-1]]


def serve(folder: Path, clock: mmap.mmap, read: int, write: int) -> None:
    """Open the journal and run batches of operations until the pipe ends."""
    journal = opened(folder)
    agents = Agents(journal, os.urandom, lambda: float(struct.unpack("d", clock[:8])[0]))
    leases = Leases(agents)

    def answer(each: dict[str, Any]) -> None:
        try:
            said = _run(agents, leases, each)
        except MuninnError as error:
            said = {"error": error.kind}
        os.write(write, json.dumps({"client": each["client"], **said}).encode() + b"\n")

    with ThreadPoolExecutor(CLIENTS) as pool, os.fdopen(read, "rb") as lines:
        for line in lines:
            for each in json.loads(line):
                pool.submit(answer, each)


def _run(agents: Agents, leases: Leases, each: dict[str, Any]) -> dict[str, Any]:
    operation, key, wanted = each["operation"], each["key"], each["wanted"]
    if operation == "register":
        member = Member(wanted[0], "", "", "", "torture", "", LIFE_SECONDS, 0, "p", "")
        return {"key": agents.register(member)[1]}
    if operation == "claim":
        return {"leases": {one.resource: one.token for one in leases.claim(key, wanted).leases}}
    if operation == "release":
        leases.release(key, ())
    elif operation == "beat":
        agents.heartbeat(key)
    else:
        agents.leave(key)
    return {}


def opened(folder: Path) -> Journal:
    """Open the journal in a folder."""

    def clock() -> datetime:
        return datetime.now(UTC)

    return Journal(folder, clock=clock, new_id=UlidGenerator(clock, os.urandom))
