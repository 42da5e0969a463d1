"""The walk through a history that shows what memory is worth."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.lift import Answer, Walk, line
from repositories import git

from muninn_core.index.embed import BUNDLED, load_embedder

NAMES = ("pump", "valve", "gauge", "wheel", "crank", "lever")


@pytest.fixture
def history(tmp_path):
    """A repository in which one file is changed again and again for a reason that it does not name."""
    root = tmp_path / "history"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    for name in NAMES:
        (root / f"{name}.py").write_text(f"def {name}():\n    return 0\n")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "Begin")
    for step in range(1, 4):
        (root / "crank.py").write_text(f"def crank():\n    return {step}\n")
        git(root, "commit", "-q", "-a", "-m", f"Frobnicator stutters in case {step}")
    (root / "new.py").write_text("new = 1\n")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "Add what nobody can find before it is there")
    return root


def test_what_commits_showed_finds_the_file_that_words_do_not(history, tmp_path):
    with Walk(history, tmp_path, load_embedder(BUNDLED, Path())) as walk:
        answers = list(walk.answers(10, backfill=False))
    assert [one.title[-1] for one in answers] == ["1", "2", "3"]
    assert [one.remembered for one in answers[1:]] == [1.0, 1.0]
    assert answers[0].remembered == answers[0].without < 1.0


def test_a_line_tells_both_means_and_the_gain():
    told = line("x", [Answer("a", "t", 0.25, 0.5), Answer("b", "t", 0.5, 0.75)])
    assert told.startswith("x: 2 questions, NDCG@10 without 0.375, with 0.625, gain +0.250")
    assert line("x", []) == "x: no commit that can be asked about"
