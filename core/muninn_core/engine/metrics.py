"""Metrics of the daemon, their form as Prometheus' text, and the counts of calls that they need.

Source of the format: Prometheus, "Exposition formats", text format version 0.0.4. Names follow its naming guide: base
units, `_total` for counters.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from muninn_core.engine.reports import Process, resident_bytes
from muninn_core.engine.session.hook_inbox import inbox_entries
from muninn_core.errors import MuninnError
from muninn_core.protocol.catalogue import METHODS
from muninn_core.worktree.journals import OpenJournal
from muninn_core.worktree.workspace import Workspace

BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""The upper bounds of the histogram of latencies, in seconds."""

_TURNS = ("open", "closed", "incomplete")

Labels = Mapping[str, str]
Sample = tuple[str, Labels, float]
"""A suffix of the metric's name, labels and the value."""


class Metric(NamedTuple):
    """A metric with its values now. `kind` is gauge, counter or histogram; buckets of a histogram are cumulative."""

    name: str
    kind: str
    about: str
    samples: tuple[Sample, ...]


class Meter:
    """Counts the calls of verbs since the start. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._buckets: dict[str, list[int]] = {}
        self._seconds: dict[str, float] = {}
        self._errors: Counter[tuple[str, str]] = Counter()

    def note(self, verb: str, seconds: float, kind: str) -> None:
        """Count a call. `kind` is that of its error, "" for none."""
        with self._lock:
            buckets = self._buckets.setdefault(verb, [0] * (len(BOUNDS) + 1))
            buckets[bisect_left(BOUNDS, seconds)] += 1
            self._seconds[verb] = self._seconds.get(verb, 0.0) + seconds
            if kind:
                self._errors[verb, kind] += 1

    def metrics(self) -> Iterator[Metric]:
        """Yield the metrics about calls."""
        with self._lock:
            buckets = {verb: list(counts) for verb, counts in sorted(self._buckets.items())}
            seconds, errors = dict(self._seconds), dict(sorted(self._errors.items()))
        yield Metric(
            "muninn_verb_seconds",
            "histogram",
            "Time that a verb took, without the wait for a thread; that of event.append includes it.",
            tuple(sample for verb, counts in buckets.items() for sample in _histogram(verb, counts, seconds[verb])),
        )
        yield Metric(
            "muninn_verb_errors_total",
            "counter",
            "Calls of a verb that ended with an error, by its kind.",
            tuple(("", {"verb": verb, "kind": kind}, count) for (verb, kind), count in errors.items()),
        )
        appends = sum(sum(counts) for verb, counts in buckets.items() if METHODS[verb].effect == "append")
        refused: Counter[str] = Counter()
        for (verb, kind), count in errors.items():
            if METHODS[verb].effect == "append":
                refused[kind] += count
        yield Metric(
            "muninn_journal_appends_total",
            "counter",
            "Calls that append to the journal, refused ones too.",
            (("", {}, appends),),
        )
        yield Metric(
            "muninn_journal_append_rejections_total",
            "counter",
            "Calls that append to the journal and were refused, by the kind of error.",
            tuple(("", {"kind": kind}, count) for kind, count in sorted(refused.items())),
        )


def measure(
    meter: Meter, process: Process, workspace: Workspace, open_journal: Callable[[], OpenJournal | None]
) -> list[Metric]:
    """Return all metrics, without those of a journal that is missing or can't be read."""
    found = [*_of_process(process), *meter.metrics(), *_of_work_tree(workspace), *_of_storage(workspace)]
    found += _of_hooks(workspace)
    readable = True
    try:
        journal = open_journal()
        found += _of_journal(journal) if journal is not None else ()
    except MuninnError:
        readable = False
    found.append(gauge("muninn_journal_readable", "0 while the journal can't be opened or read.", readable))
    return found


def exposition(metrics: Iterable[Metric]) -> str:
    """Return metrics as text."""
    return "".join(f"{line}\n" for metric in metrics for line in _lines(metric))


def gauge(name: str, about: str, value: float, labels: Labels | None = None) -> Metric:
    """Return a metric with one value that can go up and down."""
    return Metric(name, "gauge", about, (("", labels or {}, value),))


def counter(name: str, about: str, value: float) -> Metric:
    """Return a metric with one value that only grows."""
    return Metric(name, "counter", about, (("", {}, value),))


def _of_process(process: Process) -> Iterator[Metric]:
    yield gauge("muninn_info", "The running version.", 1, {"version": process.version})
    yield gauge("muninn_uptime_seconds", "Time since the daemon started.", process.uptime_seconds)
    yield gauge("muninn_resident_memory_bytes", "Resident memory of the daemon.", resident_bytes())
    yield gauge("muninn_clients", "Clients that are connected to the daemon.", process.clients)
    stall = process.longest_stall_ms / 1000
    yield gauge("muninn_longest_stall_seconds", "Longest time that the event loop was blocked.", stall)


