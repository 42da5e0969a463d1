"""The first index of a tree, from nothing: how long, how much memory at the worst moment, how much afterwards."""

from __future__ import annotations

import time

from bench.figure import Figure
from bench.processes import Peak, processor_seconds, proportional, resident, tree
from bench.served import Served

MB = 1_000_000
SETTLE_SECONDS = 3.0


def first_index(served: Served) -> list[Figure]:
    """Start the daemon with the first client, initialise, and wait until every file is searchable."""
    begun = time.perf_counter()
    with Peak(lambda: served.pid) as peak:
        with served.connect() as muninn:
            muninn.call("init")
            result = muninn.call("index", {"wait": True})
        wall = time.perf_counter() - begun
    pid = served.pid
    assert pid is not None
    # The workers are gone and waited for: the daemon's account holds theirs.
    processor = processor_seconds(tree(pid))
    time.sleep(SETTLE_SECONDS)
    status = served.call("status")
    rest = tree(pid)
    detail = {
        "files": result["files"],
        "chunks": result["chunks"],
        "vectors": status["index"]["vectors"],
        "skipped": status["index"]["skipped"],
        "samples": peak.samples,
        "processes_at_peak": peak.most_processes,
        "daemon_processor_seconds": processor,
    }
    return [
        Figure(
            "first index, embeddings included",
            wall,
            "s",
            30,
            f"{result['files']} files, {result['chunks']} chunks; {processor:.0f} s of processor time",
            detail,
        ),
        Figure(
            "peak memory, daemon and workers",
            peak.bytes / MB,
            "MB",
            600,
            f"{peak.most_processes} processes; sum of RSS, sampled",
        ),
        Figure(
            "memory at rest, after the first index",
            resident(rest) / MB,
            "MB",
            300,
            f"PSS {proportional(rest) / MB:.0f} MB",
        ),
        _stall(status, "the first index"),
    ]


def _stall(status: dict[str, float], when: str) -> Figure:
    return Figure(f"longest stall of the loop, {when}", status["longest_stall_ms"], "ms")
