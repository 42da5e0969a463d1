"""A run as tables for people and as JSON for programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bench.quality.questions import Question
from bench.quality.run import Arm
from bench.quality.scoring import MEASURES, interval, mean

GROUPS: dict[str, Callable[[Question], str]] = {
    "set": lambda question: question.dataset,
    "language": lambda question: f"{question.dataset} {question.language}",
    "repository": lambda question: f"{question.dataset} {question.repo}",
}


def plain(arms: list[Arm], *, answers: bool = True) -> dict[str, Any]:
    """Return all measures by arm and group; with `answers` also the results of each question."""
    found: dict[str, Any] = {}
    for arm in arms:
        entry: dict[str, Any] = {group: _by(arm, key) for group, key in GROUPS.items()}
        entry["milliseconds"] = {name: round(value, 3) for name, value in arm.cost().items()}
        entry["index"] = {source: [round(value, 2) for value in cost] for source, cost in sorted(arm.index.items())}
        if answers:
            entry["answers"] = {one.question.id: {"files": one.files, **_rounded(one.measures)} for one in arm.outcomes}
        found[arm.name] = entry
    return found


def tables(arms: list[Arm]) -> str:
    """Return the measures of each arm by set, how arms differ from the first, and NDCG by language and repository."""
    sets = sorted({one.question.dataset for one in arms[0].outcomes})
    parts = [_of_set(arms, name) for name in sets]
    parts += [_spread(arms, what) for what in ("language", "repository")]
    rows = [("arm", "p50 ms", "p95 ms", "processor ms", "index s", "index processor s")]
    for arm in arms:
        cost = arm.cost()
        seconds, worked = (sum(one[i] for one in arm.index.values()) for i in (0, 1))
        costs = (cost["p50"], cost["p95"], cost["processor"], seconds, worked)
        rows.append((arm.name, *(f"{value:.2f}" for value in costs)))  # type: ignore[arg-type]
    return "\n\n".join([*parts, _aligned(rows)])


def _of_set(arms: list[Arm], name: str) -> str:
    count = sum(one.question.dataset == name for one in arms[0].outcomes)
    rows = [(f"{name} ({count})", *MEASURES, "NDCG@10 against the first arm")]
    first = [one.measures["ndcg@10"] for one in arms[0].outcomes if one.question.dataset == name]
    for arm in arms:
        measures = [one.measures for one in arm.outcomes if one.question.dataset == name]
        means = mean(measures)
        against = ""
        if arm is not arms[0]:
            change, low, high = interval([one["ndcg@10"] for one in measures], first)
            against = f"{change:+.3f} [{low:+.3f}, {high:+.3f}]"
        cells = [f"{means[one]:.3f}" if one in means else "" for one in MEASURES]
        rows.append((arm.name, *cells, against))
    return _aligned(rows)


def _spread(arms: list[Arm], group: str) -> str:
    keys = sorted(_by(arms[0], GROUPS[group]))
    rows = [(f"NDCG@10 by {group}", *keys)]
    for arm in arms:
        means = _by(arm, GROUPS[group])
        rows.append((arm.name, *(f"{means[key]['ndcg@10']:.3f}" for key in keys)))
    return _aligned([tuple(column) for column in zip(*rows, strict=True)])


def _by(arm: Arm, key: Callable[[Question], str]) -> dict[str, dict[str, float]]:
    groups: dict[str, list[dict[str, float]]] = {}
    for outcome in arm.outcomes:
        groups.setdefault(key(outcome.question), []).append(outcome.measures)
    return {name: {"n": len(rows), **_rounded(mean(rows))} for name, rows in sorted(groups.items())}


def _rounded(measures: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in measures.items()}


def _aligned(rows: list[tuple[str, ...]]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )
