"""What earlier commits add to finding files, on the tree of HEAD."""

from __future__ import annotations

from bench.accuracy.past import answers
from repositories import git

NAMES = ("pump", "valve", "gauge", "wheel", "crank", "lever")


def test_history_finds_the_file_that_words_do_not_and_only_earlier_commits_count(tmp_path):
    root = tmp_path / "history"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    for name in NAMES:
        (root / f"{name}.py").write_text(f"def {name}():\n    return 0\n")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "Begin")
    for number, when in enumerate(("early", "late"), 7):
        (root / "crank.py").write_text(f"def crank():\n    return {number}\n")
        git(root, "commit", "-q", "-a", "-m", f"Fix the frobnicator that stutters {when}")
    rows = list(answers(root, 10, tmp_path / "work"))
    assert sorted(row["without"] < 1.0 for row in rows) == [True, True]
    assert sorted(row["history"] == 1.0 for row in rows) == [False, True], "the first of both has no history"
    assert all(row["memories"] == row["history"] for row in rows), "memories of the same commits do not count again"
