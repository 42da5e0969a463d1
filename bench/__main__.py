"""`python -m bench`: measures everything, prints a table and writes JSON to `bench/out/`.

A figure over its budget does not fail the run, because machines and their load differ. `--quick` measures a tiny tree
and checks that every measurement still works.
`python -m bench growth` measures how cost grows with size.
`python -m bench federation` measures questions to many repositories at once.
`python -m bench journal` measures the journal.
`python -m bench outcome` compares agents with and without Muninn in pairs (`outcome/`).
`python -m bench capture` measures what capture keeps of labelled conversations (`capture/`).
`python -m bench summaries` measures which facts of session summaries are true.
`python -m bench pairs` measures which statements are judged the same or contradictory.
`python -m bench explore` compares explorations with contexts.
`python -m bench packs` measures which part of what a task needs is in a context pack.
`python -m bench gateway` measures what the gateway adds to a request.
`python -m bench models` measures memory with a scripted model that judges with errors, or enriches.
`python -m bench links` measures the rules that link memories.
`python -m bench org` measures an organisation's memory on PostgreSQL.
`python -m bench past` measures what earlier commits add to finding files.
`python -m bench replay` replays histories as sessions: what usage counts would do for ranking.
`python -m bench page` measures the page in a browser, the event stream and leases.
`python -m bench scale` measures 100,000 memories before and after a reconcile.
`python -m bench masking` counts masked texts in source and measures the time of masking.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.accuracy import citations, exploration, links, packs, pairs, reconcile, reminders, replay, summaries
from bench.harness import corpus
from bench.harness.figure import Figure, table, write
from bench.harness.served import Served
from bench.organisation import main as organisation
from bench.speed import (
    editor,
    federation,
    first_index,
    gateway,
    growth,
    inprocess,
    journal,
    large_memory,
    masking,
    mcp_clients,
    models,
    page,
    recall_latency,
    scale,
    startup,
    write_latency,
)

HERE = Path(__file__).parent

PROGRAMS = {
    "answers": "bench.answers",
    "capture": "bench.capture",
    "lift": "bench.accuracy.lift",
    "memory": "bench.memory",
    "outcome": "bench.outcome",
    "past": "bench.accuracy.past",
    "quality": "bench.quality",
}
"""The parts that run in a process of their own, with their modules."""


class Size:
    """The number of repetitions and the amount of data of each measurement."""

    def __init__(self, *, quick: bool) -> None:
        self.memories = 40 if quick else 10_000
        self.queries = 24 if quick else 1_000
        self.hovers = 10 if quick else 200
        self.idle = 1.0 if quick else 60.0
        self.stored = 5 if quick else 300
        self.changes = 2 if quick else 40
        self.hooks = 2 if quick else 40
        self.proxies = 1 if quick else 20
        self.starts = 1 if quick else 5
        self.agents = 3 if quick else 100
        self.calls = 5 if quick else 300
        self.held = (20,) if quick else (100, 10_000)
        self.packs = 3 if quick else 200
        self.pairs = 1 if quick else 5
        self.spans = 10 if quick else 40
        self.history = 500 if quick else 100_000
        self.reconciled = 10 if quick else 500


def main() -> int:
    """Run the wanted measurements.

    `answers`, `capture`, `quality`, `lift`, `past`, `memory`, `outcome`, `explore`, `gateway`, `models`, `links`,
    `growth`, `federation`, `org`, `journal`, `packs`, `pairs`, `summaries`, `page`, `replay`, `scale` and `masking`
    have their own options.
    """
    if sys.argv[1:] and sys.argv[1] in PROGRAMS:
        return subprocess.call([sys.executable, "-m", PROGRAMS[sys.argv[1]], *sys.argv[2:]])
    if sys.argv[1:2] == ["links"]:
        return links.main(sys.argv[2:])
    if sys.argv[1:2] == ["explore"]:
        return exploration.main(sys.argv[2:])
    if sys.argv[1:2] == ["gateway"]:
        return gateway.main(sys.argv[2:])
    if sys.argv[1:2] == ["models"]:
        return models.main(sys.argv[2:])
    if sys.argv[1:2] == ["growth"]:
        return growth.main(sys.argv[2:])
    if sys.argv[1:2] == ["org"]:
        return organisation.main(sys.argv[2:])
    if sys.argv[1:2] == ["federation"]:
        return federation.main(sys.argv[2:])
    if sys.argv[1:2] == ["journal"]:
        return journal.main(sys.argv[2:])
    if sys.argv[1:2] == ["summaries"]:
        return summaries.main(sys.argv[2:])
    if sys.argv[1:2] == ["packs"]:
        return packs.main(sys.argv[2:])
    if sys.argv[1:2] == ["pairs"]:
        return pairs.main(sys.argv[2:])
    if sys.argv[1:2] == ["page"]:
        return page.main(sys.argv[2:])
    if sys.argv[1:2] == ["replay"]:
        return replay.main(sys.argv[2:])
    if sys.argv[1:2] == ["scale"]:
        return scale.main(sys.argv[2:])
    if sys.argv[1:2] == ["masking"]:
        return masking.main(sys.argv[2:])
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure Muninn on this machine.")
    parser.add_argument("--quick", action="store_true", help="a tiny tree and few repetitions: a test of the bench")
    parser.add_argument(
        "--only", action="append", metavar="PART", help=f"one of {', '.join([*PARTS, *ALONE])}; may be repeated"
    )
    parser.add_argument("--out", type=Path, default=HERE / "out" / "figures.json", help="the file to write")
    parser.add_argument(
        "--repo", action="append", type=Path, metavar="PATH", help="a git repository whose history `citations` replays"
    )
    options = parser.parse_args()
    known = {**PARTS, **ALONE}
    wanted = options.only or list(known)
    unknown = sorted(set(wanted) - known.keys())
    if unknown:
        parser.error(f"there is no part '{unknown[0]}'; they are {', '.join(known)}")
    before = os.getloadavg()[0]
    figures = [figure for part, measure in ALONE.items() if part in wanted for figure in measure()]
    if PARTS.keys() & {*wanted}:
        size = Size(quick=options.quick)
        figures += _measure(size, quick=options.quick, wanted=wanted, replayed=options.repo or [])
    machine = {
        "processors": len(os.sched_getaffinity(0)),
        "python": platform.python_version(),
        "system": platform.platform(),
        "load_before": before,
        "load_after": os.getloadavg()[0],
        "quick": options.quick,
    }
    print(table(figures))
    print(f"\n{machine['processors']} processors, Python {machine['python']}, load {before:.1f} before the run")
    write(options.out, machine, figures)
    return 0


def _measure(size: Size, *, quick: bool, wanted: list[str], replayed: list[Path]) -> list[Figure]:
    with tempfile.TemporaryDirectory(prefix="muninn-bench-") as name:
        folder = Path(name)
        source = corpus.tiny(folder / "tiny") if quick else corpus.django(HERE / ".cache")
        words = corpus.Corpus(source)
        figures: list[Figure] = []
        with Served(corpus.lay_out(source, folder / "repository")) as served:
            run = Run(served, words, size, folder, replayed or [citations.tiny(folder) if quick else HERE.parent])
            # Other parts need this part's state: it always runs, and is shown only when requested.
            for part, measure in PARTS.items():
                if part in wanted or part in ("index", "batch"):
                    begun = time.perf_counter()
                    found = measure(run)
                    figures += found if part in wanted else []
                    if part in wanted:
                        print(table(found), end="\n\n", file=sys.stderr)
                    print(f"{part}: {time.perf_counter() - begun:.1f} s", file=sys.stderr)
        return figures


class Run:
    """The shared state of a run's measurements."""

    def __init__(self, served: Served, words: corpus.Corpus, size: Size, folder: Path, replayed: list[Path]) -> None:
        self.served = served
        self.words = words
        self.size = size
        self.folder = folder
        self.replayed = replayed
        self.recall_p50 = 0.0

    def recall(self) -> list[Figure]:
        """Measure recall at rest and store the median for `rebuild`."""
        figures = recall_latency.recall_at_rest(self.served, self.words, self.size.queries)
        self.recall_p50 = figures[0].value
        return figures

    def mcp(self) -> list[Figure]:
        """Measure MCP: time to the first result, concurrent agents, and the tokens of the tools."""
        size = self.size
        return mcp_clients.agents(
            self.served, self.words.queries(size.queries, 7), size.proxies, size.starts, size.agents
        )

    def python(self) -> list[Figure]:
        """Measure the Python interface in this process, in separate repositories."""
        size = self.size
        return inprocess.python(self.words, size.held, size.calls, self.folder, self.served.environ)

    def rebuild(self) -> list[Figure]:
        """Measure recall during a rebuild of the index and compare it with recall at rest just before."""
        if not self.recall_p50:
            self.recall()
        return recall_latency.recall_while_indexing(self.served, self.words, self.recall_p50)


