"""Which commits a work tree made itself, by its reflog, after every command of git that moves HEAD."""

from __future__ import annotations

import shutil

import pytest
from repositories import git as run

from muninn_core import git


def commit(repo, message, branch=""):
    if branch:
        run(repo, "checkout", "-q", "-b", branch)
    (repo / message.replace(" ", "-")).write_text(f"{message}\n")
    run(repo, "add", "-A")
    run(repo, "commit", "-q", "-m", message)


def head(repo):
    return run(repo, "rev-parse", "HEAD").strip()


@pytest.fixture
def cloned(plain_repo, tmp_path):
    """A clone, its commit, and a repository that has two commits more."""
    repo = tmp_path / "clone"
    run(tmp_path, "clone", "-q", str(plain_repo), str(repo))
    for setting in (("user.name", "Test"), ("user.email", "t@localhost"), ("pull.rebase", "false")):
        run(repo, "config", *setting)
    start = head(repo)
    commit(plain_repo, "Upstream one")
    commit(plain_repo, "Upstream two")
    return repo, start, plain_repo


def made(repo, start, limit=20):
    return [each.subject for each in git.own_commits(repo, start, head(repo), limit)]


def test_commits_of_a_merged_branch_are_own_ones_and_those_of_a_pull_are_not(cloned):
    repo, start, _ = cloned
    commit(repo, "On the side", branch="side")
    commit(repo, "Side two")
    run(repo, "checkout", "-q", "-")
    commit(repo, "On main")
    run(repo, "merge", "-q", "--no-ff", "-m", "Merge side", "side")
    own = ["On the side", "Side two", "On main", "Merge side"]
    assert sorted(made(repo, start)) == sorted(own)
    assert made(repo, start, limit=1) == ["Merge side"]
    run(repo, "pull", "-q", "--no-edit")
    assert sorted(made(repo, start))[1:] == sorted(own)
    assert made(repo, start)[-1].startswith("Merge branch")
    (merged,) = (each for each in git.own_commits(repo, start, head(repo), 20) if each.subject == "Merge side")
    assert merged.files == ("On-the-side", "Side-two")


def test_a_fast_forward_brings_no_own_commits_but_those_made_here(cloned):
    repo, start, upstream = cloned
    run(repo, "pull", "-q", "--ff-only")
    assert made(repo, start) == []
    commit(repo, "Sent by me", branch="mine")
    run(upstream, "fetch", "-q", str(repo), "mine")
    run(upstream, "merge", "-q", "--no-ff", "-m", "Merge a pull request", "FETCH_HEAD")
    run(repo, "checkout", "-q", "-")
    run(repo, "pull", "-q", "--ff-only")
    assert made(repo, start) == ["Sent by me"]


def test_rebased_and_picked_commits_are_own_ones_in_their_last_form(cloned):
    repo, start, upstream = cloned
    commit(repo, "Mine one")
    commit(repo, "Mine three")
    run(repo, "pull", "-q", "--rebase")
    assert made(repo, start) == ["Mine one", "Mine three"]
    commit(upstream, "Upstream four")
    commit(upstream, "Upstream five")
    run(repo, "fetch", "-q")
    run(repo, "cherry-pick", "FETCH_HEAD~1")
    run(repo, "commit", "-q", "--amend", "-m", "Picked")
    assert made(repo, start) == ["Mine one", "Mine three", "Picked"]
    run(repo, "checkout", "-q", "-b", "next", "FETCH_HEAD~1")
    run(repo, "cherry-pick", "--ff", "FETCH_HEAD")
    assert made(repo, start) == []
    run(repo, "reset", "-q", "--hard", "FETCH_HEAD")
    assert made(repo, start) == []
    run(repo, "rebase", "-q", "main")
    assert made(repo, start)[:3] == ["Mine one", "Mine three", "Picked"]


def test_without_a_reflog_the_first_parents_count(cloned):
    repo, start, _ = cloned
    run(repo, "config", "core.logAllRefUpdates", "false")
    shutil.rmtree(repo / ".git/logs")
    run(repo, "pull", "-q", "--ff-only")
    assert made(repo, start) == ["Upstream one", "Upstream two"]


def test_a_reflog_that_lacks_the_last_move_does_not_decide(cloned):
    repo, start, _ = cloned
    commit(repo, "Mine")
    run(repo, "fetch", "-q")
    run(repo, "config", "core.logAllRefUpdates", "false")
    log = (repo / ".git/logs/HEAD").read_bytes()
    run(repo, "reset", "-q", "--hard", "FETCH_HEAD")
    (repo / ".git/logs/HEAD").write_bytes(log)
    assert made(repo, start) == ["Upstream one", "Upstream two"]


def test_a_start_that_does_not_exist_leaves_only_the_end(cloned):
    repo, _, _ = cloned
    commit(repo, "One")
    commit(repo, "Two")
    assert made(repo, "0" * 40) == made(repo, None) == ["Two"]
