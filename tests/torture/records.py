"""Every verb of the catalogue over states made of hostile records and files, in this process."""

from __future__ import annotations

import os
from unittest import mock

from hostile_states import run as run_states

from torture.campaign import Limit, Outcome
from torture.engine import embedder


def run(seed: int, limit: Limit) -> Outcome:
    """Make states until the limit and call every verb on each; a unit of the count is a state."""
    outcome = Outcome()
    done = 0
    while not limit.reached(done):
        with mock.patch.dict(os.environ, {"TERM": "dumb"}):  # what is shown has no colours, so each escape is a finding
            outcome.violations += map(str, run_states(seed + done, 1, embedder=embedder()))
        done += 1
        outcome.figures["states of hostile records"] = done
    return outcome
