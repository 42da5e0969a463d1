"""The command line of `python -m bench answers`."""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from pathlib import Path

from bench.answers.compare import difference
from bench.answers.fixture import MEMORIES, prepare
from bench.answers.record import costs, load, record

CACHE = Path(tempfile.gettempdir()) / "muninn-bench-answers"


def main(arguments: list[str]) -> int:
    """Record answers, compare two records, or both. Returns 1 when a compared record differs."""
    parser = argparse.ArgumentParser(prog="python -m bench answers", description="Record and compare answers.")
    parser.add_argument("--record", type=Path, metavar="FILE", help="ask every question and write the answers")
    parser.add_argument("--compare", type=Path, metavar="FILE", help="compare --record with this earlier record")
    parser.add_argument("--repo", action="append", type=Path, metavar="DIR", help="a git directory; may be repeated")
    parser.add_argument("--questions", action="append", type=Path, metavar="JSONL", help="a file of questions")
    parser.add_argument("--memories", type=int, default=MEMORIES, metavar="N", help="memories of each repository")
    parser.add_argument("--calls", action="store_true", help="count calls of Python functions instead of time")
    parser.add_argument("--cache", type=Path, default=CACHE, help="the folder of the prepared repositories")
    options = parser.parse_args(arguments)
    if options.record is None:
        parser.error("give --record FILE")
    if options.repo:
        fixtures = [prepare(repository, options.cache, options.memories) for repository in options.repo]
        answers = record(fixtures, options.questions or [], calls=options.calls)
        options.record.parent.mkdir(parents=True, exist_ok=True)
        options.record.write_text("".join(f"{answer.line()}\n" for answer in answers), "utf-8")
        counts = Counter(answer.kind for answer in answers)
        unit = "calls of Python functions each" if options.calls else "ms of processor time each"
        for kind, cost in costs(answers).items():
            print(f"{kind:24} {counts[kind]:5} questions {cost:9.{0 if options.calls else 3}f} {unit}")
        print(f"{len(answers)} answers")
    elif options.compare is None:
        parser.error("give at least one --repo to record")
    if options.compare is None:
        return 0
    told = difference(load(options.compare), load(options.record))
    print("\n".join(told) or "all answers are identical")
    return 1 if told else 0
