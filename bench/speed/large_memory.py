"""A large memory: opening its log, following changes by git, checking and reconciling.

Each figure comes from a new process; before cold runs the files are dropped from the system's cache.
`python -m bench.speed.large_memory open|keep|follow|check|reconcile FOLDER` prints one of them as JSON.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from bench.harness.corpus import Corpus
from bench.harness.figure import Figure
from bench.harness.history import write_history
from muninn_core.engine.check.check import check
from muninn_core.launch.repository_location import locate
from muninn_core.protocol.families.review import CheckParams
from muninn_core.reconcile.planning.apply import reconcile
from muninn_core.store.files.change_scan import SETTLED_SECONDS
from muninn_core.store.files.layout import initialise, layout_of, prepare_memory
from muninn_core.store.folding import fold_cache
from muninn_core.store.log import Log, open_log
from muninn_core.store.records.ids import UlidGenerator

PER_SEGMENT = 50
SECONDS_AT_MOST = 900


def memory(words: Corpus, memories: int, reconciled: int, folder: Path) -> list[Figure]:
    """Measure with `memories` memories, 50 per segment; reconcile `reconciled` segments of 10."""
    large, small = folder / "years", folder / "weeks"
    records = _write(large, words, memories, memories // PER_SEGMENT)
    _write(small, words, reconciled * 10, reconciled)
    cold = [_run("open", large) for _ in range(3)]
    checked = [_run("check", large) for _ in range(3)]
    of_cache = _run("keep", large)
    warm = [_run("open", large, forget=False) for _ in range(5)]
    followed = _run("follow", large, forget=False)
    once, again = (_run("reconcile", small) for _ in range(2))
    return [
        _opened("log: open and fold, files not in the cache", cold, "s", 2, f"{records} records"),
        _opened(
            "log: open with the fold that was kept", warm, "ms", 100, f"{of_cache['bytes'] / 1e6:.0f} MB were kept"
        ),
        Figure("log: keep the fold", of_cache["seconds"], "s", None, "after opening, while questions are answered"),
        Figure("log: follow a segment that comes", followed["came"] * 1000, "ms", 100),
        Figure("log: follow a segment that goes", followed["went"] * 1000, "ms", 100),
        Figure("log: look at every file", followed["whole"] * 1000, "ms", None, f"{memories // PER_SEGMENT} segments"),
        Figure("log: look for a question", followed["brief"] * 1000, "ms", 1),
        _opened("check, no daemon, files not in the cache", checked, "s", 5, f"{memories // PER_SEGMENT} segments"),
        _reconciled("reconcile", once, f"{reconciled} segments of 10 memories"),
        _reconciled("reconcile again", again, "nothing is new"),
    ]


def _opened(name: str, runs: list[dict[str, float]], unit: str, budget: float, note: str) -> Figure:
    """Return the median of the runs, with the median of their processor time."""
    factor = {"s": 1, "ms": 1000}[unit]
    seconds, processor = (factor * statistics.median(run[what] for run in runs) for what in ("seconds", "processor"))
    return Figure(name, seconds, unit, budget, f"{note}; {processor:.3g} {unit} of processor time", {"runs": runs})


def _reconciled(name: str, run: dict[str, float], note: str) -> Figure:
    return Figure(name, run["seconds"], "s", 10, f"{note}; {run['processor']:.3g} s of processor time", run)


def _write(root: Path, words: Corpus, memories: int, segments: int) -> int:
    layout = layout_of(root)
    initialise(layout, "# defaults\n")
    prepare_memory(layout)
    return write_history(layout, words, memories, segments)


def _run(what: str, root: Path, *, forget: bool = True) -> dict[str, float]:
    if forget:
        _forget(root)
    done = subprocess.run(
        [sys.executable, "-m", "bench.speed.large_memory", what, str(root)],
        stdout=subprocess.PIPE,
        check=True,
        timeout=SECONDS_AT_MOST,
    )
    measured: dict[str, float] = json.loads(done.stdout)
    return measured


def _forget(root: Path) -> None:
    """Drop the files from the system's cache. Only pages that are written to disk can be dropped."""
    os.sync()
    for path in root.rglob("*.jsonl"):
        handle = os.open(path, os.O_RDONLY)
        os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(handle)


def _open(root: Path) -> Log:
    return open_log(
        layout_of(root), clock=lambda: datetime.now(UTC), ids=UlidGenerator(lambda: datetime.now(UTC), os.urandom)
    )


def _measure(what: str, root: Path) -> dict[str, float]:
    if what in ("open", "check"):
        begun, used = time.perf_counter(), time.process_time()
        _open(root) if what == "open" else _check(root)
        return {"seconds": time.perf_counter() - begun, "processor": time.process_time() - used}
    log = _open(root)
    begun = time.perf_counter()
    if what == "keep":
        log.save_cache(0)
        size = (log.layout.cache / fold_cache.NAME).stat().st_size
        return {"seconds": time.perf_counter() - begun, "bytes": size}
    if what == "reconcile":
        used = sum(os.times()[:4])  # with the process that plans
        outcome = reconcile(log)
        seconds, processor = time.perf_counter() - begun, sum(os.times()[:4]) - used
        return {"seconds": seconds, "processor": processor, "consolidated": outcome.consolidated}
    segment = log.layout.sessions / "came.jsonl"
    segment.write_text('{"ts":"2025-05-01T00:00:00Z","type":"insight","text":"A branch brought this."}\n')
    came = _refresh(log)
    segment.unlink()
    went, whole = _refresh(log), _refresh(log)
    time.sleep(SETTLED_SECONDS + 0.1)  # a check soon after a change reads every file
    _refresh(log)
    brief = statistics.median(_refresh(log, brief=True) for _ in range(100))
    return {"came": came, "went": went, "whole": whole, "brief": brief}


def _check(root: Path) -> None:
    check(locate(str(root)), layout_of(root), CheckParams(), lambda: None)


def _refresh(log: Log, *, brief: bool = False) -> float:
    begun = time.perf_counter()
    log.refresh(brief=brief)
    return time.perf_counter() - begun


if __name__ == "__main__":
    print(json.dumps(_measure(sys.argv[1], Path(sys.argv[2]))))
