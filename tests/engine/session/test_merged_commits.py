"""Which commits a session remembers when HEAD moves by a merge, a pull or a switch of branches."""

from __future__ import annotations

import pytest
from repositories import git

pytest_plugins = ["engines"]


def commit(repo, subject):
    (repo / subject.replace(" ", "-")).write_text(f"{subject}\n")
    git(repo, "add", "--", subject.replace(" ", "-"))
    git(repo, "commit", "-q", "-m", f"{subject}\n\nBecause the old one lost the rows that were written last.")


def capture(muninn):
    found = muninn.call("capture", source="commit", session="s1")
    return [muninn.call("show", id=identity).memory.title for identity in found.ids], found.note


@pytest.fixture
def cloned(muninn, tmp_path, start):
    """A session in a clone, and the repository that it was cloned from, which has a commit more."""
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(muninn.root), str(clone))
    for setting in (("user.name", "Test"), ("user.email", "t@localhost"), ("pull.rebase", "false")):
        git(clone, "config", *setting)
    one = start(clone)
    one.call("init")
    one.call("brief", session="s1")
    commit(muninn.root, "Move the queue to upstream")
    return one, muninn.root


def test_commits_of_a_branch_that_was_merged_are_remembered_once(muninn):
    muninn.call("brief", session="s1")
    git(muninn.root, "checkout", "-q", "-b", "side")
    commit(muninn.root, "Move the cache to the side")
    git(muninn.root, "checkout", "-q", "main")
    git(muninn.root, "merge", "-q", "--no-ff", "-m", "Merge side", "side")
    assert capture(muninn)[0] == ["Move the cache to the side"]
    git(muninn.root, "checkout", "-q", "-b", "other", "HEAD~1")
    commit(muninn.root, "Move the log to the side")
    assert capture(muninn)[0] == ["Move the log to the side"]
    git(muninn.root, "checkout", "-q", "main")
    capture(muninn)
    git(muninn.root, "merge", "-q", "--no-ff", "-m", "Merge other", "other")
    assert capture(muninn) == ([], "")
    assert muninn.call("memories").total == 2


@pytest.mark.parametrize("how", [["--ff-only"], ["--no-edit"], ["--rebase"]])
def test_of_a_pull_only_own_commits_are_remembered(cloned, how):
    muninn, _ = cloned
    own = [] if how == ["--ff-only"] else ["Move the cache to me"]
    for subject in own:
        commit(muninn.root, subject)
    git(muninn.root, "pull", "-q", *how)
    assert capture(muninn)[0] == own
    assert muninn.call("memories").total == len(own)


def test_own_commits_that_were_pushed_and_merged_elsewhere_are_remembered_when_they_are_pulled(cloned):
    muninn, upstream = cloned
    git(muninn.root, "checkout", "-q", "-b", "mine")
    commit(muninn.root, "Move the cache to me")
    git(upstream, "fetch", "-q", str(muninn.root), "mine")
    git(upstream, "merge", "-q", "--no-ff", "-m", "Merge a pull request", "FETCH_HEAD")
    git(muninn.root, "checkout", "-q", "main")
    git(muninn.root, "pull", "-q")
    assert capture(muninn)[0] == ["Move the cache to me"]


def test_a_switch_to_a_branch_of_others_remembers_nothing_of_it(cloned):
    muninn, _ = cloned
    git(muninn.root, "fetch", "-q")
    git(muninn.root, "checkout", "-q", "-b", "theirs", "FETCH_HEAD")
    assert capture(muninn)[0] == []
    commit(muninn.root, "Move the cache to me")
    assert capture(muninn)[0] == ["Move the cache to me"]
