"""SIGSTOP of the daemon while eight writers run every writing verb, for as long as the part may take.

The daemon is stopped and goes on, as when a machine sleeps. Meanwhile no second daemon starts and a client is told in
time. Afterwards the same process answers, clients recover, and what `kills` compares holds.
"""

from __future__ import annotations

import random
import signal
import time

import psutil

from torture import kills
from torture.campaign import PATIENCE, Limit, Outcome, site
from torture.nursery import nursery

BRIEF_SECONDS = 3.0
"""The most that a stop lasts when the number of stops is given."""


def run(seed: int, limit: Limit, writers: int = kills.WRITERS) -> Outcome:
    """Stop the daemon once for the whole time, or `count` times for some seconds; a unit of the count is a stop."""
    outcome = Outcome()
    chance = random.Random(seed)
    with nursery() as forks, site("stops") as place:
        StopRound(place, forks, chance, outcome, writers).stop_all(limit)
    return outcome


class StopRound(kills.Round):
    """A repository whose daemon is stopped."""

    def stop_all(self, limit: Limit) -> None:
        """Stop and resume the daemon, then compare as after kills."""
        try:
            for _ in range(limit.count or 1):
                self._wait_for_calls()
                self._stop(self._chance.uniform(0, BRIEF_SECONDS) if limit.count else limit.seconds)
            self._wait_for_calls()
        finally:
            self._end_writers()
        self._compare()

    def _stop(self, seconds: float) -> None:
        daemon = self._daemon()
        if daemon is None:
            self._outcome.violations.append("no daemon runs that could be stopped")
            return
        begun = time.monotonic()
        daemon.send_signal(signal.SIGSTOP)
        try:
            while (left := begun + seconds - time.monotonic()) > 0:
                time.sleep(min(left, 60.0))
                self._look_at(daemon)
        finally:
            daemon.send_signal(signal.SIGCONT)
        self._outcome.figures["stops of a daemon"] += 1
        self._outcome.figures["seconds stopped"] += round(time.monotonic() - begun)
        self._check_start()
        told = sum(path.read_bytes().count(b"the daemon does not answer") for path in self._ledgers.iterdir())
        self._outcome.figures["calls told that the daemon does not answer"] = told
        after = self._daemon()
        self._outcome.expect(after == daemon, f"another daemon answers after the stop: {after}, not {daemon}")

    def _look_at(self, daemon: psutil.Process) -> None:
        """While it is stopped, it is the only daemon."""
        daemons = [one.pid for one in self._daemons()]
        self._outcome.expect(daemons == [daemon.pid], f"daemons during the stop: {daemons}, not only {daemon.pid}")

    def _wait_for_calls(self) -> None:
        """Wait until every writer got another answer, so that a stop meets writers at work and each one recovers."""
        before = {path: path.read_bytes().count(b'"ack"') for path in self._ledgers.iterdir()}
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            now = {path: path.read_bytes().count(b'"ack"') for path in self._ledgers.iterdir()}
            if len(now) == len(self._writers) and all(now[path] > before.get(path, 0) for path in now):
                return
            time.sleep(0.05)
        self._outcome.violations.append("a writer got no answer from a daemon that runs")
