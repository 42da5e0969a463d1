"""Growth of cost with a repository's size: `python -m bench growth --sizes 1k,10k,100k,1M`, sizes in chunks.

A tree consists of copies of Django's source. Each copy renames a third of all names and files deterministically, to
names made of Django's own words, so that word frequencies are those of real code. Each size has its own repository and
daemon in a temporary folder. An exponent is the slope of the logarithms: 1 is proportional growth, 0 is no growth.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.harness import corpus
from bench.harness.figure import spread
from bench.harness.processes import Peak, processor_seconds, proportional, resident, tree
from bench.harness.served import Served
from bench.speed.first_index import index_from_nothing
from muninn_core.config import IndexConfig
from muninn_core.errors import BusyError
from muninn_core.source.chunks.chunk import chunk_file
from muninn_core.source.listing.walk import walk

HERE = Path(__file__).parents[1]
MB = 1_000_000
REST_SECONDS = 8.0
"""A daemon is idle after five seconds without a request."""

CHANGE_SECONDS = 120.0

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{3,}")
WORD = re.compile(r"[A-Z]?[a-z]{3,}")


@dataclass(frozen=True)
class Row:
    """The costs of one size. Indexing is in seconds, recall in milliseconds; processor time is the daemon's."""

    chunks: int
    files: int
    files_s: float
    words_s: float
    index_s: float
    index_processor_s: float
    peak_mb: float
    rest_mb: float
    disk_mb: float
    open_s: float
    recall_p50: float
    recall_p95: float
    recall_processor: float
    change_p50: float
    load: float
    """The processes that wanted a processor, all programs of the machine counted, in the minute after recall."""


COLUMNS = {
    "chunks": "chunks",
    "files": "files",
    "files_s": "found s",
    "words_s": "words s",
    "index_s": "all s",
    "index_processor_s": "cpu s",
    "peak_mb": "peak MB",
    "rest_mb": "rest MB",
    "disk_mb": "disk MB",
    "open_s": "open s",
    "recall_p50": "recall p50 ms",
    "recall_p95": "p95 ms",
    "recall_processor": "cpu ms",
    "change_p50": "change p50 ms",
    "load": "load",
}
"""The columns of the table; all but the first two and the last have an exponent."""


