"""Latency over the socket: recall with one client, with eight, and during a rebuild; and context packs.

The loop is closed: each client waits for its answer before it sends the next question. No question repeats. Eight
clients send one to ten questions a second each, and then as many as possible, which measures the daemon's throughput.
The clients share the machine's processors with the daemon.
"""

from __future__ import annotations

import statistics
import time

from bench.harness.corpus import Corpus
from bench.harness.figure import Figure, percentile, spread
from bench.harness.processes import processor_seconds
from bench.harness.served import Served

CLIENTS = 8

PACES = {1: 15, 3: 25, 10: 5}
"""Questions a second of each client at a pace, and the salt of what is asked: no question is asked twice."""


FILTERS = {
    "decisions and bug fixes of two weeks": "type:decision,bug_fix since:2w",
    "a folder without its tests": "path:*.py -path:tests/**",
    "a phrase": '"is valid"',
}
"""Filters of a question: a description and the text."""


def recall_at_rest(served: Served, corpus: Corpus, count: int) -> list[Figure]:
    """Measure `count` questions with one client and with eight at each rate, twice as many with eight at full speed."""
    paced = [
        figure
        for pace, salt in PACES.items()
        for figure in _loops(
            served, f"recall, {CLIENTS} clients, {pace} a second each", _shared(corpus.queries(count, salt)), 1 / pace
        )
    ]
    return [
        *_loops(served, "recall, one client", [corpus.queries(count, salt=1)]),
        *paced,
        *_loops(served, f"recall, {CLIENTS} clients at full speed", _shared(corpus.queries(count * 2, salt=2))),
        *(
            Figure(f"recall, {what}, p50", detail["p50"], "ms", None, f"p95 {detail['p95']:.1f} ms", detail)
            for what, filters in FILTERS.items()
            for detail in [spread(_asked(served, [f"{filters} {each}" for each in corpus.queries(count // 4, 16)]))]
        ),
    ]


def recall_while_indexing(served: Served, corpus: Corpus, at_rest: float) -> list[Figure]:
    """Measure recall while a deleted index is rebuilt; `at_rest` is one client's median without a rebuild."""
    questions = corpus.queries(3000, salt=3)
    served.call("index", rebuild=True, wait=False)
    building: list[float] = []
    with served.connect() as muninn:
        for query in questions:
            begun = time.perf_counter()
            muninn.call("recall", {"query": query})
            building.append((time.perf_counter() - begun) * 1000)
            if len(building) % 20 == 0 and muninn.call("status")["index"]["state"] == "ready":
                break
        muninn.call("index", {"wait": True})
        stall = muninn.call("status")["longest_stall_ms"]
    p50 = statistics.median(building)
    note = f"{p50 / at_rest:.1f} times the median at rest"
    return [
        Figure("recall while indexing from nothing, p50", p50, "ms", None, note, spread(building)),
        Figure("recall while indexing from nothing, p95", percentile(building, 0.95), "ms", None, "", {}),
        Figure("longest stall of the loop, since the start", stall, "ms"),
    ]


def packs(served: Served, corpus: Corpus, count: int) -> list[Figure]:
    """Measure `count` context packs of the default budget with one client."""
    detail = spread(_asked(served, corpus.queries(count, salt=4), "context"))
    return [
        Figure("context pack of 4,000 tokens, p50", detail["p50"], "ms", None, f"p95 {detail['p95']:.1f} ms", detail)
    ]


def _asked(served: Served, queries: list[str], verb: str = "recall") -> list[float]:
    latencies = []
    with served.connect() as muninn:
        for query in queries:
            begun = time.perf_counter()
            muninn.call(verb, {"query": query})
            latencies.append((time.perf_counter() - begun) * 1000)
    return latencies


def _loops(served: Served, name: str, lists: list[list[str]], period: float = 0.0) -> list[Figure]:
    pid = served.pid
    assert pid is not None
    before = processor_seconds([pid])
    latencies, wall = served.ask(lists, period)
    used = (processor_seconds([pid]) - before) * 1000 / len(latencies)
    detail = {**spread(latencies), "per_second": len(latencies) / wall, "daemon_processor_ms": used}
    note = f"{len(latencies) / wall:.0f} a second; {used:.1f} ms of the daemon's processor time each"
    return [
        Figure(f"{name}, p50", detail["p50"], "ms", 10, note, detail),
        Figure(f"{name}, p95", detail["p95"], "ms", 25),
    ]


def _shared(queries: list[str]) -> list[list[str]]:
    return [queries[number::CLIENTS] for number in range(CLIENTS)]
