"""kill -9 of the daemon and of clients that claim leases, while a lock of the system shows who holds what.

A claim that succeeds while another client is inside is a double holder; a token that is not greater than the one
before it in the same task goes backward. Neither may happen. The unit of the count is a kill of the daemon; between two
of them some twenty clients are killed.
"""

from __future__ import annotations

import time
from collections import Counter

from torture import kills
from torture.campaign import Limit, Outcome
from torture.engine import engine_on
from torture.ledger import read_ledgers


def run(seed: int, limit: Limit, writers: int = 8) -> Outcome:
    """Kill until the limit, in rounds."""
    return kills.run(seed, limit, writers, LeaseRound)


class LeaseRound(kills.Round):
    """A round whose clients claim, hold and release leases."""

    program = "torture.lease_worker"
    kinds = ("daemon",)
    pause = 2.0
    lines = 400

    def run(self, limit: Limit, before: int) -> int:
        """Kill, then compare; return the number of kills."""
        self._limit = limit
        return super().run(limit, before)

    def _wait(self) -> None:
        """Wait as the other rounds do, and before the first kill until a lease was held on any machine."""
        while not self._outcome.figures["kills of a daemon"] and not self._limit.reached(0) and not self._was_held():
            time.sleep(kills.LOOK_SECONDS)
        super()._wait()

    def _was_held(self) -> bool:
        return any(b'"held"' in path.read_bytes() for path in self._ledgers.iterdir())

    def _check_start(self) -> None:
        """The next daemon lists agents and leases."""
        self._check_answer("agent.list", {})

    def _compare(self) -> None:
        ledgers = read_ledgers(self._ledgers.iterdir())
        self._end_daemon()
        self._check_errors(ledgers)
        counts = Counter(one["event"] for one in ledgers)
        self._outcome.figures["kills of a client"] += counts["killed"]
        self._outcome.figures["leases held"] += counts["held"]
        self._outcome.figures["holders suspended past their lease"] += counts["outlived"]
        self._outcome.figures["double holders"] += counts["double"]
        for one in ledgers:
            self._outcome.expect(one["event"] not in ("double", "backward"), f"{one['event']}: {one['nonce']}")
        with engine_on(self._root, self._site.folder) as (_, call):
            verified = call("audit.verify")
            self._outcome.expect(verified.ok, f"the journal's chain is broken: {verified.broken}")
