"""Repositories of an organisation, made from folders of code, and pushes of them."""

from __future__ import annotations

import itertools
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.harness.corpus import Corpus
from bench.harness.figure import Figure
from bench.organisation.database import Org, size
from muninn_core.org.access import principals
from muninn_core.org.database.connections import connect
from muninn_core.org.ingestion.pushes import Target, push

TABLES = ("file", "chunk", "symbol", "place", "memory", "frequency")
_MEMORIES = 30
"""The memories of one repository."""

_MOST_FILES = 400
"""Files of one repository."""


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
            number = principals.create_repository(connection, org.tenant, root.name, "main", private=True)
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
