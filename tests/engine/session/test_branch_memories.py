"""The part of a brief that is about what the branch is named for."""

from __future__ import annotations

import pytest
from repositories import git

from muninn_core.engine.session.branch_memories import subject_of

pytest_plugins = ["engines"]

WORKER = "Exports are written by a worker, never in the request: they took minutes."


@pytest.mark.parametrize(
    ("branch", "subject"),
    [
        ("feature/move-exports-to-worker", "move exports to worker"),
        ("ada/fix/EXP-12_slow_exports", "EXP 12 slow exports"),
        ("main", ""),
        ("release/2.4", ""),
        ("feature/exports", ""),
        (None, ""),
    ],
)
def test_the_subject_is_in_the_words_of_the_branchs_name(branch, subject):
    assert subject_of(branch) == subject


@pytest.mark.parametrize(("branch", "told"), [("feature/exports-in-the-request", True), ("feature/new-logo", False)])
def test_a_branch_brings_what_it_is_named_for(muninn, branch, told):
    muninn.call("remember", text=WORKER, type="decision", importance=3)
    muninn.call("remember", batch=[{"text": f"Valve {n} of pump {n % 7} opens to the left."} for n in range(80)])
    git(muninn.root, "checkout", "-q", "-b", branch)
    muninn.call("recall", query="valve")  # waits until everything stored is searchable
    for number in range(100):  # a busy machine may find it too late for the first brief
        text = muninn.call("brief", session=f"s{number}").text
        if (WORKER in text) or not told:
            break
    assert (WORKER in text) == ("## About this branch" in text) == told
