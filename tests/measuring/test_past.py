"""What earlier commits add to finding files, on the tree of HEAD."""

from __future__ import annotations

from bench.accuracy.past import answers
from machine_parts import machine_parts
from repositories import git


def test_history_finds_the_file_that_words_do_not_and_only_earlier_commits_count(tmp_path):
    root = machine_parts(tmp_path / "history")
    for number, when in enumerate(("early", "late"), 7):
        (root / "crank.py").write_text(f"def crank():\n    return {number}\n")
        git(root, "commit", "-q", "-a", "-m", f"Fix the frobnicator that stutters {when}")
    rows = list(answers(root, 10, tmp_path / "work"))
    assert sorted(row["without"] < 1.0 for row in rows) == [True, True]
    assert sorted(row["history"] == 1.0 for row in rows) == [False, True], "the first of both has no history"
    assert all(row["memories"] == row["history"] for row in rows), "memories of the same commits do not count again"
