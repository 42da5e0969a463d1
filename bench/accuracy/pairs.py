"""Accuracy of the judgement on pairs of short statements: `python -m bench pairs FILE...`.

A line of a file is a JSON object with `relation` (same, contradicts, different, series), `phenomenon`, `a` and `b`. Of
a file whose lines have a `half`, `--half dev` judges the one that rules may be chosen on, `--half test` the other.
Each pair is judged in both orders as a log of two memories, with the candidates and rules of reconcile. A `different`
or `series` pair that is merged loses a fact; one that is called a contradiction costs a person's time.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from muninn_core.reconcile.comparison.pairs import compare_all
from muninn_core.store.folding.fold import fold
from muninn_core.store.records.record import make_record

STATEMENTS = Path(__file__).parents[1] / "data" / "statements.jsonl"
RELATIONS = ("same", "contradicts", "different", "series")
VERDICTS = ("same", "contradicts", "apart")


@dataclass(frozen=True)
class Labelled:
    """Two statements, how they relate, and a key for the kind of difference."""

    relation: str
    phenomenon: str
    a: str
    b: str


@dataclass(frozen=True)
class Judged:
    """A labelled pair and the verdicts on (a, b) and (b, a)."""

    pair: Labelled
    verdict: str
    turned: str


def main(arguments: list[str]) -> int:
    """Judge the pairs of the given files and print the figures; 1 when an order changes a verdict."""
    parser = argparse.ArgumentParser(prog="python -m bench pairs", description="Measure the judgement on pairs.")
    parser.add_argument("files", nargs="*", type=Path, default=[STATEMENTS], help="JSON lines of labelled pairs")
    parser.add_argument("--half", choices=("dev", "test"), help="judge only the lines with this `half`")
    parser.add_argument("--misses", action="store_true", help="list the pairs that were judged wrongly")
    options = parser.parse_args(arguments)
    judged = judge_all(pair for file in options.files for pair in load(file, options.half))
    print(report(judged))
    if options.misses:
        print("\n".join(_miss(each) for each in judged if not _is_right(each)))
    return int(any(each.verdict != each.turned for each in judged))


def load(path: Path, half: str | None = None) -> list[Labelled]:
    """Read the labelled pairs of a file, or of one half. Raises KeyError or ValueError for a line that is none."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    rows = [row for row in rows if half is None or row["half"] == half]
    pairs = [Labelled(row["relation"], row["phenomenon"], row["a"], row["b"]) for row in rows]
    unknown = sorted({pair.relation for pair in pairs} - {*RELATIONS})
    if unknown:
        raise ValueError(f"{path.name}: '{unknown[0]}' is not a relation; use {', '.join(RELATIONS)}")
    return pairs


def judge_all(pairs: Iterable[Labelled]) -> list[Judged]:
    """Judge each pair in both orders."""
    return [Judged(pair, _verdict(pair.a, pair.b), _verdict(pair.b, pair.a)) for pair in pairs]


def precision_and_recall(judged: Sequence[Judged], relation: str) -> tuple[float, float]:
    """Return precision and recall of a relation; precision is 1 when no pair was given the relation."""
    right = sum(each.verdict == relation == each.pair.relation for each in judged)
    said = sum(each.verdict == relation for each in judged)
    there = sum(each.pair.relation == relation for each in judged)
    return (right / said if said else 1.0, right / there if there else 1.0)


def report(judged: Sequence[Judged]) -> str:
    """Return the figures as markdown: both relations, the damage, and the share found by phenomenon."""
    counts = Counter((each.pair.relation, each.verdict) for each in judged)
    lines = ["| relation | pairs | precision | recall |", "|---|---|---|---|"]
    for relation in ("same", "contradicts"):
        precision, recall = precision_and_recall(judged, relation)
        there = sum(counts[relation, verdict] for verdict in VERDICTS)
        lines.append(f"| {relation} | {there} | {precision:.3f} | {recall:.3f} |")
    merged = sum(counts[relation, "same"] for relation in RELATIONS[1:])
    disputed = sum(counts[relation, "contradicts"] for relation in ("different", "series"))
    turned = sum(each.verdict != each.turned for each in judged)
    lines += [
        "",
        f"Merged though not the same: {merged}. Called contradictory though different: {disputed}. "
        f"Other verdict in the other order: {turned}. Pairs: {len(judged)}.",
        "",
        "| phenomenon | same | contradicts | left apart rightly |",
        "|---|---|---|---|",
    ]
    phenomena = sorted({each.pair.phenomenon for each in judged})
    return "\n".join([*lines, *(_row(name, judged) for name in phenomena)])


def _row(phenomenon: str, judged: Sequence[Judged]) -> str:
    cells = []
    for labels in (("same",), ("contradicts",), ("different", "series")):
        here = [each for each in judged if each.pair.phenomenon == phenomenon and each.pair.relation in labels]
        cells.append(f"{sum(map(_is_right, here))}/{len(here)}" if here else "")
    return f"| {phenomenon} | {' | '.join(cells)} |"


def _is_right(each: Judged) -> bool:
    wanted = each.pair.relation if each.pair.relation in VERDICTS else "apart"
    return each.verdict == wanted


def _miss(each: Judged) -> str:
    pair = each.pair
    return f"{pair.relation} judged {each.verdict} ({pair.phenomenon}): {pair.a} || {pair.b}"


def _verdict(a: str, b: str) -> str:
    records = [
        make_record({"id": name, "ts": "2026-01-07T10:00:00Z", "type": "decision", "session": name, "text": text})
        for name, text in (("a", a), ("b", b))
    ]
    found = compare_all(list(fold(records).memories.values()), set())
    return "same" if found.merges else "contradicts" if found.contradictions or found.replaced else "apart"
