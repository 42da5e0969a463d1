"""`python -m bench journal`: appends, queries, replay, verification and projections of the journal.

The time of an append depends on the disk, so the single writer is compared with a bare flush in the same run.
`--events` sets the size of the journal, `--dir` the disk that is measured, `--report` writes the table of
docs/performance.md.
"""

from __future__ import annotations

import argparse
import gc
import os
import resource
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.harness.figure import Figure, markdown, percentile, spread, table, write
from bench.harness.processes import resident
from muninn_core.index.embedding.embed import load_bundled
from muninn_core.index.heap import trim
from muninn_core.journal.journal import Journal
from muninn_core.journal.projections import Projections
from muninn_core.journal.search import Filter, Search
from muninn_core.journal.writer import Transaction
from muninn_core.model.event import EventDraft
from muninn_core.store.records.ids import UlidGenerator
from muninn_server.__main__ import COLLECT_AFTER

HERE = Path(__file__).parents[1]
_PER_TRANSACTION = 1000
_VERBS = ("reads", "writes", "deletes", "compiles", "tests", "deploys", "reverts", "measures")
_THINGS = ("parser", "index", "socket", "cache", "schema", "token", "queue", "lock", "report", "session", "button")
_TOOLS = ("Bash", "Edit", "Read", "Grep", "Write")


def payload(number: int) -> dict[str, Any]:
    """Return the payload of a tool call, about 450 bytes of JSON; the same for the same number."""
    verb, thing, other = (_VERBS[number * 7 % 8], _THINGS[number * 5 % 11], _THINGS[number * 3 % 11])
    sentence = f"The {thing} {verb} the {other} in step {number % 997}. "
    return {
        "tool": _TOOLS[number % 5],
        "command": f"make {thing} STEP={number % 97}",
        "exit_status": int(number % 13 == 0),
        "duration_ms": number * 31 % 5000,
        "output": sentence * 5,
        "files": [f"src/{thing}.py", f"tests/test_{other}.py"],
    }


def draft(number: int) -> EventDraft:
    """Return the event of a number."""
    return EventDraft(
        event_type=("tool_call", "prompt", "answer", "tool_result")[number % 4],
        payload=payload(number),
        project_id="bench",
        session_id=f"s-{number // 500}",
        actor=("user", "assistant", "tool")[number % 3],
        source="bench",
    )


def bare_flushes(folder: Path, count: int) -> list[float]:
    """Return the milliseconds of writes of 700 bytes with fdatasync into a file that exists."""
    handle = os.open(folder / "bare", os.O_CREAT | os.O_WRONLY)
    os.write(handle, bytes(700 * count))
    os.fsync(handle)
    os.lseek(handle, 0, os.SEEK_SET)
    times = []
    for _ in range(count):
        begun = time.perf_counter()
        os.write(handle, b"x" * 700)
        os.fdatasync(handle)
        times.append((time.perf_counter() - begun) * 1000)
    os.close(handle)
    return times


