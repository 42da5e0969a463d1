"""The Python interface without a daemon: storing, reading, searching and listing memories in this process.

The four operations and the budgets are those of the published table of mnemosyne's Python bindings. That table states
neither the number of memories nor the machine, so 100 and 10,000 memories are measured. Mnemosyne searches words only;
Muninn flushes each line to disk and searches by words and by meaning.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.harness.corpus import Corpus
from bench.harness.figure import Figure, spread
from muninn_core import open_repository

MNEMOSYNE_MS = {"store": 2.25, "get": 0.5, "search": 1.61, "list": 0.88}
"""Milliseconds, of mnemosyne 2.1.1, "Performance Comparison" in its ARCHITECTURE.md."""

LIMIT = 20
"""Memories of an answer."""


def python(corpus: Corpus, sizes: tuple[int, ...], count: int, folder: Path, environ: dict[str, str]) -> list[Figure]:
    """Measure each operation `count` times, with each number of memories in `sizes`."""
    figures = []
    for size in sizes:
        root = folder / f"python-{size}"
        root.mkdir()
        subprocess.run(["git", "init", "-q", str(root)], check=True)
        for name, (took, used) in _measure(corpus, root, size, count, environ).items():
            detail = spread(took)
            note = f"p95 {detail['p95']:.2f} ms, {used:.2f} ms of processor time"
            title = f"Python, {size:,} memories: {name}, p50"
            figures.append(Figure(title, detail["p50"], "ms", MNEMOSYNE_MS.get(name), note, detail))
    return figures


def _measure(
    corpus: Corpus, root: Path, size: int, count: int, environ: dict[str, str]
) -> dict[str, tuple[list[float], float]]:
    drafts = corpus.memories(size + count)
    queries = corpus.queries(2 * count, 11)
    with open_repository(root, environ=environ) as repository:
        repository.init()
        ids = repository.call("remember", batch=drafts[:size]).ids  # type: ignore[attr-defined]
        repository.index(wait=True)
        repository.recall("what is asked first loads what all need", kind="memory")
        step = max(1, size // count)
        return {
            "store": _time(count, lambda at: repository.remember(**_own(drafts[size + at], at))),
            "get": _time(count, lambda at: repository.memories(id=ids[at * step % size])),
            "search": _time(count, lambda at: repository.recall(queries[at], kind="memory", limit=LIMIT)),
            "search in mnemosyne's order": _time(
                count,
                lambda at: repository.recall(queries[count + at], kind="memory", limit=LIMIT, profile="mnemosyne"),
            ),
            "list": _time(count, lambda at: repository.memories(limit=LIMIT, offset=at % size)),
        }


def _own(draft: dict[str, Any], number: int) -> dict[str, Any]:
    """Return a draft with a unique text."""
    return {**draft, "text": f"{draft['text']} Seen in run {number}."}


def _time(count: int, work: Callable[[int], object]) -> tuple[list[float], float]:
    """Return each call's latency in milliseconds, and the mean processor time of a call."""
    took = []
    used = time.process_time()
    for number in range(count):
        begun = time.perf_counter()
        work(number)
        took.append((time.perf_counter() - begun) * 1000)
    return took, (time.process_time() - used) / count * 1000
