"""`python -m bench packs`: which part of what a task needs is in a context pack, by its budget.

Titles of fixes and features are asked as in `bench.quality.titles`, on the tree of HEAD without history. The code files
that the commit changed are needed: `text` is the share of them that the pack has text of, `named` includes files that
it names by their location. With `--data`, questions of prepared sets are asked. Where these name lines, `lines` is the
share of them that the pack shows.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean

from bench.quality.arms import Muninn
from bench.quality.copies import Copies
from bench.quality.main import CACHE
from bench.quality.questions import Data, Question, load
from bench.quality.titles import questions_of
from muninn_core.protocol.families.search import ContextParams, ContextResult, PackItem

BUDGETS = (500, 1_000, 2_000, 4_000, 8_000)
"""The tokens of the packs."""

MEASURES = ("text", "named", "lines")


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask the questions with each budget, and print the means of each set."""
    parser = argparse.ArgumentParser(prog="python -m bench packs", description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--repo", action="append", type=Path, default=[], metavar="PATH", help="a git repository")
    parser.add_argument("--questions", type=int, default=30, metavar="N", help="at most so many of each (default 30)")
    parser.add_argument("--data", type=Path, help="the folder of prepared questions")
    parser.add_argument("--sets", default="A1,B1", help="sets of prepared questions, by commas")
    parser.add_argument("--mirrors", type=Path, default=Path(), help="where OWNER+NAME/repo are, bare git directories")
    parser.add_argument("--archives", type=Path, default=CACHE / "archives", help="where published archives are")
    parser.add_argument("--json", type=Path, help="the file to write")
    options = parser.parse_args(arguments)
    if not options.repo and not options.data:
        parser.error("name repositories by --repo, or prepared questions by --data")
    rows: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory(prefix="muninn-packs-") as folder:
        if options.repo:
            data = questions_of(options.repo, options.questions)
            rows += _measured(data, Copies(data, Path(folder), Path(), Path()), Path(folder))
        if options.data:
            data = load(options.data, options.sets.split(","))
            rows += _measured(data, Copies(data, CACHE, options.mirrors, options.archives), Path(folder))
    _print(rows)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n", "utf-8")
    return 0


def _measured(data: Data, copies: Copies, folder: Path) -> Iterator[dict[str, object]]:
    """Yield a row for each question and budget."""
    for dataset, source in data.copies():
        muninn = Muninn(copies.folder(dataset, source), folder / "spare")
        try:
            for question in data.questions:
                if (question.dataset, question.source) != (dataset, source):
                    continue
                for budget in BUDGETS:
                    result = muninn.run("context", ContextParams(query=question.text, budget=budget))
                    assert isinstance(result, ContextResult)
                    assert result.tokens <= budget
                    yield {"set": dataset, "id": question.id, "budget": budget, **_shares(question, result.items)}
        finally:
            muninn.close()


def _shares(question: Question, items: Sequence[PackItem]) -> dict[str, float]:
    files = [item for item in items if item.kind != "memory"]
    shown = [item for item in files if item.form != "headline"]
    shares = {"text": _share(question, shown), "named": _share(question, files)}
    wanted = {
        (place.path, line) for place in question.relevant if place.end for line in range(place.start, place.end + 1)
    }
    if wanted:
        seen = {(item.path, line) for item in shown for line in range(item.start_line, item.end_line + 1)}
        shares["lines"] = len(wanted & seen) / len(wanted)
    return shares


def _share(question: Question, items: Sequence[PackItem]) -> float:
    return len(question.files.intersection(item.path for item in items)) / len(question.files)


def _print(rows: Sequence[dict[str, object]]) -> None:
    for dataset, budget in sorted({(str(row["set"]), int(str(row["budget"]))) for row in rows}):
        of = [row for row in rows if (row["set"], row["budget"]) == (dataset, budget)]
        shares = {name: [float(str(row[name])) for row in of if name in row] for name in MEASURES}
        means = "  ".join(f"{name} {mean(values):.3f}" for name, values in shares.items() if values)
        print(f"{dataset} n={len(of)} {budget:,} tokens  {means}")
