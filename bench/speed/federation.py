"""Questions to many repositories at once: `python -m bench federation --repositories 100 --chunks 1M`.

Each repository is a tree of renamed copies of Django's source (`growth.py`). Some trees are indexed; each further
repository is a copy of one of them with its index, so that a question reads as many indexes as there are repositories.
The repository that asks is one more. Everything runs in this process, beside no daemon. `--data DIR` measures instead
how well repositories are searched together.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.harness import corpus
from bench.harness.figure import spread
from bench.quality.arms import LIMIT
from bench.quality.copies import Copies
from bench.quality.questions import Place, Question, load
from bench.quality.scoring import mean
from bench.quality.scoring import measure as scored
from bench.speed.growth import HERE, parse_size, write_tree
from muninn_core.engine.engine import Engine
from muninn_core.launch.repository_location import locate
from muninn_core.protocol.catalogue import METHODS, decode_params
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.user_folders import UserFolders


def main(arguments: list[str]) -> int:
    """Build the repositories, measure, print a table and write JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench federation", description="Measure questions to many.")
    parser.add_argument("--repositories", type=int, default=100, help="how many are asked")
    parser.add_argument("--chunks", default="1M", help="chunks of all of them, such as 100k or 1M")
    parser.add_argument("--trees", type=int, default=5, help="how many of them differ")
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--data", type=Path, help="measure quality instead: the folder of questions (`bench quality`)")
    parser.add_argument("--sets", default="A1,B1", help="sets of questions of --data, by commas")
    parser.add_argument("--mirrors", type=Path, default=Path(), help="where OWNER+NAME/repo are, bare git directories")
    parser.add_argument("--archives", type=Path, default=Path(), help="where published archives are")
    parser.add_argument("--folder", type=Path, help="where the repositories are, and stay for the next run")
    parser.add_argument("--out", type=Path, default=HERE / "out" / "federation.json", help="the file to write")
    options = parser.parse_args(arguments)
    if options.data is not None:
        return compare(options.data, options.sets.split(","), options.mirrors, options.archives)
    source = corpus.django(HERE / ".cache")
    questions = corpus.Corpus(source).queries(options.questions, salt=11)
    with tempfile.TemporaryDirectory(prefix="muninn-federation-") as temporary:
        home = options.folder or Path(temporary)
        each = parse_size(options.chunks) // options.repositories
        build(source, home, options.repositories, options.trees, each)
        found = measure(home, questions)
    for name, value in found.items():
        print(f"{name:<44}{value:>12,.1f}" if isinstance(value, float) else f"{name:<44}{value:>12,}")
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps({"load": os.getloadavg(), **found}, indent=2) + "\n", "utf-8")
    return 0


class Asking:
    """An engine in this process for a user with a folder of their own."""

    def __init__(self, home: Path) -> None:
        private = home / "private"
        self._engine = Engine(version="bench", folders=UserFolders(private / "spare", private / "models", home=home))

    def call(self, root: Path, verb: str, **params: Any) -> Any:
        """Call a verb on a repository."""
        return self._engine.call(verb, decode_params(METHODS[verb], params), CallContext(location=locate(str(root))))

    def close(self) -> None:
        """Close all repositories."""
        self._engine.close()


def build(source: Path, home: Path, repositories: int, trees: int, chunks: int) -> None:
    """Write and index the repositories below `home` that do not exist yet, and list them."""
    folder = home / "src"
    for number in range(repositories + 1):
        root = folder / f"r{number:03}"
        if (root / "done").exists():
            continue
        shutil.rmtree(root, ignore_errors=True)
        if 0 < number < repositories and number >= trees:
            shutil.copytree(folder / f"r{number % trees:03}", root)  # with the times of the files, and the index
            continue
        write_tree(source, root, chunks, first=number)
        subprocess.run(["git", "init", "-q", "-b", "main", str(root)], check=True)
        _index(home, root)
        (root / "done").touch()
        print(f"indexed {root.name}", file=sys.stderr)
    asking = Asking(home)
    asking.call(folder / "r000", "repos.scan", path=str(folder), add=True)
    asking.close()


