"""Turns of history that random ones take too rarely: each met git at its most helpful."""

from __future__ import annotations

from pathlib import Path

import pytest
from team import Clock, Tree, found_team, head_ids


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    found_team(tmp_path)
    return Tree(tmp_path / "a", Clock(0, 1), 1)


def remembered(tree: Tree, text: str, session: str) -> str:
    identity = tree.remember(text, session)
    tree.log.seal()
    tree.commit(text)
    return identity


@pytest.mark.parametrize("archive", [False, True])
@pytest.mark.parametrize("how", ["merge", "rebase", "cherry-pick", "merge the other way"])
def test_new_segments_stay_where_they_are_when_all_others_were_moved_or_taken_in(
    tree: Tree, archive: bool, how: str
) -> None:
    """Git takes a folder whose files all went elsewhere as renamed, and wants the other side's new files there, too."""
    first = [remembered(tree, f"Fact number {number} of the first days.", f"s{number}") for number in range(3)]
    tree.git("checkout", "-q", "-b", "feature")
    late = [remembered(tree, f"A late word, number {number}.", f"t{number}") for number in range(2)]
    tree.git("checkout", "-q", "main")
    tree.log.refresh()
    tree.reconcile(archive=archive)
    tree.git("checkout", "-q", "feature")
    if how == "merge":
        tree.git("merge", "-q", "--no-edit", "main")
    elif how == "rebase":
        tree.git("rebase", "-q", "main")
    elif how == "cherry-pick":
        tree.git("cherry-pick", "main")
    else:
        tree.git("checkout", "-q", "main")
        tree.git("merge", "-q", "--no-edit", "feature")
    tree.log.refresh()
    assert set(first + late) <= head_ids(tree, "HEAD")
    assert set(tree.log.state.memories) == set(first + late)


def test_a_reconcile_that_is_reverted_after_another_one_leaves_all_memories(tree: Tree) -> None:
    one = remembered(tree, "The first fact.", "s1")
    tree.reconcile(archive=False)
    first = tree.git("rev-parse", "HEAD").strip()
    two = remembered(tree, "The second fact.", "s2")
    tree.reconcile(archive=False)
    tree.git("revert", "--no-edit", first)
    tree.log.refresh()
    assert {one, two} <= set(tree.log.state.memories)


def test_a_reconcile_is_picked_by_a_branch_that_never_had_one(tree: Tree) -> None:
    tree.git("branch", "bare")
    one = remembered(tree, "The first fact.", "s1")
    tree.reconcile(archive=False)
    two = remembered(tree, "The second fact.", "s2")
    tree.reconcile(archive=False)
    tree.git("checkout", "-q", "bare")
    tree.git("cherry-pick", "main")
    tree.log.refresh()
    assert two in tree.log.state.memories
    tree.git("checkout", "-q", "main")
    tree.git("merge", "-q", "--no-edit", "bare")
    assert {one, two} <= head_ids(tree, "HEAD")


def test_both_sides_reconcile_the_same_and_different_sessions(tree: Tree) -> None:
    shared = [remembered(tree, f"Shared fact {number}.", "s1") for number in range(3)]
    tree.git("checkout", "-q", "-b", "feature")
    here = remembered(tree, "A fact of the feature.", "s2")
    tree.reconcile(archive=False)
    tree.git("checkout", "-q", "main")
    tree.log.refresh()
    there = remembered(tree, "A fact of main.", "s3")
    tree.reconcile(archive=True)
    tree.git("merge", "-q", "--no-edit", "feature")
    tree.log.refresh()
    assert {*shared, here, there} == set(tree.log.state.memories)
