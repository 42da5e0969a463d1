"""Each benchmark runs on a tiny tree. The figures themselves are not checked."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest
from bench.__main__ import PROGRAMS
from bench.accuracy import pairs
from bench.capture.conversations import load
from bench.capture.questions import load_questions, score_questions
from bench.capture.scoring import captured, score
from bench.harness import corpus
from bench.speed import growth, journal

from muninn_core.source.chunks.chunk import chunk_file

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_each_program_of_the_bench_is_found_by_its_name(name: str) -> None:
    command = [sys.executable, "-m", "bench", name, "--help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert f"python -m bench {name}" in done.stdout


@pytest.mark.slow
def test_every_part_of_the_bench_measures_its_figures_on_a_tiny_tree(tmp_path: Path) -> None:
    out = tmp_path / "figures.json"
    done = subprocess.run(
        [sys.executable, "-m", "bench", "--quick", "--out", str(out)], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    figures = json.loads(out.read_text("utf-8"))["figures"]
    assert len(figures) == len({figure["name"] for figure in figures})
    assert sum(figure["budget"] is not None for figure in figures) >= 30, "a part that says nothing any more"
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


def test_prompts_bring_what_they_touch_and_others_mostly_nothing(tmp_path: Path) -> None:
    out = tmp_path / "figures.json"
    command = [sys.executable, "-m", "bench", "--only", "reminders", "--out", str(out)]
    subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    told, idle = json.loads(out.read_text("utf-8"))["figures"]
    assert told["value"] >= 0.6, told["detail"]
    assert idle["value"] <= 0.1, idle["detail"]


@pytest.mark.slow
def test_a_models_help_is_measured_and_its_wrong_verdicts_merge_nothing() -> None:
    found = ""
    for part, *options in (("gateway", "--requests", "3"), ("models", "--memories", "40", "--pairs", "40")):
        done = subprocess.run(
            [sys.executable, "-m", "bench", part, *options], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        found += done.stdout
    for name, value in (
        ("gateway: prefix kept", "100 %"),
        ("a model with wrong verdicts: merges of different facts", "0.00"),
        ("a model with wrong verdicts: merges that its verdicts add", "0.00"),
    ):
        (row,) = [line for line in found.splitlines() if line.startswith(name)]
        assert row.removeprefix(name).strip().startswith(value), row
    assert "20 of 20 got a block" in found
    assert "remember, enrichment on, p50" in found


def test_an_unknown_part_is_refused_with_the_known_ones() -> None:
    done = subprocess.run([sys.executable, "-m", "bench", "--only", "recal"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2
    assert "'recal'" in done.stderr
    assert "recall" in done.stderr


def test_a_grown_tree_has_about_the_chunks_that_were_asked_for_and_names_of_its_own(tmp_path):
    source = corpus.tiny(tmp_path / "tiny")
    growth.write_tree(source, tmp_path / "grown", 200)
    again = tmp_path / "again"
    growth.write_tree(source, again, 200)
    files = sorted(path.relative_to(again) for path in again.rglob("*") if path.is_file())
    chunks = sum(len(chunk_file(str(path), (again / path).read_text())) for path in files)
    assert 200 <= chunks < 210
    assert all((tmp_path / "grown" / path).read_bytes() == (again / path).read_bytes() for path in files)
    first = next(again.glob("copy_000/*/session_0.py")).read_text()
    others = [path.read_text() for path in again.glob("copy_001/*/*.py")]
    assert first not in others
    assert len(others) >= 60


def test_growth_in_proportion_has_the_exponent_one(tmp_path):
    rows = [
        growth.Row(n, n, n / 9, n / 9, n / 5, n / 3, 5, 5, n, 1, n, n, n**0.5, 1, 2) for n in (1_000, 10_000, 100_000)
    ]
    found = growth.exponents(rows)
    assert found["index_s"] == pytest.approx(1)
    assert found["recall_processor"] == pytest.approx(0.5)
    assert found["peak_mb"] == pytest.approx(0)
    assert growth.table(rows).splitlines()[-1].split()[:3] == ["exponent", "1.00", "1.00"]


@pytest.mark.parametrize(("text", "size"), [("250", 250), ("10k", 10_000), ("1M", 1_000_000), ("1.5k", 1_500)])
def test_sizes_are_written_short(text, size):
    assert growth.parse_size(text) == size


def test_the_journal_is_measured(tmp_path):
    out = tmp_path / "journal.json"
    options = ["--events", "600", "--appends", "20", "--runs", "3", "--dir", str(tmp_path), "--out", str(out)]
    options += ["--report", str(tmp_path / "table.md")]
    assert journal.main(options) == 0
    names = {figure["name"] for figure in json.loads(out.read_text())["figures"]}
    assert {"append, 100 writers", "statistics, p95", "verify of 1,000,000 events"} <= names
    assert (tmp_path / "table.md").read_text().count("\n| ") == len(names)


def test_capture_finds_half_of_what_conversations_state_and_is_right_about_it() -> None:
    sessions = load(ROOT / "bench" / "data" / "conversations.txt")
    result = score(sessions, [captured(session) for session in sessions])
    assert len(sessions) > 100
    assert result.precision >= 0.85, result.wrong
    assert result.recall >= 0.5, result.missed
    assert result.empty >= 0.85 * result.silent, "capture keeps something of sessions that state nothing"


def test_hardly_a_captured_statement_gets_a_question_that_it_does_not_answer() -> None:
    data = ROOT / "bench" / "data"
    table = load_questions(data / "statement-questions.tsv")
    result = score_questions([each for path in sorted(data.glob("conversations*.txt")) for each in load(path)], table)
    assert result.right >= 0.9 * result.given, result.wrong
    assert result.right >= 0.5 * result.there, result.missed
    assert len(result.unlabelled) <= 0.1 * result.statements, result.unlabelled


def test_a_line_of_the_questions_without_its_fields_is_an_error(tmp_path) -> None:
    (tmp_path / "table.tsv").write_text("# session, words, question\nconversations-001 Two cron containers run since\n")
    with pytest.raises(ValueError, match=r"table\.tsv:2: write session, first words and question"):
        load_questions(tmp_path / "table.tsv")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# a\nU: Keep it.\n+x: Keep it. | keep\n", "the type 'x' is none of"),
        ("# a\nU: Keep it.\n+c: Drop it. | keep\n", "does not contain 'Drop it.'"),
        ("# a\nB: Keep it.\n", "begin it with"),
    ],
)
def test_a_mistake_in_a_file_of_conversations_is_named_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "c.txt"
    path.write_text(text, "utf-8")
    with pytest.raises(ValueError, match=r"c\.txt:\d: .*" + said):
        load(path)


def test_statements_are_judged_alike_in_both_orders_and_no_different_ones_are_merged() -> None:
    judged = pairs.judge_all(pairs.load(pairs.STATEMENTS))
    assert all(each.verdict == each.turned for each in judged)
    assert all(each.pair.relation == "same" for each in judged if each.verdict == "same")
    assert pairs.precision_and_recall(judged, "same")[1] >= 0.7
    precision, recall = pairs.precision_and_recall(judged, "contradicts")
    assert precision >= 0.9
    assert recall >= 0.7
    assert "| swap |" in pairs.report(judged)
