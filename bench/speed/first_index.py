"""The first index of a tree: its time, its peak memory, and the memory afterwards."""

from __future__ import annotations

import threading
import time
from typing import Any, NamedTuple

from bench.harness.figure import Figure
from bench.harness.processes import Peak, processor_seconds, proportional, resident, tree
from bench.harness.served import Served
from muninn_core.engine.engine import RELEASE_SECONDS

MB = 1_000_000


def first_index(served: Served) -> list[Figure]:
    """Start the daemon with the first client, initialise, and wait until every file is searchable."""
    begun = time.perf_counter()
    with Peak(lambda: served.pid) as peak:
        indexed = index_from_nothing(served, begun)
    result = indexed.result
    pid = served.pid
    assert pid is not None
    # The workers have been reaped, so the daemon's children's usage includes them.
    processor = processor_seconds(tree(pid))
    time.sleep(RELEASE_SECONDS + 2)
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
            indexed.whole_s,
            "s",
            30,
            f"{result['files']} files, {result['chunks']} chunks; {processor:.0f} s of processor time",
            detail,
        ),
        Figure(
            "first index, every file found by its words",
            indexed.files_s,
            "s",
            5,
            "files that wait are read for an answer",
        ),
        Figure("first index, every chunk found by its words", indexed.words_s, "s", None, "meaning follows"),
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


class Indexed(NamedTuple):
    """Seconds until every file is searchable by words, every chunk by words, and every chunk by vectors."""

    files_s: float
    words_s: float
    whole_s: float
    result: dict[str, Any]


def index_from_nothing(served: Served, begun: float) -> Indexed:
    """Initialise, index, and poll the searchable files meanwhile. A small tree has no survey of whole files."""
    moments: dict[str, float] = {}
    done = threading.Event()

    def watch() -> None:
        with served.connect() as other:
            while "words" not in moments and not done.wait(0.2):
                index = other.call("status")["index"]
                cut = index["state"] == "ready" and not index["lag"] and index["chunks"]
                if cut or (index["lag"] > 1 and index["surveyed"] == index["lag"]):
                    moments.setdefault("files", time.perf_counter() - begun)
                if cut:
                    moments["words"] = time.perf_counter() - begun

    with served.connect() as muninn:
        muninn.call("init")
        watcher = threading.Thread(target=watch)
        watcher.start()
        result = muninn.call("index", {"wait": True})
        whole = time.perf_counter() - begun
    done.set()
    watcher.join()
    return Indexed(moments.get("files", whole), moments.get("words", whole), whole, result)


def _stall(status: dict[str, float], when: str) -> Figure:
    return Figure(f"longest stall of the loop, {when}", status["longest_stall_ms"], "ms")
