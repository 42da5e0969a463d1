"""`python -m torture [PART…]`: run parts of the torture tests and print their figures.

Exit status 1 means that a part found a violation; the output has the seed that repeats it.
"""

from __future__ import annotations

import argparse
import importlib
import random
import sys
from pathlib import Path

from torture.campaign import Limit, Outcome, be_patient, note_run, read_runs, report, table, units_before

PARTS = {
    "kills": "kill -9 of daemons, workers and clients while eight writers run every writing verb",
    "events": "kill -9 of the daemon and of eight clients that record events, turns and capsules",
    "leases": "kill -9 of the daemon and of clients that claim leases, while a lock of the system shows who holds what",
    "interleavings": "kill -9 of the process that has the journal, amid operations of clients that claim leases",
    "stops": "SIGSTOP of the daemon for the whole time, while eight writers run every writing verb",
    "histories": "random git histories of two clones and their work trees, with live daemons",
    "faults": "an error, a full disk, half a write or a crash at every call that changes a file",
    "records": "every verb over states of hostile records and files",
    "fuzz": "every parser of foreign bytes, guided by coverage",
    "hygiene": "a thousand clients of every kind, and what is left of them",
}
"""The parts in the order in which they run. Each is a module with `run(seed, limit) -> Outcome`."""


_TESTS = Path(__file__).resolve().parent.parent
sys.path += [str(_TESTS / name) for name in ("property", "engine")]  # the modules that parts share with tests


def main(arguments: list[str] | None = None) -> int:
    """Run the chosen parts."""
    options = _parser().parse_args(arguments)
    seed = random.SystemRandom().randrange(1_000_000) if options.seed is None else options.seed
    outcomes: dict[str, Outcome] = {}
    for part in options.parts or PARTS:
        if Limit.ended():
            break
        before = units_before(options.runs, part, seed, "points met") if options.runs else 0
        limit = Limit(options.seconds, options.count, before)
        outcome = importlib.import_module(f"torture.{part}").run(seed, limit)
        print(table(part, seed, outcome), flush=True)
        outcomes[part] = outcome
        if options.runs:
            note_run(options.runs, part, seed, outcome)
    if options.report:
        options.report.write_text(report(read_runs(options.runs) if options.runs else outcomes))
    return 1 if any(outcome.violations for outcome in outcomes.values()) else 0


def _parser() -> argparse.ArgumentParser:
    listed = "\n".join(f"  {name:<13} {what}" for name, what in PARTS.items())
    parser = argparse.ArgumentParser(
        "torture", description=f"parts:\n{listed}", formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART", choices=[[], *PARTS], help="all by default")
    parser.add_argument(
        "--seconds", type=float, default=600.0, help="time of each part (600); `fuzz` counts processor time"
    )
    parser.add_argument("--count", type=int, help="stop each part after so many kills, histories, points, …")
    parser.add_argument("--seed", type=int, help="repeat a run")
    parser.add_argument("--runs", type=Path, metavar="FILE", help="append each run to a file, so that figures add up")
    parser.add_argument("--report", type=Path, metavar="FILE", help="write the table of this call, or of all RUNS")
    return parser


if __name__ == "__main__":
    be_patient()
    Limit.ends_with_sigterm()
    sys.exit(main())