def appends(journal: Journal, folder: Path, count: int) -> list[Figure]:
    """Measure one writer, alternating with bare flushes, and a hundred writers."""
    bare, one = [], []
    processor = 0.0
    for block in range(4):
        bare += bare_flushes(folder, count // 4)
        before = time.process_time()
        for number in range(count // 4):
            begun = time.perf_counter()
            journal.append(draft(block * count + number))
            one.append((time.perf_counter() - begun) * 1000)
        processor += time.process_time() - before
    flush = percentile(bare, 0.5)
    note = f"{percentile(one, 0.5):.2f} ms to {flush:.2f} ms; {1000 * processor / len(one):.2f} ms of processor time"
    ratio = Figure("append, 1 writer, p50 to a bare flush", percentile(one, 0.5) / flush, "x", 2, note, spread(one))

    def work(writer: int) -> None:
        for number in range(count // 10):
            journal.append(draft(writer * 1000 + number))

    threads = [threading.Thread(target=work, args=(writer,)) for writer in range(100)]
    begun, before = time.perf_counter(), time.process_time()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wall, spent, total = time.perf_counter() - begun, time.process_time() - before, 100 * (count // 10)
    note = f"{total} events; {1000 * spent / total:.3f} ms of processor time each; target 2,000/s or more"
    return [ratio, Figure("append, 100 writers", total / wall, "events/s", None, note)]


def fill(journal: Journal, upto: int) -> None:
    """Append events in large transactions until the journal has `upto`."""
    while journal.position < upto:
        first = journal.position
        batch = [journal.prepare(draft(number)) for number in range(first, min(upto, first + _PER_TRANSACTION))]

        def add(transaction: Transaction, prepared: list[Any] = batch) -> None:
            for each in prepared:
                journal.add(transaction, each)

        journal.writer.run(add)


def timed(name: str, budget: float, runs: int, call: Callable[[int], object], note: str = "") -> Figure:
    """Measure the 95th percentile of a call, in milliseconds of wall time, with its processor time as a note."""
    call(0)
    times, before = [], time.process_time()
    for number in range(runs):
        begun = time.perf_counter()
        call(number)
        times.append((time.perf_counter() - begun) * 1000)
    spent = 1000 * (time.process_time() - before) / runs
    detail = spread(times)
    said = f"p50 {detail['p50']:.1f}; {spent:.1f} ms of processor time; {note}".rstrip("; ")
    return Figure(name, percentile(times, 0.95), "ms", budget, said, detail)


def queries(search: Search, events: int, runs: int) -> list[Figure]:
    """Measure filtered queries, statistics and search by meaning."""
    size = f"{events:,} events"

    def filtered(number: int) -> object:
        return search.recent(Filter(where={"payload.exit_status": 1, "payload.tool": _TOOLS[number % 5]}), 20)

    def session(number: int) -> object:
        return search.recent(
            Filter(where={"session_id": f"s-{number * 7 % max(1, events // 500)}", "actor": "tool"}), 20
        )

    def meaning(number: int) -> object:
        return search.find(f"which {_THINGS[number % 11]} breaks the {_THINGS[number * 3 % 11]}", Filter(), 10)

    def combined(number: int) -> object:
        chosen = Filter(where={"session_id": f"s-{number % max(1, events // 500)}"})
        return search.find(f"{_THINGS[number % 11]} failures", chosen, 10)

    return [
        timed("query by payload fields, p95", 5, runs, filtered, size),
        timed("query by session and actor, p95", 5, runs, session, size),
        timed("statistics, p95", 10, runs, lambda _number: search.statistics(), size),
        timed("search by words and meaning, p95", 20, runs, meaning, size),
        timed("search within a session, p95", 20, runs, combined, size),
    ]


def whole(journal: Journal, projections: Projections, events: int) -> Iterator[Figure]:
    """Measure replay, verification and the rebuild of all projections, scaled to a million events."""
    scale = 1_000_000 / events
    for name, budget, call in (
        ("replay", 20, lambda: sum(len(line) for _, line in journal.replay())),
        ("verify", 15, lambda: journal.verify().broken is None),
        ("rebuild of all projections", 60, projections.rebuild),
    ):
        begun, before = time.perf_counter(), time.process_time()
        assert call()
        wall, spent = time.perf_counter() - begun, time.process_time() - before
        note = f"{events:,} events took {wall:.1f} s, {spent:.1f} s of processor time"
        yield Figure(f"{name} of 1,000,000 events", spent * scale, "s (processor)", budget, note)


def disk(journal: Journal, projections: Projections, events: int) -> Figure:
    """Measure the bytes of the database and of the projections."""
    journal.writer.run_outside(lambda connection: connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall())
    live, follow = journal.path.stat().st_size / events, projections.path.stat().st_size / events
    average = sum(len(journal.prepare(draft(number)).text) for number in range(500)) / 500
    note = f"events {live / 1000:.2f}, projections {follow / 1000:.2f}; payloads of {average:.0f} bytes"
    return Figure("disk per 1,000 events with projections", (live + follow) / 1000, "MB", 1, note)


def memory_at_rest() -> Figure:
    """Measure the memory of this process after it released what only makes answers faster."""
    trim()
    highest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    return Figure(
        "memory at rest", resident([os.getpid()]) / 1e6, "MB", 300, f"at most {highest:.0f} MB during the run"
    )


def main(arguments: list[str]) -> int:
    """Measure the journal, print a table and write JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench journal", description="Measure the journal.")
    parser.add_argument("--events", type=int, default=100_000, help="the size of the journal")
    parser.add_argument("--appends", type=int, default=400, help="appends of the single writer")
    parser.add_argument("--runs", type=int, default=200, help="repetitions of each query")
    parser.add_argument("--dir", type=Path, default=None, help="a folder on the disk to measure")
    parser.add_argument("--out", type=Path, default=HERE / "out" / "journal.json", help="the file to write")
    parser.add_argument("--report", type=Path, help="a file for the table in Markdown, as docs/performance.md has it")
    options = parser.parse_args(arguments)
    gc.set_threshold(*COLLECT_AFTER)
    with tempfile.TemporaryDirectory(prefix="muninn-journal-", dir=options.dir) as name:
        folder = Path(name)

        def clock() -> datetime:
            return datetime.now(UTC)

        journal = Journal(folder / "journal", clock=clock, new_id=UlidGenerator(clock, os.urandom))
        figures = appends(journal, folder, options.appends)
        fill(journal, options.events)
        projections = Projections(journal, load_bundled())
        search = Search(journal, projections)
        begun = time.perf_counter()
        projections.catch_up()
        print(f"projected {options.events:,} events in {time.perf_counter() - begun:.1f} s", file=sys.stderr)
        figures += queries(search, options.events, options.runs)
        search.release_memory()
        figures += whole(journal, projections, journal.position)
        figures.append(disk(journal, projections, journal.position))
        search.release_memory()
        projections.embedder.release_memory()
        figures.append(memory_at_rest())
        projections.close()
        journal.close()
    print(table(figures))
    if options.report:
        options.report.write_text(markdown(figures), "utf-8")
    write(options.out, {"load": os.getloadavg()[0], "events": options.events}, figures)
    return 0