def _index(home: Path, root: Path) -> None:
    asking = Asking(home)
    asking.call(root, "init")
    asking.call(root, "index")
    asking.close()


def measure(home: Path, questions: list[str]) -> dict[str, float | int]:
    """Ask from the last repository: alone, the first time with all, then each question with all."""
    root = max((home / "src").iterdir())
    asking = Asking(home)
    try:
        listed = asking.call(root, "repos.list").repositories
        alone = [_timed(asking, root, question)[0] for question in questions]
        first, _ = _timed(asking, root, questions[0], repos=["all"])
        asked = [_timed(asking, root, question, repos=["all"]) for question in questions]
        memory, descriptors = _private_bytes() / 1e6, len(list(Path("/proc/self/fd").glob("*")))
    finally:
        asking.close()
    times, work = spread([each for each, _ in asked]), spread([each for _, each in asked])
    return {
        "repositories": len(listed) - 1,
        "chunks": sum(each.chunks for each in listed),
        "this repository alone: p50 ms": spread(alone)["p50"],
        "first question to all: ms": first,
        "question to all: p50 ms": times["p50"],
        "question to all: p95 ms": times["p95"],
        "question to all: processor p50 ms": work["p50"],
        "question to all: processor p95 ms": work["p95"],
        "private memory MB": memory,
        "descriptors": descriptors,
    }


def _private_bytes() -> int:
    """Return the bytes of this process that are no mapped files; 0 where the system does not tell."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("RssAnon:")), 0)


def compare(folder: Path, sets: list[str], mirrors: Path, archives: Path) -> int:
    """Print how well the repositories of each set are searched alone, and together from an empty repository.

    A file of another repository than the question's is a wrong one.
    """
    data = load(folder, sets)
    for name in sets:
        with tempfile.TemporaryDirectory(prefix="muninn-federation-") as temporary:
            home = Path(temporary)
            copies = Copies(data, home / "copies", mirrors, archives)
            asking, empty = Asking(home), home / "empty"
            empty.mkdir()
            trees = {source: copies.folder(name, source) for dataset, source in data.copies() if dataset == name}
            names = {source: f"r{number}" for number, source in enumerate(trees)}
            for source, tree in trees.items():
                asking.call(tree, "init")
                asking.call(tree, "index")
                asking.call(empty, "repos.add", path=str(tree), name=names[source])
            asking.call(empty, "init")
            questions = [one for one in data.questions if one.dataset == name]
            for title, repos in (("alone", []), ("together", ["all"])):
                rows = [
                    scored(one, _places(asking, empty if repos else trees[one.source], one, names[one.source], repos))
                    for one in questions
                ]
                print(f"{name} {title:<10}{len(rows):>5} questions, NDCG@10 {mean(rows)['ndcg@10']:.3f}")
            asking.close()
    return 0


def _places(asking: Asking, root: Path, question: Question, name: str, repos: list[str]) -> list[Place]:
    """Return the places that recall finds; those of other repositories than `name` under names of no file."""
    answer = asking.call(root, "recall", query=question.text, limit=LIMIT, kind="code", repos=repos)
    return [
        Place(hit.path if hit.repository in ("", name) else hit.id.rpartition(":")[0], hit.start_line, hit.end_line)
        for hit in answer.hits
    ]


def _timed(asking: Asking, root: Path, question: str, **params: Any) -> tuple[float, float]:
    """Return the milliseconds, and those of processor time, of one question."""
    begun, used = time.perf_counter(), time.process_time()
    answer = asking.call(root, "recall", query=question, **params)
    if any(each.skipped for each in answer.repositories):
        raise RuntimeError(answer.saw.note)
    return (time.perf_counter() - begun) * 1000, (time.process_time() - used) * 1000
