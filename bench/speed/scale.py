"""A very large memory in use: `python -m bench scale --keep FOLDER`.

It stores 100,000 memories beside Django's source, restarts the daemon twice, asks questions, reconciles everything, and
asks again. The first start finds no cached fold, because the repository was copied. The first run stores and encodes,
which takes minutes, and keeps the repository in FOLDER; each run measures a copy of it.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from bench.harness import corpus
from bench.harness.figure import Figure, spread, table
from bench.harness.processes import Peak, processor_seconds, resident, tree
from bench.harness.served import Served
from muninn_core.engine.engine import RELEASE_SECONDS

HERE = Path(__file__).parents[1]
MB = 1_000_000
BATCH = 10_000
CALM_SECONDS = 0.5
RESTING_SECONDS = 25


def main(words: list[str]) -> int:
    """Prepare the repository if it is missing, measure, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench scale", description=__doc__.splitlines()[0])
    parser.add_argument("--keep", type=Path, required=True, help="the folder that keeps the prepared repository")
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=400, help="questions before and after the reconcile")
    parser.add_argument("--prepare", action="store_true", help="store and encode the memories, and measure nothing")
    options = parser.parse_args(words)
    source = corpus.django(HERE / ".cache")
    asked = corpus.Corpus(source)
    kept = options.keep / f"scale-{options.memories}"
    if not kept.is_dir():
        _prepare(source, asked, kept, options.memories)
    if options.prepare:
        return 0
    with tempfile.TemporaryDirectory(prefix="muninn-scale-", dir=options.keep) as folder:
        root = Path(folder) / "repository"
        shutil.copytree(kept, root, symlinks=True)
        with Served(root) as served:
            first = _start(served, "without a cached fold")
            wait_encoded(served)
            served.stop()
            figures = [first, *_measure(served, asked.queries(2 * options.queries, 21))]
    print(table(figures))
    print(f"\n{len(os.sched_getaffinity(0))} processors, load {os.getloadavg()[0]:.1f} after the run")
    return 0


def _prepare(source: Path, asked: corpus.Corpus, kept: Path, count: int) -> None:
    """Store `count` memories and encode them. The folder gets its name when that is done."""
    building = kept.with_suffix(".part")
    shutil.rmtree(building, ignore_errors=True)
    drafts = asked.memories(count)
    with Served(corpus.lay_out(source, building)) as served:
        with served.connect() as muninn:
            muninn.call("init")
            muninn.call("index", {"wait": True})
        batch = building / ".git" / "batch.jsonl"
        for start in range(0, count, BATCH):
            batch.write_text("".join(json.dumps(each) + "\n" for each in drafts[start : start + BATCH]), "utf-8")
            command = served.muninn("remember", "--batch", str(batch), "--repo", str(served.root), "--json")
            subprocess.run(command, env=served.environ, stdout=subprocess.DEVNULL, check=True)
        batch.unlink()
        wait_encoded(served)
    building.rename(kept)


def wait_encoded(served: Served) -> None:
    """Wait until all memories are searchable by words and by the text encoder."""
    with served.connect() as muninn:
        muninn.call("index", {"wait": True})
        while muninn.call("status")["saw"]["index"].get("unencoded"):
            time.sleep(CALM_SECONDS)


def _start(served: Served, how: str) -> Figure:
    """Start the daemon with a question."""
    begun = time.perf_counter()
    served.call("recall", query="which lock is taken first")
    return Figure(f"start of the daemon to its first answer, {how}", time.perf_counter() - begun, "s")


def _measure(served: Served, questions: list[str]) -> list[Figure]:
    opened = _start(served, "with it")
    half = len(questions) // 2
    before = _recall(served, questions[:half], "before")
    reconciled = _reconcile(served)
    return [
        opened,
        *before,
        *reconciled,
        *_recall(served, questions[half:], "after"),
    ]


def _reconcile(served: Served) -> list[Figure]:
    """Reconcile everything; measure the first two questions after it, and the longest stall of the event loop."""
    pid = served.pid
    assert pid is not None
    with Peak(lambda: pid) as peak, served.connect() as muninn:
        used, begun = processor_seconds([pid]), time.perf_counter()
        summary = muninn.call("reconcile")["summary"]
        took, used = time.perf_counter() - begun, processor_seconds([pid]) - used
        firsts = []
        for query in ("where is a session stored", "what takes the second lock"):
            asked = time.perf_counter()
            muninn.call("recall", {"query": query})
            firsts.append(time.perf_counter() - asked)
        wait_encoded(served)
        stall = muninn.call("status")["longest_stall_ms"]
    return [
        Figure("reconcile of all", took, "s", None, f"{used:.1f} s of processor time; {summary}"),
        Figure("first question after it", firsts[0], "s", 1),
        Figure("second question after it", firsts[1], "s", 1),
        Figure("longest stall of the event loop", stall, "ms", 100),
        Figure("peak memory", peak.bytes / MB, "MB"),
    ]


def _recall(served: Served, questions: list[str], when: str) -> list[Figure]:
    """Ask, with one client, and measure the memory at rest afterwards."""
    pid = served.pid
    assert pid is not None
    served.call("recall", query="which lock is taken last")
    used = processor_seconds([pid])
    latencies, _ = served.ask([questions])
    used = (processor_seconds([pid]) - used) * 1000 / len(questions)
    detail = spread(latencies)
    stall = served.call("status")["longest_stall_ms"]
    return [
        Figure(f"recall {when}, p50", detail["p50"], "ms", None, f"{used:.1f} ms of processor time", detail),
        Figure(f"recall {when}, p95", detail["p95"], "ms", 10),
        Figure(f"longest stall {when}", stall, "ms", 100),
        Figure(f"memory at rest {when}", _at_rest(pid) / MB, "MB", 400),
    ]


def _at_rest(pid: int) -> int:
    """Return the least resident memory in half a minute without a question: a busy machine releases it late."""
    time.sleep(RELEASE_SECONDS + 2)
    sizes = []
    for _ in range(RESTING_SECONDS):
        sizes.append(resident(tree(pid)))
        time.sleep(1)
    return min(sizes)
