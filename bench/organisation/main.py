"""`python -m bench org`: an organisation's memory on PostgreSQL, from real code in many repositories.

Each folder in `--corpus` becomes a repository, until there are `--chunks` chunks. By default these are the packages of
this Python. Questions are the first sentences of comments of random chunks. `--report` writes the table of
docs/performance.md.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np
import psutil
from numpy.typing import NDArray

from bench.harness.corpus import Corpus
from bench.harness.figure import Figure, markdown, percentile, spread, table, write
from bench.organisation.growth import clone, grow
from muninn_core.index.embedding.embed import load_bundled
from muninn_core.index.vectors.quantise import SCALE
from muninn_core.index.words.term_counts import Term, scores
from muninn_core.org.access import principals
from muninn_core.org.access.webhooks import receive
from muninn_core.org.answers.search import Question, recall
from muninn_core.org.database.connections import Database, connect
from muninn_core.org.database.embedded_postgres import EmbeddedServer
from muninn_core.org.database.migrate import migrate
from muninn_core.org.ingestion.pushes import Target, push
from muninn_core.org.ingestion.worker import Worker
from muninn_core.org.reading.branches import enter
from muninn_core.org.reading.lexical import CHUNK_WEIGHTS
from muninn_core.org.reading.reader import PostgresReader
from muninn_core.org.reading.vectors import TenantVectors
from muninn_core.protocol.families.search import RecallParams
from muninn_core.retrieval.query.query_terms import significant_words

HERE = Path(__file__).parents[1]
LOGIN, PASSWORD = "muninn_app", "bench"
TABLES = ("file", "chunk", "symbol", "place", "memory", "frequency")
_SENTENCE = re.compile(r"[A-Z][^.\n]{25,150}\.")
_MEMORIES = 30
"""The memories of one repository."""

_SECRET = "the secret of the webhooks of a benchmark"
_MOST_FILES = 400
"""Files of one repository."""

_BEST = 50
_SCORED = 50_000
"""Documents whose scores are computed at once."""

_ROUNDED = 0.002
"""How much of a cosine the rounding of a question to 8 bits may change."""


class Org(NamedTuple):
    """A database with a tenant, and the principal who asks."""

    server: EmbeddedServer
    admin: str
    database: Database
    tenant: int
    asker: int
    vectors: TenantVectors

    def cpu(self) -> float:
        """Return the processor seconds of this process with its ended children, and of the server."""
        own = os.times()
        return own.user + own.system + own.children_user + own.children_system + self.server_cpu()

    def server_cpu(self) -> float:
        """Return the processor seconds of the database's processes, ended ones included."""
        with connect(self.admin) as connection:
            row = connection.execute("SELECT setting FROM pg_settings WHERE name = 'data_directory'").fetchone()
        pid = int((Path(row[0]) / "postmaster.pid").read_text().split()[0])
        times = psutil.Process(pid).cpu_times()
        living = sum(map(_processor_seconds, psutil.Process(pid).children(recursive=True)))
        return times.user + times.system + times.children_user + times.children_system + living


def _processor_seconds(process: psutil.Process) -> float:
    try:
        return sum(process.cpu_times()[:2])
    except psutil.NoSuchProcess:  # it ended meanwhile, and counts among the ended children
        return 0.0


@contextmanager
def organisation(folder: Path) -> Iterator[Org]:
    """Start a server with the tables and one tenant; it ends with the block."""
    server = EmbeddedServer(folder, {"shared_buffers": "512MB", "maintenance_work_mem": "256MB"})
    admin = server.start()
    try:
        migrate(admin, LOGIN, PASSWORD)
        with connect(admin) as connection:
            tenant = principals.create_tenant(connection, "bench")
        database = Database(f"postgresql://{LOGIN}:{PASSWORD}@{admin.partition('@')[2]}")
        with database.transaction("muninn_writer") as connection:
            asker = principals.put_principal(connection, tenant, "user", "bench")
        yield Org(server, admin, database, tenant, asker, TenantVectors())
        database.close()
    finally:
        server.stop()


def repositories(corpus: Sequence[Path], folder: Path) -> Iterator[Path]:
    """Yield a git repository with memories for each folder of code in the corpus."""
    numbers = itertools.count(1)
    for above in corpus:
        for source in sorted(
            each for each in above.iterdir() if each.is_dir() and not each.name.startswith(("_", "."))
        ):
            files = [
                each for each in sorted(source.rglob("*")) if each.suffix in (".py", ".md", ".rst", ".c", ".h", ".js")
            ]
            files = [each for each in files if "__pycache__" not in each.parts][:_MOST_FILES]
            if len(files) < 3:
                continue
            root = folder / source.name
            for each in files:
                target = root / each.relative_to(source)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(each, target)
            git(root, "init", "-q", "-b", "main")
            _remember(root, numbers)
            commit(root)
            yield root


