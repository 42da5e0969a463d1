"""Recall uses git's history of files that change together, and follows new commits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from repositories import git

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from engines import Muninn

pytest_plugins = ["engines"]

QUESTION = "read the configuration"


@pytest.fixture
def pair(muninn: Muninn) -> Muninn:
    """Three files that answer the question alike, two of which were always changed together."""
    for name in ("left", "middle", "right"):
        (muninn.root / name).mkdir()
        (muninn.root / name / f"{name}.py").write_text(f"def read_{name}():\n    '''Read the configuration.'''\n")
    commit(muninn, "Begin.")
    for number in range(4):
        for name in ("left", "right"):
            with (muninn.root / name / f"{name}.py").open("a") as file:
                file.write(f"# step {number}\n")
        commit(muninn, f"Step {number}.")
    muninn.call("index", wait=True)
    return muninn


def commit(muninn: Muninn, message: str) -> None:
    git(muninn.root, "add", "-A")
    git(muninn.root, "commit", "-q", "-m", message)


def reasons(muninn: Muninn, path: str, **params: object) -> dict[str, object]:
    hits = muninn.call("recall", query=QUESTION, kind="code", **params).hits
    hit = next(hit for hit in hits if hit.path == path)
    assert round(sum(reason.contribution for reason in hit.why), 4) == hit.score
    return {reason.signal: reason for reason in hit.why}


def test_files_changed_together_with_the_current_file_rank_higher(pair: Muninn) -> None:
    found = [path for path in pair.paths(QUESTION, kind="code", at_hand=["left/left.py"]) if path != "left/left.py"]
    assert found[:2] == ["right/right.py", "middle/middle.py"]
    assert "left/left.py" in reasons(pair, "right/right.py", at_hand=["left/left.py"])["together"].note
    assert "together" not in reasons(pair, "right/right.py")


def test_an_open_file_belongs_to_the_working_set(pair: Muninn) -> None:
    pair.engine.open_editors.update(pair.location.root, "editor", ["left/left.py"])
    assert "together" in reasons(pair, "right/right.py")
    pair.engine.open_editors.update(pair.location.root, "editor", [])
    assert "together" not in reasons(pair, "right/right.py")


def test_a_hit_in_the_current_files_folder_gives_that_reason(pair: Muninn) -> None:
    assert "folder" in reasons(pair, "middle/middle.py", at_hand=["middle/other.py"])


def test_a_commit_counts_at_the_next_question(pair: Muninn) -> None:
    before = reasons(pair, "middle/middle.py", at_hand=["left/left.py"])["together"].value
    for name in ("left", "middle"):
        with (pair.root / name / f"{name}.py").open("a") as file:
            file.write("# joined\n")
    commit(pair, "Join.")
    assert reasons(pair, "middle/middle.py", at_hand=["left/left.py"])["together"].value > before


def test_a_branch_without_the_commits_does_not_count_them(pair: Muninn) -> None:
    before = reasons(pair, "right/right.py", at_hand=["left/left.py"])["together"].value
    git(pair.root, "checkout", "-q", "HEAD~4")
    pair.call("index", wait=True)
    assert reasons(pair, "right/right.py", at_hand=["left/left.py"])["together"].value < before


def test_frequently_changed_files_have_high_activity(pair: Muninn) -> None:
    lively, quiet = (reasons(pair, f"{name}/{name}.py")["churn"].value for name in ("left", "middle"))
    assert quiet < lively


def test_a_folder_without_git_has_no_history(tmp_path: Path, start: Callable[..., Muninn]) -> None:
    root = tmp_path / "plain"
    root.mkdir()
    (root / "a.py").write_text("def read():\n    '''Read the configuration.'''\n")
    bare = start(root)
    bare.call("init")
    bare.call("index", wait=True)
    hits = bare.call("recall", query=QUESTION, at_hand=["b.py"]).hits
    assert hits
    assert not {"churn", "together"}.intersection(reason.signal for hit in hits for reason in hit.why)


def test_a_commit_with_a_similar_title_votes_for_its_files(pair: Muninn) -> None:
    assert "history" not in reasons(pair, "middle/middle.py")
    with (pair.root / "middle" / "middle.py").open("a") as file:
        file.write("# quoted\n")
    commit(pair, "Let the configuration have quoted values")
    pair.call("index", wait=True)
    assert pair.paths(QUESTION, kind="code")[0] == "middle/middle.py"
    found = reasons(pair, "middle/middle.py")["history"]
    assert found.value == 1
    assert found.note.endswith(" Let the configuration have quoted values")


def test_the_files_of_similar_commits_are_found_without_a_common_word(pair: Muninn) -> None:
    with (pair.root / "left" / "left.py").open("a") as file:
        file.write("# step\n")
    commit(pair, "Escape umlauts of the terminal")
    pair.call("index", wait=True)
    assert "left/left.py" in pair.paths("umlauts of terminal", kind="code")
