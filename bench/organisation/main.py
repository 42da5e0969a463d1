"""`python -m bench org`: an organisation's memory on PostgreSQL, from real code in many repositories.

Each folder in `--corpus` becomes a repository, until there are `--chunks` chunks. By default these are the packages of
this Python. Questions are the first sentences of comments of random chunks. `--report` writes the table of
docs/performance.md.
"""

from __future__ import annotations

import argparse
import os
import sys
import sysconfig
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench.harness.figure import Figure, markdown, percentile, table, write
from bench.organisation.database import Org, organisation
from bench.organisation.growth import clone, grow
from bench.organisation.quality import compare
from bench.organisation.recalls import asking, found_of_all, questions, seeing
from bench.organisation.repositories import changed, commit, filled
from bench.organisation.simulation import simulated
from muninn_core.org.access import principals
from muninn_core.org.access.webhooks import receive
from muninn_core.org.ingestion.worker import Worker

HERE = Path(__file__).parents[1]
_SECRET = "the secret of the webhooks of a benchmark"


def burst(org: Org, roots: Sequence[Path], folder: Path, pushes: int) -> list[Figure]:
    """Return the times of many webhooks at once, and until one worker has done what they ask for.

    Each of the first repositories has one changed file; further webhooks of it are done with the first.
    """
    chosen = list(roots)[:50]
    for number, root in enumerate(chosen):
        (root / "burst.py").write_text(f"def burst_{number}():\n    return {number}\n")
        commit(root)
        with org.database.transaction("muninn_writer") as connection:
            repository = principals.find_repository(connection, org.tenant, root.name)
            principals.put_remote(connection, org.tenant, repository, str(root), _SECRET)
    body, times, began, cpu = b'{"ref": "refs/heads/main"}', [], time.perf_counter(), org.cpu()
    for number in range(pushes):
        first = time.perf_counter()
        name = chosen[number % len(chosen)].name
        receive(org.database, "gitlab", "bench", name, {"x-gitlab-token": _SECRET}, body)
        times.append(1000 * (time.perf_counter() - first))
    worker, jobs = Worker(org.database, folder, 1), 0
    while worker.work_once() is not None:
        jobs += 1
    wall, spent = time.perf_counter() - began, org.cpu() - cpu
    note = f"{jobs} jobs of {len(chosen)} repositories, processor {spent:.0f} s"
    return [
        Figure("webhook accepted, p95", percentile(times, 0.95), "ms", note=f"{pushes} in a row"),
        Figure(f"burst of {pushes} pushes until searchable", wall, "s", note=note),
    ]


def main(arguments: list[str]) -> int:
    """Measure, print a table and write JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench org", description="Measure an organisation's memory.")
    parser.add_argument("--corpus", type=Path, action="append", help="a folder whose folders become repositories")
    parser.add_argument("--chunks", type=int, default=30_000)
    parser.add_argument("--copies", type=int, default=0, help="renamed copies of them, until there are so many chunks")
    parser.add_argument("--clones", type=int, default=0, help="how often all of these are cloned")
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--askers", type=int, nargs="*", default=[1, 8, 64])
    parser.add_argument(
        "--seeing", type=int, nargs="*", default=[1, 10, 100], help="repositories that an asker may read"
    )
    parser.add_argument("--burst", type=int, default=1_000, help="webhooks at once; 0 leaves them out")
    parser.add_argument(
        "--repositories",
        type=int,
        nargs="*",
        default=[],
        help="simulate so many small ones, and measure at each number",
    )
    parser.add_argument(
        "--small", type=int, nargs=2, default=(10, 100), help="the least and the most chunks of a small repository"
    )
    parser.add_argument("--data", type=Path, help="measure quality instead: the folder of questions (`bench quality`)")
    parser.add_argument("--sets", default="A1,B1", help="sets of questions of --data, by commas")
    parser.add_argument("--mirrors", type=Path, default=Path(), help="where OWNER+NAME/repo are, bare git directories")
    parser.add_argument("--archives", type=Path, default=Path(), help="where published archives are")
    parser.add_argument("--out", type=Path, default=HERE / "out" / "org.json", help="the file to write")
    parser.add_argument("--report", type=Path, help="a file for the table in Markdown, as docs/performance.md has it")
    options = parser.parse_args(arguments)
    corpus = options.corpus or [Path(sysconfig.get_path("purelib"))]
    with tempfile.TemporaryDirectory(prefix="muninn-org-") as name:
        Path(name).chmod(0o711)  # for the user of the server, if root measures
        return measure(options, corpus, Path(name))


def measure(options: argparse.Namespace, corpus: Sequence[Path], folder: Path) -> int:
    """Measure in a folder, print a table and write JSON."""
    with organisation(folder / "server") as org:
        if options.data is not None:
            print(table(compare(org, options)))
            return 0
        figures, roots = filled(org, corpus, folder / "repositories", options.chunks)
        if options.repositories:
            figures += simulated(org, roots, folder / "sources", options.repositories, options.small, options.questions)
            print(table(figures))
            write(options.out, {"processors": os.cpu_count(), "load_after": os.getloadavg()[0]}, figures)
            return 0
        if options.copies:
            figures += grow(org.admin, org.tenant, org.asker, options.copies)
        if options.clones:
            figures += clone(org.admin, org.tenant, org.asker, options.clones)
        asked = questions(org, options.questions)
        figures += found_of_all(org, asked[:25])
        print(table(figures), file=sys.stderr)
        figures += [asking(org, asked, count, max(2, options.questions // count)) for count in options.askers]
        figures += seeing(org, asked, options.seeing, options.questions)
        figures.append(changed(org, roots))
        if options.burst:
            figures += burst(org, roots, folder / "mirrors", options.burst)
    print(table(figures))
    write(options.out, {"processors": os.cpu_count(), "load_after": os.getloadavg()[0]}, figures)
    if options.report:
        options.report.write_text(markdown(figures))
    return 0