def main(arguments: list[str]) -> int:
    """Measure the requested sizes, print a table with exponents and write JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench growth", description="Measure how cost grows with size.")
    parser.add_argument("--sizes", default="1k,10k,100k", help="chunks, such as 1k,10k,100k,1M")
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--out", type=Path, default=HERE / "out" / "growth.json", help="the file to write")
    options = parser.parse_args(arguments)
    source = corpus.django(HERE / ".cache")
    questions = corpus.Corpus(source).queries(options.questions, salt=11)
    rows: list[Row] = []
    for size in options.sizes.split(","):
        with tempfile.TemporaryDirectory(prefix="muninn-growth-") as folder:
            rows.append(measure(source, Path(folder), parse_size(size), questions))
        print(table(rows), end="\n\n", file=sys.stderr)
        _write(options.out, rows)
    print(table(rows))
    return 0


def parse_size(text: str) -> int:
    """Parse a number such as 250, 10k or 1M."""
    factor = {"k": 1_000, "m": 1_000_000}.get(text[-1].lower(), 1)
    return int(float(text[:-1] if factor > 1 else text) * factor)


def measure(source: Path, folder: Path, chunks: int, questions: list[str]) -> Row:
    """Write a tree of about `chunks` chunks below a folder, then measure indexing, reopening, recall and a change."""
    root = folder / "repository"
    write_tree(source, root, chunks)
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=root, check=True)
    with Served(root) as served:
        with Peak(lambda: served.pid) as peak:
            begun = time.perf_counter()
            built = index_from_nothing(served, begun)
        indexed = processor_seconds(_processes(served))
        served.stop()
        opened = _open(served, questions[0])
        served.call("index")
        before = processor_seconds(_processes(served))
        latencies, _ = served.ask([questions])
        used = (processor_seconds(_processes(served)) - before) * 1000 / len(questions)
        changes = [_change(served, root, number) for number in range(10)]
        time.sleep(REST_SECONDS)
        status = served.call("status")["index"]
        detail = spread(latencies)
        return Row(
            chunks=status["chunks"],
            files=status["files"],
            files_s=built.files_s,
            words_s=built.words_s,
            index_s=built.whole_s,
            index_processor_s=indexed,
            peak_mb=peak.bytes / MB,
            rest_mb=proportional(_processes(served)) / MB or resident(_processes(served)) / MB,
            disk_mb=sum(path.stat().st_size for path in (root / ".muninn" / "cache").rglob("*") if path.is_file()) / MB,
            open_s=opened,
            recall_p50=detail["p50"],
            recall_p95=detail["p95"],
            recall_processor=used,
            change_p50=statistics.median(changes),
            load=os.getloadavg()[0],
        )


def write_tree(source: Path, root: Path, chunks: int, first: int = 0) -> None:
    """Write copies of a tree below `root` until they hold about `chunks` chunks; `first` numbers the first copy."""
    texts = _texts(source)
    counts = {path: len(chunk_file(path, text)) for path, text in texts.items()}
    vocabulary = sorted({word.lower() for text in texts.values() for word in WORD.findall(text)})
    written, number = 0, first
    while written < chunks:
        renaming = Renaming(number, vocabulary)
        for path, text in texts.items():
            stem, dot, ending = path.rpartition(".")
            named = f"{renaming.apply(stem)}{dot}{ending}" if number else path
            target = root / f"copy_{number:03}" / named
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(renaming.apply(text) if number else text, "utf-8")
            written += counts[path]
            if written >= chunks:
                return
        number += 1


class Renaming(dict[str, str]):
    """The names of one copy: two thirds are unchanged, the others are made of one to three words."""

    def __init__(self, copy: int, vocabulary: list[str]) -> None:
        super().__init__()
        self._copy = copy
        self._vocabulary = vocabulary

    def __missing__(self, name: str) -> str:
        chance = int.from_bytes(hashlib.blake2b(f"{self._copy} {name}".encode(), digest_size=16).digest(), "little")
        new = name
        if chance % 3 == 0:
            chance //= 3
            words = []
            for _ in range(1 + name.count("_") + (len(name) > 12)):
                chance, at = divmod(chance, len(self._vocabulary))
                words.append(self._vocabulary[at])
            new = "".join(map(str.title, words)) if name[0].isupper() else "_".join(words)
        self[name] = new
        return new

    def apply(self, text: str) -> str:
        """Return the text with its names replaced."""
        return _NAME.sub(lambda match: self[match.group()], text)


def table(rows: list[Row]) -> str:
    """Return the rows as a table for people, with the exponents below it."""
    lines = [list(COLUMNS.values())]
    lines += [[_number(getattr(row, name)) for name in COLUMNS] for row in rows]
    if len(rows) > 1:
        lines.append(["exponent", "", *(f"{value:.2f}" for value in exponents(rows).values()), ""])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(f"{cell:>{width}}" for cell, width in zip(line, widths, strict=True)) for line in lines)


def exponents(rows: list[Row]) -> dict[str, float]:
    """Return each cost's exponent over the number of chunks, fitted by least squares of the logarithms."""
    from math import log

    sizes = [log(row.chunks) for row in rows]
    return {
        name: statistics.linear_regression(sizes, [log(max(getattr(row, name), 1e-9)) for row in rows]).slope
        for name in list(COLUMNS)[2:-1]
    }


def _texts(source: Path) -> dict[str, str]:
    """Return the texts of the files that Muninn would index, by path, in random order.

    A copy of the tree is walked, because git may ignore the original place.
    """
    with tempfile.TemporaryDirectory(prefix="muninn-source-") as folder:
        copied = shutil.copytree(source, Path(folder) / "source")
        paths = [stamp.path for stamp in walk(copied, IndexConfig()).files]
    random.Random(corpus.SEED).shuffle(paths)
    return {path: (source / path).read_text("utf-8", "replace") for path in paths}


def _open(served: Served, question: str) -> float:
    """Start the daemon and query until it answers; return the seconds."""
    begun = time.perf_counter()
    while True:
        try:
            served.call("recall", query=question)
        except BusyError:  # the daemon answers a waiting client after half a minute at most
            continue
        return time.perf_counter() - begun


def _change(served: Served, root: Path, number: int) -> float:
    """Write a file and wait until it is searchable; return the milliseconds."""
    word = f"zanzibar{number}quux"
    begun = time.perf_counter()
    (root / "copy_000" / f"{word}.py").write_text(f"def {word}():\n    return {number}\n")
    with served.connect() as muninn:
        while time.perf_counter() < begun + CHANGE_SECONDS:
            hits: list[dict[str, Any]] = muninn.call("recall", {"query": word, "kind": "code", "limit": 1})["hits"]
            if hits and word in hits[0]["path"]:
                return (time.perf_counter() - begun) * 1000
            time.sleep(0.01)
    raise RuntimeError(f"a changed file was not found in {CHANGE_SECONDS:.0f} seconds")


def _processes(served: Served) -> list[int]:
    assert served.pid is not None
    return tree(served.pid)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.1f}"


def _write(path: Path, rows: list[Row]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    machine = {"processors": len(os.sched_getaffinity(0)), "python": platform.python_version(), "load": os.getloadavg()}
    found = {"machine": machine, "rows": [asdict(row) for row in rows]}
    if len(rows) > 1:
        found["exponents"] = exponents(rows)
    path.write_text(json.dumps(found, indent=2) + "\n", "utf-8")
