"""kill -9 of daemons, workers and clients while eight writers run every writing verb.

Afterwards no acknowledged record is missing, no call left two records, no redacted text is in any file, every start
healed what the kill left, and the index equals one that is built anew.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import psutil
from index.states import content
from repositories import stop_daemon

from muninn_core import client
from muninn_core.errors import MuninnError
from muninn_core.launch.repository_location import locate
from torture.campaign import PATIENCE, Limit, Outcome, Site, site
from torture.engine import engine_on
from torture.ledger import compare, read_ledgers, records_of
from torture.nursery import Child, Nursery, nursery

WRITERS = 8
CONFIG = "review: {pending: [assistant]}\nprune: {max_bytes: 20000, user: true}\ndaemon: {idle_seconds: 60}\n"
KINDS = (*["daemon"] * 2, *["client"] * 3)
WORKERS = 0.1
"""How many rounds kill worker processes, too. They are slow: a kill of a worker needs an index that is built anew."""

FILES = 60
"""Worker processes read the files of an index that is built anew, if there are more than 50."""

ROUND = 100
"""Kills after which everything is compared. The repository of a round starts empty, so that a round stays quick."""

LOOK_SECONDS = 0.005
LINE_BYTES = 80
"""The size of a line of a ledger, roughly."""


def run(seed: int, limit: Limit, writers: int = WRITERS, kind: type[Round] | None = None) -> Outcome:
    """Kill until the limit, in rounds; a unit of the count is a kill."""
    outcome = Outcome()
    done = number = 0
    with nursery() as forks:
        while not limit.reached(done):
            with site("kills") as place:
                chance = random.Random(f"{seed}-{number}")
                done += (kind or Round)(place, forks, chance, outcome, writers).run(limit, done)
            number += 1
    return outcome


class Round:
    """One repository, its writers, and the kills of one round."""

    program = "torture.writer"
    kinds = KINDS
    pause = 0.6
    """The most seconds between two kills."""

    lines = 24
    """The most lines of the ledgers between two kills, two for each call."""

    def __init__(self, place: Site, forks: Nursery, chance: random.Random, outcome: Outcome, writers: int) -> None:
        self._site = place
        self._forks = forks
        place.environ.update(forks.environ(place.environ))
        self._chance = chance
        self._outcome = outcome
        self._root = place.repository("repo", CONFIG)
        workers = self.program == Round.program and chance.random() < WORKERS
        self._kinds = (*self.kinds, "worker") if workers else self.kinds
        for number in range(FILES if workers else 0):
            (self._root / f"part_{number}.py").write_text(f"def part_{number}():\n    return {number}\n")
        self._ledgers = place.folder / "ledgers"
        self._ledgers.mkdir()
        self._goes_on = place.folder / "goes-on"
        os.mkfifo(self._goes_on)
        self._held = os.open(self._goes_on, os.O_RDWR)
        self._started = 0
        self._writers = [self._start(number) for number in range(writers)]

    def run(self, limit: Limit, before: int) -> int:
        """Kill, then compare; return the number of kills."""
        kills = 0
        try:
            while kills < ROUND and not limit.reached(before + kills):
                self._wait()
                kills += self._kill(self._chance.choice(self._kinds))
        finally:
            self._end_writers()
        self._compare()
        return kills

    def _start(self, number: int) -> Child:
        self._started += 1
        seed = f"{number}{chr(97 + self._started % 26)}{self._started}"
        arguments = [str(self._root), str(self._ledgers / f"{seed}.jsonl"), seed]
        return self._forks.client(self.program, arguments, self._site.environ, self._goes_on)

    def _wait(self) -> None:
        """Wait for some lines or some time. A kill hits whatever is under way, a start as well."""
        lines = self._chance.randrange(self.lines)
        end = time.monotonic() + self._chance.uniform(0.0, self.pause)
        before = self._written()
        while time.monotonic() < end and self._written() < before + lines * LINE_BYTES:
            time.sleep(LOOK_SECONDS)

    def _written(self) -> int:
        return sum(path.stat().st_size for path in self._ledgers.iterdir())

    def _kill(self, kind: str) -> int:
        """Kill one process of a kind, if there is one; return how many were killed."""
        if kind == "client":
            number = self._chance.randrange(len(self._writers))
            self._writers[number].kill()
            self._writers[number] = self._start(number)
        elif not (self._kill_worker() if kind == "worker" else self._kill_daemon()):
            return 0
        self._outcome.figures[f"kills of a {kind}"] += 1
        if kind == "daemon" and self._chance.random() < 0.6:  # else the next kill may hit the start
            self._check_start()
        return 1

    def _kill_daemon(self) -> bool:
        daemon = self._daemon()
        return daemon is not None and _kill(daemon)

    def _kill_worker(self) -> bool:
        """Have the index built anew, and kill the first worker process that does it."""
        rebuilding = threading.Thread(target=self._rebuild)
        rebuilding.start()
        killed, daemon = False, None
        while rebuilding.is_alive() and not killed:
            daemon = daemon if daemon is not None and daemon.is_running() else self._daemon()
            workers = [] if daemon is None else _workers_of(daemon)
            killed = any(_kill(worker) for worker in workers[:1])
            time.sleep(LOOK_SECONDS)
        rebuilding.join()
        return killed

    def _rebuild(self) -> None:
        try:
            client.call(str(self._root), self._site.environ, "index", {"rebuild": True})
        except MuninnError:
            pass  # a writer may have stopped the daemon; what is left is compared at the end

    def _daemon(self) -> psutil.Process | None:
        """Return the daemon, even one that is still starting and has written no pid."""
        return next(self._daemons(), None)

    def _daemons(self) -> Iterator[psutil.Process]:
        for pid in self._forks.daemons(self._root):
            try:
                yield psutil.Process(pid)
            except psutil.NoSuchProcess:
                pass
        for process in psutil.process_iter(["cmdline"]):
            if process.info["cmdline"] and process.info["cmdline"][-1] == str(self._root):
                yield process

    def _check_start(self) -> None:
        """The next daemon answers, has healed what the kill left, and reports at most a line that was cut off."""
        try:
            with client.connect(str(self._root), self._site.environ) as muninn:
                status = muninn.call("status")
                muninn.call("recall", {"query": "where are users stored", "limit": 3})
        except MuninnError as error:
            self._outcome.violations.append(f"a start after a kill: {type(error).__name__}: {error}")
            return
        self._outcome.figures["starts checked"] += 1
        for problem in status["problems"]:
            torn = "/torn-" in problem["path"]
            self._outcome.expect(torn, f"a start after a kill reports {problem}")
            if torn:
                (self._root / problem["path"]).unlink(missing_ok=True)

    def _check_answer(self, verb: str, params: dict[str, Any]) -> None:
        """The next daemon answers a verb."""
        try:
            client.call(str(self._root), self._site.environ, verb, params)
        except MuninnError as error:
            self._outcome.violations.append(f"a start after a kill: {type(error).__name__}: {error}")
            return
        self._outcome.figures["starts checked"] += 1

    def _end_writers(self) -> None:
        os.close(self._held)
        for writer in self._writers:
            try:
                writer.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                writer.kill()
                self._outcome.violations.append("a writer did not get an answer and hung")

    def _compare(self) -> None:
        self._check_start()
        events = read_ledgers(self._ledgers.iterdir())
        self._end_daemon()
        compare(events, records_of(self._root), self._outcome)
        self._check_errors(events)
        self._check_redactions(events)
        with engine_on(self._root, self._site.folder) as (engine, call):
            self._check_events(events, call)
            call("index")
            index = engine.open(locate(str(self._root))).updater
            index.wait_memories(PATIENCE)
            followed = content(index.index)
            call("index", rebuild=True)
            index.wait_memories(PATIENCE)
            self._outcome.expect(followed == content(index.index), "the index differs from one that is built anew")
        self._outcome.figures["indexes compared with a rebuild"] += 1

    def _check_events(self, events: list[dict], call: Callable[..., Any]) -> None:
        """The journal has each acknowledged event once, and its chain is whole."""
        acknowledged = {one["nonce"] for one in events if one["event"] == "ack" and one["verb"] == "event.append"}
        verified = call("audit.verify")
        self._outcome.expect(verified.ok, f"the journal's chain is broken: {verified.broken}")
        keys = (json.loads(line)["idempotency_key"] for line in call("audit.replay", limit=10_000).lines)
        stored = Counter(key for key in keys if key)
        self._outcome.figures["events checked"] += len(acknowledged)
        for nonce in sorted(acknowledged - stored.keys()):
            self._outcome.violations.append(f"lost: the event {nonce} was acknowledged, the journal has none")
        for nonce, times in stored.items():
            self._outcome.expect(times == 1, f"duplicated: the event {nonce} is in the journal {times} times")

    def _end_daemon(self) -> None:
        if self._chance.random() < 0.5:
            stop_daemon(self._root, self._site.environ)
        else:
            self._kill_daemon()

    def _check_errors(self, events: list[dict]) -> None:
        for event in events:
            if event["event"] == "error" and event["error"].startswith("InternalError"):
                self._outcome.violations.append(f"internal error: {event['verb']}: {event['error']}")

    def _check_redactions(self, events: list[dict]) -> None:
        done = {event["target"] for event in events if event["event"] == "ack" and event["verb"] == "redact"}
        words = {event["nonce"]: event["id"] for event in events if event["event"] == "ack" and event.get("id") in done}
        self._outcome.figures["redactions checked"] += len(words)
        for path in (self._root / ".muninn").rglob("*"):
            data = path.read_bytes() if path.is_file() else b""
            for word in words:
                self._outcome.expect(
                    f"{word}.".encode() not in data, f"redacted text of {word} is in {path.relative_to(self._root)}"
                )


def _kill(process: psutil.Process) -> bool:
    """Kill a process and wait for its end; return whether it was there."""
    try:
        process.kill()
        process.wait(PATIENCE)
    except psutil.NoSuchProcess:
        return False
    return True


def _workers_of(daemon: psutil.Process) -> list[psutil.Process]:
    try:
        return [child for child in daemon.children() if "muninn_core.index.extraction.worker" in child.cmdline()]
    except psutil.Error:
        return []
