"""A measured figure and its budget, and the table and JSON file of a run."""

from __future__ import annotations

import json
import statistics
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Figure:
    """One figure. A figure without `budget` explains others; `detail` appears only in the JSON file."""

    name: str
    value: float
    unit: str
    budget: float | None = None
    note: str = ""
    detail: dict[str, Any] = field(default_factory=dict)

    @property
    def ratio(self) -> float | None:
        """The share of the budget that was used: 1 or less is within it."""
        return None if self.budget is None else self.value / self.budget


def percentile(values: list[float], share: float) -> float:
    """Return the value that a share (0..1) of the values does not exceed: the nearest rank, never interpolated."""
    if not values:
        raise ValueError("no values were measured")
    ordered = sorted(values)
    return ordered[max(0, min(len(ordered) - 1, round(share * len(ordered) + 0.5) - 1))]


def spread(values: list[float]) -> dict[str, float]:
    """Return a summary of a distribution."""
    return {
        "n": len(values),
        "min": round(min(values), 3),
        "p50": round(statistics.median(values), 3),
        "p95": round(percentile(values, 0.95), 3),
        "p99": round(percentile(values, 0.99), 3),
        "max": round(max(values), 3),
    }


def table(figures: list[Figure]) -> str:
    """Return the figures as a table for people."""
    rows = [("figure", "measured", "budget", "of budget", "")]
    for figure in figures:
        budget = "" if figure.budget is None else f"{_number(figure.budget)} {figure.unit}"
        ratio = "" if figure.ratio is None else f"{figure.ratio:.2f}{' OVER' if figure.ratio > 1 else ''}"
        rows.append((figure.name, f"{_number(figure.value)} {figure.unit}", budget, ratio, figure.note))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    return "\n".join(
        f"{row[0]:<{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]:>{widths[2]}}  {row[3]:>{widths[3]}}  {row[4]}".rstrip()
        for row in rows
    )


def markdown(figures: list[Figure]) -> str:
    """Return the figures as a table in Markdown."""
    rows = ["| figure | measured | budget | conditions |", "|---|---|---|---|"]
    for figure in figures:
        budget = "" if figure.budget is None else f"{_number(figure.budget)} {figure.unit}"
        rows.append(f"| {figure.name} | {_number(figure.value)} {figure.unit} | {budget} | {figure.note} |")
    return "\n".join(rows) + "\n"


def write(path: Path, machine: dict[str, Any], figures: list[Figure]) -> None:
    """Write a run as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    plain = [{**asdict(figure), "ratio": figure.ratio} for figure in figures]
    path.write_text(json.dumps({"machine": machine, "figures": plain}, indent=2) + "\n", "utf-8")


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.2f}" if abs(value) < 10 else f"{value:.1f}"