def _remember(root: Path, numbers: Iterator[int]) -> None:
    """Write memories about a repository as its sealed file has them."""
    words = Corpus(root)
    if not words.symbols or not words.sentences:
        return
    stamp = {"v": 1, "ts": "2026-10-01T00:00:00.000Z", "actor": "user"}
    drafts = ({**each, **stamp, "id": f"01K{next(numbers):023}"} for each in words.memories(_MEMORIES))
    file = root / ".muninn" / "memory" / "main.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text("".join(json.dumps(each) + "\n" for each in drafts), "utf-8")


def commit(root: Path) -> None:
    """Commit all files of a repository."""
    git(root, "add", "-A")
    git(root, "-c", "user.name=Bench", "-c", "user.email=bench@localhost", "commit", "-q", "-m", "All")


def git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(root), *arguments], check=True, stdin=subprocess.DEVNULL)


def filled(org: Org, corpus: Sequence[Path], folder: Path, most: int) -> tuple[list[Figure], list[Path]]:
    """Push repositories until there are `most` chunks; return the figures of it and the repositories."""
    roots: list[Path] = []
    began, cpu = time.perf_counter(), org.cpu()
    for root in repositories(corpus, folder):
        with org.database.transaction("muninn_writer") as connection:
            number = principals.put_repository(connection, org.tenant, root.name, "main", private=True)
            principals.grant(connection, org.tenant, number, org.asker)
        push(org.database, Target(org.tenant, root.name, "main"), root, "HEAD")
        roots.append(root)
        if size(org) >= most:
            break
    chunks, spent, wall = size(org), org.cpu() - cpu, time.perf_counter() - began
    with connect(org.admin) as connection:
        names = ", ".join(f"'muninn.{each}_{org.tenant}'" for each in TABLES)
        sql = f"SELECT sum(pg_total_relation_size(c)) FROM unnest(ARRAY[{names}]::regclass[]) c"
        bytes_ = int(connection.execute(sql.encode()).fetchone()[0])
        connection.execute("ANALYZE")
    print(f"pushed {chunks:,} chunks of {len(roots)} repositories in {wall:.0f} s", file=sys.stderr)
    return [
        Figure("chunks", chunks, "", note=f"{len(roots)} repositories"),
        Figure("processor time of a push", 1000 * spent / chunks, "ms/chunk", note="cutting, vectors, all indexes"),
        Figure("disk", bytes_ / chunks / 1000, "kB/chunk", note="texts, words, vectors, all indexes"),
    ], roots


def size(org: Org) -> int:
    """Return the number of stored chunks."""
    with org.database.transaction("muninn_reader", snapshot=True) as connection:
        enter(connection, org.tenant, org.asker)
        row = connection.execute("SELECT coalesce(sum(chunks), 0) FROM branch").fetchone()
    return int(row[0])


def questions(org: Org, count: int) -> list[str]:
    """Return sentences of comments of random chunks, the same for the same chunks."""
    with org.database.transaction("muninn_reader", snapshot=True) as connection:
        reader = PostgresReader(connection, org.tenant, enter(connection, org.tenant, org.asker))
        ids = [row[0] for row in connection.execute("SELECT id FROM chunk WHERE kind = 0 ORDER BY id").fetchall()]
        chosen = random.Random(0).sample(ids, min(len(ids), 8 * count))
        found = [_SENTENCE.search(chunk.comment) for chunk in reader.chunks(sorted(chosen)).values()]
    return [match[0] for match in found if match][:count]


def found_of_all(org: Org, asked: Sequence[str]) -> list[Figure]:
    """Compare both searches with scores and products that are computed for each stored chunk."""
    embedder, near, words = load_bundled(), [], []
    with connect(org.admin) as connection:
        sql = f"SELECT id, counts, vector FROM muninn.chunk_{org.tenant} ORDER BY id"
        rows = connection.execute(sql.encode(), binary=True).fetchall()
    ids = np.array([row[0] for row in rows])
    vectors = np.frombuffer(b"".join(row[2] or bytes(embedder.dim) for row in rows), np.int8).reshape(len(rows), -1)
    with org.database.transaction("muninn_reader", snapshot=True) as connection:
        reader = PostgresReader(connection, org.tenant, enter(connection, org.tenant, org.asker), org.vectors)
        for question in asked:
            vector = embedder.embed_query(question)
            found = reader.dense(vector, _BEST)
            products = np.concatenate(
                [part.astype(np.float32) @ vector / SCALE for part in np.array_split(vectors, 64)]
            )
            near.append(_shared(ids, products, [number for number, _ in found]))
            terms = [
                Term(field, word, weight * reader.statistics.rarity(word, field))
                for word in significant_words(question)
                for field, weight in CHUNK_WEIGHTS.items()
                if reader.statistics.frequency(word, field)
            ]
            every = np.zeros(len(rows))
            for start in range(0, len(rows), _SCORED):
                some = [row[1] for row in rows[start : start + _SCORED]]
                every[start : start + _SCORED] = scores(terms, some, reader.statistics.totals)
            best = reader.lexical(significant_words(question), _BEST)
            words.append(_shared(ids, every, [number for number, _ in best]))
    return [
        Figure("recall@50 by vectors", sum(near) / len(near), "", note="against all vectors, unrounded question"),
        Figure("recall@50 by words", sum(words) / len(words), "", note="against BM25 of all chunks"),
    ]


def _shared(ids: NDArray[np.int64], every: NDArray[np.floating], found: Sequence[int]) -> float:
    """Return the share of the best `_BEST` that was found; each of a tie with the last of them counts as one."""
    order = np.argsort(-every, kind="stable")
    least = every[order[min(_BEST, len(order)) - 1]] - _ROUNDED
    good = set(ids[every >= max(least, 1e-9)].tolist())
    return min(1.0, len(good.intersection(found)) / max(1, min(_BEST, len(good))))


def asking(
    org: Org, asked: Sequence[str], askers: int, each: int, principal: int | None = None, who: str = ""
) -> Figure:
    """Return the time of a question while several ask at once, as a principal that may read some repositories."""
    caller = org.asker if principal is None else principal
    times: list[float] = []
    lock = threading.Lock()

    def ask(first: int) -> None:
        for number in range(each):
            question = asked[(first * each + number) % len(asked)]
            began = time.perf_counter()
            with org.database.transaction("muninn_reader", snapshot=True) as connection:
                branches = enter(connection, org.tenant, caller)
                reader = PostgresReader(connection, org.tenant, branches, org.vectors)
                recall(Question(reader, branches, datetime.now(UTC)), RecallParams(query=question, plain=True))
            with lock:
                times.append(1000 * (time.perf_counter() - began))

    cpu = org.cpu()
    threads = [threading.Thread(target=ask, args=(number,)) for number in range(askers)]
    _all(threads)
    spent = 1000 * (org.cpu() - cpu) / len(times)
    note = f"p50 {percentile(times, 0.5):.0f} ms, processor {spent:.0f} ms a question"
    budget = 150.0 if askers == 1 else None
    return Figure(
        f"recall, {who or f'{askers} at once'}, p95", percentile(times, 0.95), "ms", budget, note, spread(times)
    )


def seeing(org: Org, asked: Sequence[str], counts: Sequence[int], each: int) -> list[Figure]:
    """Return the time of a question of people who may read some of the repositories."""
    found = []
    with org.database.transaction("muninn_reader", snapshot=True) as connection:
        names = [branch.repository for branch in enter(connection, org.tenant, org.asker)]
    for count in counts:
        if count > len(names):
            continue
        with org.database.transaction("muninn_writer") as connection:
            person = principals.put_principal(connection, org.tenant, "user", f"sees-{count}")
            for name in random.Random(count).sample(names, count):
                number = principals.find_repository(connection, org.tenant, name)
                principals.grant(connection, org.tenant, number, person)
        found.append(asking(org, asked, 1, each, person, f"of {count} repositories"))
    return found


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


def _all(threads: Sequence[threading.Thread]) -> None:
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def changed(org: Org, roots: Sequence[Path]) -> Figure:
    """Return the time from a push of 100 changed files until they are found."""
    root = max(roots, key=lambda each: sum(1 for _ in each.rglob("*.py")))
    files = sorted(root.rglob("*.py"))[:100]
    for number, each in enumerate(files):
        each.write_text(
            each.read_text("utf-8", "replace") + f"\n\ndef changed_{number}():\n    return {number}\n", "utf-8"
        )
    commit(root)
    began, cpu = time.perf_counter(), org.cpu()
    push(org.database, Target(org.tenant, root.name, "main"), root, "HEAD")
    wall = time.perf_counter() - began
    note = f"{len(files)} files, processor {org.cpu() - cpu:.1f} s"
    return Figure("push of changed files", wall, "s", 10.0, note)


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
            from bench.organisation.quality import compare

            print(table(compare(org, options)))
            return 0
        figures, roots = filled(org, corpus, folder / "repositories", options.chunks)
        if options.repositories:
            from bench.organisation.simulation import simulated

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
