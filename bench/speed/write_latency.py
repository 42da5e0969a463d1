"""Write latency: a batch of memories, single memories, and a changed file until it is searchable."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path
from typing import Any

from bench.harness.corpus import Corpus
from bench.harness.figure import Figure, percentile, spread
from bench.harness.processes import resident, tree
from bench.harness.served import Served
from muninn_core.engine.engine import RELEASE_SECONDS

GIVE_UP_SECONDS = 20.0


def batch(served: Served, memories: list[dict[str, Any]], folder: Path) -> list[Figure]:
    """Store all memories with one `remember --batch`, and wait until the last can be recalled."""
    file = folder / "memories.jsonl"
    file.write_text("".join(json.dumps(memory) + "\n" for memory in memories), "utf-8")
    command = served.muninn("remember", "--batch", str(file), "--repo", str(served.root), "--json")
    begun = time.perf_counter()
    subprocess.run(command, env=served.environ, stdout=subprocess.DEVNULL, check=True)
    stored = time.perf_counter() - begun
    with served.connect() as muninn:
        muninn.call("index", {"wait": True})
        searchable = time.perf_counter() - begun
        while muninn.call("recall", {"query": memories[-1]["text"], "kind": "memory", "limit": 1})["hits"] == []:
            searchable = time.perf_counter() - begun
    pid = served.pid
    assert pid is not None
    note = f"{len(memories)} memories; {1000 * stored / len(memories):.2f} ms each; searchable after {searchable:.1f} s"
    after = resident(tree(pid)) / 1e6
    time.sleep(RELEASE_SECONDS + 2)
    rest = resident(tree(pid)) / 1e6
    return [
        Figure("remember --batch, whole process", stored, "s", None, note, {"searchable": searchable}),
        Figure("memory with all memories, at rest", rest, "MB", 300, f"{after:.0f} MB right after the batch"),
    ]


def one_by_one(served: Served, corpus: Corpus, count: int) -> list[Figure]:
    """Store memories over one connection, each after the previous one is on disk."""
    drafts = corpus.memories(count + 50)[50:]
    latencies = []
    with served.connect() as muninn:
        for number, draft in enumerate(drafts):
            params = {**draft, "text": f"{draft['text']} Seen in run {number}.", "session": "bench-one"}
            begun = time.perf_counter()
            muninn.call("remember", params)
            latencies.append((time.perf_counter() - begun) * 1000)
    detail = spread(latencies)
    detail["fsync_alone_p50"] = spread(_flushes(served.root / ".muninn" / "local" / "flush", count))["p50"]
    note = f"p95 {detail['p95']:.1f} ms; a flush of a file alone takes {detail['fsync_alone_p50']:.2f} ms here"
    return [Figure("remember, durable, p50", detail["p50"], "ms", 5, note, detail)]


def changed_file(served: Served, count: int) -> list[Figure]:
    """Write a file with a new symbol and query every few milliseconds until it is the best hit."""
    latencies = []
    with served.connect() as muninn:
        for number in range(count):
            symbol = f"quizzical_marmoset_{number}_{'abcdefghij'[number % 10]}"
            path = served.root / f"fresh_{number % 7}.py"
            begun = time.perf_counter()
            path.write_text(
                f'def {symbol}(value):\n    """Return the value that was changed last."""\n    return value\n'
            )
            while not _finds(muninn.call("recall", {"query": symbol, "limit": 1}), symbol):
                time.sleep(0.002)
                if time.perf_counter() - begun > GIVE_UP_SECONDS:
                    raise RuntimeError(f"{path} was not searchable within {GIVE_UP_SECONDS:g} s")
            latencies.append((time.perf_counter() - begun) * 1000)
            time.sleep(0.15)  # a person pauses between saves, and the watcher settles
    detail = spread(latencies)
    note = f"p50 {detail['p50']:.0f} ms; {count} changes"
    return [Figure("changed file to searchable, p95", percentile(latencies, 0.95), "ms", 500, note, detail)]


def _finds(result: dict[str, Any], symbol: str) -> bool:
    return bool(result["hits"]) and symbol in result["hits"][0]["text"]


def _flushes(path: Path, count: int) -> list[float]:
    """Append and flush lines of a memory's size, and return the latencies of the disk alone."""
    import os

    latencies = []
    for _ in range(count):
        begun = time.perf_counter()
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(handle, b"x" * 600)
        os.fsync(handle)
        os.close(handle)
        latencies.append((time.perf_counter() - begun) * 1000)
    path.unlink()
    return latencies