PARTS: dict[str, Callable[[Run], list[Figure]]] = {
    "index": lambda run: first_index.first_index(run.served),
    "batch": lambda run: write_latency.batch(run.served, run.words.memories(run.size.memories), run.folder),
    "recall": Run.recall,
    "context": lambda run: recall_latency.packs(run.served, run.words, run.size.packs),
    "editor": lambda run: editor.editor(
        run.served, run.size.hovers, run.size.idle, run.words.queries(run.size.hovers, 13)
    ),
    "remember": lambda run: write_latency.one_by_one(run.served, run.words, run.size.stored),
    "change": lambda run: write_latency.changed_file(run.served, run.size.changes),
    "hook": lambda run: startup.hook(run.served, run.size.hooks),
    "proxies": lambda run: startup.proxies(run.served, run.size.proxies),
    "mcp": Run.mcp,
    "python": Run.python,
    "rebuild": Run.rebuild,
    "citations": lambda run: citations.citations(run.replayed, run.folder, pairs=run.size.pairs, spans=run.size.spans),
    "lines": lambda run: citations.citations(
        run.replayed, run.folder, pairs=run.size.pairs, spans=run.size.spans, inside=True
    ),
    "memory": lambda run: large_memory.memory(run.words, run.size.history, run.size.reconciled, run.folder),
    "cold": lambda run: startup.cold(run.served, run.size.starts),
}
"""The parts of a run that ask a daemon, in their order."""

ALONE: dict[str, Callable[[], list[Figure]]] = {"reconcile": reconcile.measure, "reminders": reminders.measure}
"""The parts that need no daemon and no tree: they say the same on every machine."""

if __name__ == "__main__":
    sys.exit(main())
