"""The memory of years: opening its log, following what git does to it, and reconciling. No daemon, one process each.

Every figure is of a process that has just begun; for the first one the system has been asked to forget the files.
`python -m bench.remembering open|follow|reconcile FOLDER` prints one of them as JSON.
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

from bench.corpus import Corpus
from bench.figure import Figure
from bench.history import write_history
from muninn_core.reconcile.apply import reconcile
from muninn_core.store.ids import Ids
from muninn_core.store.layout import initialise, layout_of, prepare_memory
from muninn_core.store.log import Log, open_log

PER_SEGMENT = 50
SECONDS_AT_MOST = 900


def memory(words: Corpus, memories: int, reconciled: int, folder: Path) -> list[Figure]:
    """Measure with so many memories, 50 a segment; reconcile with so many segments of 10."""
    large, small = folder / "years", folder / "weeks"
    records = _write(large, words, memories, memories // PER_SEGMENT)
    _write(small, words, reconciled * 10, reconciled)
    cold = [_run("open", large) for _ in range(3)]
    warm = _run("follow", large)
    once = _run("reconcile", small)
    opened = statistics.median(one["seconds"] for one in cold)
    note = f"{records} records in {memories // PER_SEGMENT} segments; {cold[0]['processor']:.1f} s of processor time"
    return [
        Figure("log: open and fold, files not in the cache", opened, "s", 2, note, {"runs": cold}),
        Figure("log: follow a segment that comes", warm["came"] * 1000, "ms", 100),
        Figure("log: follow a segment that goes", warm["went"] * 1000, "ms", 100),
        Figure("log: look that nothing has changed", warm["nothing"] * 1000, "ms"),
        Figure("reconcile", once["seconds"], "s", 10, f"{reconciled} segments of 10 memories", once),
    ]


def _write(root: Path, words: Corpus, memories: int, segments: int) -> int:
    layout = layout_of(root)
    initialise(layout, "# defaults\n")
    prepare_memory(layout)
    return write_history(layout, words, memories, segments)


def _run(what: str, root: Path) -> dict[str, float]:
    _forget(root)
    done = subprocess.run(
        [sys.executable, "-m", "bench.remembering", what, str(root)],
        stdout=subprocess.PIPE,
        check=True,
        timeout=SECONDS_AT_MOST,
    )
    measured: dict[str, float] = json.loads(done.stdout)
    return measured


def _forget(root: Path) -> None:
    """Ask the system to drop the files from its cache; it does so with pages that are on the disk."""
    os.sync()
    for path in root.rglob("*.jsonl"):
        handle = os.open(path, os.O_RDONLY)
        os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(handle)


def _open(root: Path) -> Log:
    return open_log(layout_of(root), clock=lambda: datetime.now(UTC), ids=Ids(lambda: datetime.now(UTC), os.urandom))


def _measure(what: str, root: Path) -> dict[str, float]:
    begun, used = time.perf_counter(), time.process_time()
    log = _open(root)
    opened = {"seconds": time.perf_counter() - begun, "processor": time.process_time() - used}
    if what == "open":
        return opened
    begun = time.perf_counter()
    if what == "reconcile":
        outcome = reconcile(log)
        return {"seconds": time.perf_counter() - begun, "consolidated": outcome.consolidated}
    segment = log.layout.sessions / "came.jsonl"
    segment.write_text('{"ts":"2025-05-01T00:00:00Z","type":"insight","text":"A branch brought this."}\n')
    came = _refresh(log)
    segment.unlink()
    return {"came": came, "went": _refresh(log), "nothing": _refresh(log)}


def _refresh(log: Log) -> float:
    begun = time.perf_counter()
    log.refresh()
    return time.perf_counter() - begun


if __name__ == "__main__":
    print(json.dumps(_measure(sys.argv[1], Path(sys.argv[2]))))
