"""Recorded answers: the same code answers the same, and a record shows what differs."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.answers.cli import main as bench_answers
from bench.answers.compare import difference
from bench.answers.record import load
from repositories import git

SUBJECTS = (
    "Fix the parser of options",
    "Add support for the header Accept",
    "Handle errors of the socket cache",
    "Avoid a second pass over the log file",
)


@pytest.fixture
def history(tmp_path: Path) -> Path:
    """A repository of twelve files, each changed by a separate commit."""
    root = tmp_path / "history"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    for number in range(12):
        lines = "\n".join(f"    step_{number}_{line} = {line}" for line in range(30))
        (root / f"part_{number}.py").write_text(f"def part_{number}():\n{lines}\n")
        git(root, "add", "-A")
        git(root, "commit", "-q", "-m", f"{SUBJECTS[number % 4]} in part {number}")
    return root


@pytest.mark.slow
def test_two_records_of_the_same_code_agree_and_a_changed_answer_is_shown(history, tmp_path, capsys):
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    given = ["--repo", str(history / ".git"), "--memories", "48", "--cache", str(tmp_path / "cache")]
    assert bench_answers(["--record", str(first), *given]) == 0
    assert bench_answers(["--record", str(second), "--compare", str(first), *given]) == 0
    assert "all answers are identical" in capsys.readouterr().out
    before, after = load(first), load(second)
    assert len(before) > 400
    key = next(key for key, line in after.items() if line["kind"] == "recall")
    after[key]["answer"]["hits"][0]["score"] = 99.5
    after[key]["digest"] = "other"
    told = "\n".join(difference(before, after))
    assert '+   "score": 99.5,' in told
    assert f"1 of {len(before)} answers differ: {{'recall': 1}}" in told


def test_a_record_without_a_repository_or_an_earlier_record_is_refused(tmp_path, capsys):
    with pytest.raises(SystemExit):
        bench_answers(["--record", str(tmp_path / "one.jsonl")])
    assert "give at least one --repo" in capsys.readouterr().err
