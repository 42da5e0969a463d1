"""The walk through a history that shows what memory is worth."""

from __future__ import annotations

import pytest
from bench.accuracy.lift import Answer, Walk, line
from machine_parts import machine_parts
from repositories import git

from muninn_core.index.embedding.embed import load_bundled


@pytest.fixture
def history(tmp_path):
    """A repository in which one file is changed again and again for a reason that it does not name."""
    root = machine_parts(tmp_path / "history")
    for step in range(1, 4):
        (root / "crank.py").write_text(f"def crank():\n    return {step}\n")
        git(root, "commit", "-q", "-a", "-m", f"Frobnicator stutters in case {step}")
    (root / "new.py").write_text("new = 1\n")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "Add what nobody can find before it is there")
    return root


def test_commit_history_finds_a_file_that_words_miss(history, tmp_path):
    with Walk(history, tmp_path, load_bundled()) as walk:
        answers = list(walk.answers(10, backfill=False))
    assert [one.title[-1] for one in answers] == ["1", "2", "3"]
    assert [one.remembered for one in answers[1:]] == [1.0, 1.0]
    assert answers[0].remembered == answers[0].lively < 1.0
    assert [one.beside for one in answers] == [None, None, None]


def test_an_open_file_finds_files_that_changed_with_it(history, tmp_path):
    for step, when in enumerate(("early", "late")):
        for name in ("gauge", "wheel"):
            (history / f"{name}.py").write_text(f"def {name}():\n    return {step} + 7\n")
        git(history, "commit", "-q", "-a", "-m", f"Squeak {when}")
    with Walk(history, tmp_path, load_bundled()) as walk:
        last = list(walk.answers(2, backfill=False))[-1]
    assert (last.title, last.beside) == ("Squeak late", 1.0)


def test_lines_tell_means_and_gains():
    told = line("x", [Answer("a", "t", 0.25, 0.3, 0.5), Answer("b", "t", 0.5, 0.5, 0.75, 0.25, 0.75)]).splitlines()
    assert told[0] == "x: 2 questions, NDCG@10 0.375"
    assert told[1].startswith("  with history 0.400, gain +0.025")
    assert told[2].startswith("  with memory, too 0.625, gain +0.250")
    assert told[3].startswith("  memory beside history 0.625, gain +0.225")
    assert told[4] == "  1 questions for the other files of a change, NDCG@10 0.250"
    assert told[5].startswith("  with one of its files in use 0.750, gain +0.500")
    assert line("x", []) == "x: no commit that can be asked about"
