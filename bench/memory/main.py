"""`python -m bench memory`: asks the questions of data files about memories, prints a table and writes JSON."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

from bench.memory.data import Case, conversations, projects
from bench.memory.run import ask, block, remind, stored


def main(arguments: list[str]) -> int:
    """Run the requested sets and print their figures."""
    parser = argparse.ArgumentParser(prog="python -m bench memory", description="Measure how memories are found.")
    parser.add_argument("--projects", action="append", type=Path, default=[], help="a file of projects (JSON lines)")
    parser.add_argument(
        "--conversations", action="append", default=[], metavar="DIR[:NAME,NAME]", help="a folder of conversations"
    )
    parser.add_argument("--json", type=Path, help="the file to write")
    options = parser.parse_args(arguments)
    if not options.projects and not options.conversations:
        parser.error("give --projects FILE or --conversations DIR")
    figures: dict[str, dict[str, float]] = {}
    for path in options.projects:
        figures[path.name] = summary(_measured(projects(path)))
    for given in options.conversations:
        folder, _, names = given.partition(":")
        cases = conversations(Path(folder), [name for name in names.split(",") if name])
        if not cases:
            parser.error(f"{folder} has no conversation {names}".rstrip())
        figures[given] = summary(_measured(cases))
    for name, found in figures.items():
        print(name)
        for key, value in found.items():
            print(f"  {key:<28} {value:g}")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    return 0


def _measured(cases: list[Case]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for case in cases:
        with stored(case) as opened:
            counts += ask(case, opened)
            if case.prompts:
                counts += block(case, opened)
                counts += remind(case, opened)
    return counts


def summary(counts: Counter[str]) -> dict[str, float]:
    """Return the figures of the sums: counts as they are, shares of the right memories found, and milliseconds."""
    questions = max(1, counts["questions"])
    found: dict[str, float] = {}
    for name, value in counts.items():
        if name == "processor_us":
            found["processor ms per question"] = round(value / questions / 1000, 2)
        elif name.endswith(" x1000"):
            found[name.removesuffix(" x1000")] = round(value / questions / 1000, 3)
        else:
            found[name] = value
    return found
