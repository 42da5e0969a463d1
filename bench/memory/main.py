"""`python -m bench memory`: asks the questions of data files about memories, prints a table and writes JSON."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from bench.memory.arms import ARMS, WHOLE, arm
from bench.memory.briefs import brief
from bench.memory.data import Case, conversations, projects
from bench.memory.facts import facts
from bench.memory.run import ask, block, find_files, remind, stored

Figures = Mapping[str, float]


def main(arguments: list[str]) -> int:
    """Measure the requested sets, and print their figures as Markdown."""
    parser = argparse.ArgumentParser(prog="python -m bench memory", description="Measure how memories are found.")
    parser.add_argument("--projects", action="append", type=Path, default=[], help="a file of projects (JSON lines)")
    parser.add_argument(
        "--beside", type=Path, metavar="DIR", help="a folder with a git repository of each project's id to clone"
    )
    parser.add_argument(
        "--conversations", action="append", default=[], metavar="DIR[:NAME,NAME]", help="a folder of conversations"
    )
    parser.add_argument(
        "--questions", type=int, default=20, metavar="N", help="store at most N questions with each memory of a project"
    )
    parser.add_argument(
        "--commits", type=int, default=0, metavar="N", help="with --beside: also remember the newest N commits"
    )
    parser.add_argument("--files", action="store_true", help="with --beside: how well the files of memories are found")
    parser.add_argument("--facts", type=int, default=0, metavar="N", help="N generated facts with three values each")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the generated facts")
    parser.add_argument("--ablations", action="store_true", help="also measure without each rule")
    parser.add_argument("--json", type=Path, help="the file to write")
    options = parser.parse_args(arguments)
    if options.commits and options.beside is None:
        parser.error("--commits needs --beside, the folder of the repositories")
    sets = _sets(options, parser.error)
    arms = ARMS if options.ablations else (WHOLE,)
    figures: dict[str, dict[str, Figures]] = {}
    for name, cases in sets.items():
        for each in arms:
            with arm(each):
                figures.setdefault(name, {})[each] = summary(
                    _measured(cases, options.beside, files=options.files, commits=options.commits)
                )
        print(f"{table(name, figures[name])}\n", flush=True)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    return 0


def _sets(options: argparse.Namespace, error: Callable[[str], object]) -> dict[str, list[Case]]:
    """Return the requested sets by name; `error` reports what is missing and ends the program."""
    sets = {path.name: projects(path, options.questions) for path in options.projects}
    for given in options.conversations:
        folder, _, names = given.partition(":")
        cases = conversations(Path(folder), [name for name in names.split(",") if name])
        if not cases:
            error(f"{folder} has no conversation {names}".rstrip())
        sets[f"{Path(folder).name} {names}".rstrip()] = cases
    if options.facts:
        sets["facts in the same words"] = facts(options.facts, options.seed, reworded=False)
        sets["facts in other words"] = facts(options.facts, options.seed, reworded=True)
    if not sets:
        error("give --projects FILE, --conversations DIR or --facts N")
    return sets


def _measured(cases: list[Case], beside: Path | None, *, files: bool, commits: int) -> Counter[str]:
    counts: Counter[str] = Counter()
    for case in cases:
        source = beside / case.name if beside is not None else None
        if files:
            for empty in (True, False):
                with stored(case, source, empty=empty) as opened:
                    counts.update(find_files(case, opened))
            continue
        with stored(case, source, commits=commits) as opened:
            counts.update(ask(case, opened))
            if case.prompts:
                counts.update(block(case, opened))
                counts.update(remind(case, opened))
                counts.update(brief(case, opened))
    return counts


def summary(counts: Counter[str]) -> dict[str, float]:
    """Return the figures of the sums: counts as they are, shares of the right memories found, and milliseconds."""
    questions = max(1, counts["questions"])
    found: dict[str, float] = {}
    for name, value in counts.items():
        if name == "processor_us":
            found["processor ms"] = round(value / questions / 1000, 2)
        elif name.endswith(" x1000"):
            found[name.removesuffix(" x1000")] = round(value / questions / 1000, 3)
        else:
            found[name] = value
    return found


COLUMNS: Sequence[tuple[str, str]] = (
    ("hit@1", "questions"),
    ("hit@3", "questions"),
    ("hit@10", "questions"),
    ("recall@5", ""),
    ("recall@10", ""),
    *((f"files, {kind}, {beside}", "") for kind in ("code", "all") for beside in ("without", "with memory")),
    ("newest first", "versions"),
    ("answer: right first", "questions"),
    ("answer: among ten", "questions"),
    ("block: right", "questions"),
    ("block: wrong on top", "questions"),
    ("block: shown for unrelated", "block: unrelated"),
    ("prompts: told right", "prompts: related"),
    *((f"{kind}: told right", f"{kind} prompts") for kind in ("paraphrase", "error_text", "file_named", "indirect")),
    ("prompts: told wrong", ""),
    ("prompts: told for unrelated", "prompts: unrelated"),
    ("brief: useful lines", "brief: lines"),
    ("brief: right", "brief: sessions"),
    ("brief: tokens", ""),
    ("brief without subject: lines", ""),
    ("processor ms", ""),
)
"""The columns of the table, each with the figure that it is a part of."""


def table(name: str, arms: Mapping[str, Figures]) -> str:
    """Return the figures of a set as a table in Markdown, a row for each arm."""
    whole = arms[WHOLE]
    shown = [(key, of) for key, of in COLUMNS if any(key in found for found in arms.values())]
    heads = [f"{key} of {whole[of]:g}" if of in whole else key for key, of in shown]
    rows = [f"| {name} | {' | '.join(heads)} |", f"|---|{'---|' * len(heads)}"]
    rows += [f"| {each} | {' | '.join(f'{found.get(key, 0):g}' for key, _ in shown)} |" for each, found in arms.items()]
    return "\n".join(rows)
