"""The bench runs: every figure is measured on a tiny tree. What the figures say is for a machine at rest."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_every_part_of_the_bench_measures_its_figures_on_a_tiny_tree(tmp_path: Path) -> None:
    out = tmp_path / "figures.json"
    done = subprocess.run(
        [sys.executable, "-m", "bench", "--quick", "--out", str(out)], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    figures = json.loads(out.read_text("utf-8"))["figures"]
    assert len(figures) == len({figure["name"] for figure in figures})
    assert sum(figure["budget"] is not None for figure in figures) == 27
    for figure in figures:
        assert math.isfinite(figure["value"])
        assert figure["value"] >= 0
        assert figure["name"] in done.stdout


def test_reconcile_tells_pairs_apart_as_well_as_it_must_and_merges_no_two_different_facts(tmp_path: Path) -> None:
    out = tmp_path / "figures.json"
    command = [sys.executable, "-m", "bench", "--only", "reconcile", "--out", str(out)]
    subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    figures = {figure["name"]: figure for figure in json.loads(out.read_text("utf-8"))["figures"]}
    assert figures["different facts merged"]["value"] == 0, figures["different facts merged"]["detail"]
    for part in ("dev", "test", "all"):
        found = figures[f"contradiction, precision ({part})"]
        assert found["value"] >= 0.9
        assert found["detail"]["recall"] >= 0.6
        assert figures[f"same, precision ({part})"]["value"] >= 0.95
    assert figures["new, precision (all)"]["detail"]["pairs"] >= 320


def test_an_unknown_part_is_refused_with_the_known_ones() -> None:
    done = subprocess.run([sys.executable, "-m", "bench", "--only", "recal"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2
    assert "'recal'" in done.stderr
    assert "recall" in done.stderr