def _of_work_tree(workspace: Workspace) -> Iterator[Metric]:
    updater = workspace.updater
    index = updater.index
    generation = index.snapshot().generation if index is not None else 0
    yield gauge("muninn_index_ready", "1 while the index has no failure and is ready.", updater.state == "ready")
    yield gauge("muninn_index_generation", "Generation of the index.", generation)
    yield gauge("muninn_index_lag_files", "Changed files that are not searchable yet.", updater.lag)
    state = workspace.memory.log.state
    yield gauge("muninn_memories", "Active memories of the work tree.", state.active)
    yield gauge("muninn_log_records", "Records of the memory log.", workspace.memory.log.position)


def _of_storage(workspace: Workspace) -> Iterator[Metric]:
    """Yield the bytes of the files of memory, index and journal; those that are removed meanwhile count nothing."""
    layout = workspace.layout
    journal = Path(workspace.location.journal)
    folders = {
        "memory": [layout.memory, layout.knowledge, layout.local],
        "index": [layout.cache],
        "journal": [journal],
    }
    outside = journal if journal.is_relative_to(layout.local) else None
    samples = tuple(
        ("", {"part": part}, sum(_bytes_in(folder, None if part == "journal" else outside) for folder in each))
        for part, each in folders.items()
    )
    yield Metric("muninn_storage_bytes", "gauge", "Bytes on disk.", samples)


def _bytes_in(folder: Path, without: Path | None) -> int:
    total = 0
    for place, below, names in os.walk(folder):
        below[:] = [each for each in below if without is None or Path(place, each) != without]
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(place, name)).st_size  # noqa: PTH118 (for thousands of files)
    return total


def _of_hooks(workspace: Workspace) -> Iterator[Metric]:
    """Yield how many runs the hooks' log holds, how many of them failed, and how many messages wait in the inbox.

    The log keeps the newest runs.
    """
    local = workspace.layout.local
    try:
        rows = (local / "hooks.log").read_text("utf-8", "replace").splitlines()
    except OSError:
        rows = []  # no hook has run
    failed = sum(map(_has_failed, rows))
    yield gauge("muninn_hook_runs", "Runs of hooks in their log.", len(rows))
    yield gauge("muninn_hook_failures", "Failed runs of hooks in their log.", failed)
    yield gauge("muninn_hook_messages", "Messages of hooks that wait to be stored.", len(inbox_entries(local)))


def _has_failed(row: str) -> bool:
    try:
        return bool(json.loads(row).get("error"))
    except (ValueError, AttributeError):
        return True  # a line that can't be read is the end of a run that was killed


def _of_journal(journal: OpenJournal) -> Iterator[Metric]:
    yield counter("muninn_journal_events_total", "Events of the journal.", journal.journal.position)
    with journal.journal.connections.one() as connection:
        sql = "SELECT status, count(*) FROM spans WHERE kind = 'turn' GROUP BY status"
        turns = dict(connection.execute(sql).fetchall())
    yield Metric(
        "muninn_turns",
        "gauge",
        "Turns by state. The completion rate is closed / (closed + incomplete).",
        tuple(("", {"status": status}, turns.get(status, 0)) for status in _TURNS),
    )
    yield Metric(
        "muninn_projection_lag_events",
        "gauge",
        "Events that a projection lacks.",
        tuple(("", {"projection": one.name}, one.lag) for one in journal.projections.status()),
    )
    failed = bool(journal.projections.failure)
    yield gauge("muninn_projections_failed", "1 while the projections do not follow.", failed)


def _histogram(verb: str, counts: list[int], seconds: float) -> Iterator[Sample]:
    total = 0
    for bound, count in zip((*map(str, BOUNDS), "+Inf"), counts, strict=True):
        total += count
        yield "_bucket", {"verb": verb, "le": bound}, total
    yield "_sum", {"verb": verb}, round(seconds, 6)
    yield "_count", {"verb": verb}, total


def _lines(metric: Metric) -> Iterator[str]:
    yield f"# HELP {metric.name} {metric.about}"
    yield f"# TYPE {metric.name} {metric.kind}"
    for suffix, labels, value in metric.samples:
        inside = ",".join(f'{key}="{_escaped(text)}"' for key, text in labels.items())
        row = f"{metric.name}{suffix}"
        yield f"{row}{{{inside}}} {value:.16g}" if inside else f"{row} {value:.16g}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
