"""Briefs and the rules of the user that only other branches and work trees hold."""

from __future__ import annotations

import re

import pytest
from repositories import git

pytest_plugins = ["engines"]

RULE = "Never spawn a shell for user input: we had a CVE."


def commit_memory(muninn, branch, text, kind, **more):
    git(muninn.root, "checkout", "-q", "-b", branch)
    muninn.call("remember", text=text, type=kind, **more)
    muninn.call("seal")
    git(muninn.root, "add", "-A")
    git(muninn.root, "commit", "-qm", f"Remember on {branch}")
    git(muninn.root, "checkout", "-q", "main")


@pytest.fixture
def branched(muninn):
    """A repository whose branch `hardening` has two memories of its own: a rule of the user and a decision."""
    git(muninn.root, "branch", "-M", "main")
    git(muninn.root, "add", "-A")
    git(muninn.root, "commit", "-qm", "Begin")
    git(muninn.root, "branch", "older")
    commit_memory(muninn, "hardening", RULE, "constraint")
    git(muninn.root, "checkout", "-q", "hardening")
    muninn.call("remember", text="Uploads are scanned by a worker.", type="decision")
    muninn.call("seal")
    git(muninn.root, "add", "-A")
    git(muninn.root, "commit", "-qm", "Decide")
    git(muninn.root, "checkout", "-q", "main")
    return muninn


def brief(muninn, session="s1"):
    """Return the brief once it has the other branches: a busy machine may read them too late for the first one."""
    for number in range(100):
        text = muninn.call("brief", session=f"{session}-{number}").text
        if "other local branches" in text:
            break
    return text


def test_a_rule_of_the_user_is_in_the_brief_of_every_branch_until_it_is_merged(branched):
    text = brief(branched)
    (line,) = (line for line in text.splitlines() if RULE in line)
    assert re.search(r" \(constraint, on hardening, .*\) `[0-9a-z]{8}`$", line)
    assert "## Rules of the user on other branches" in text
    assert "2 memories are on other local branches" in text
    assert "scanned by a worker" not in text
    git(branched.root, "merge", "-q", "hardening")
    merged = branched.call("brief", session="s2").text
    assert "other branches" not in merged
    assert RULE in merged


@pytest.mark.parametrize("actor", ["assistant", "import"])
def test_only_a_users_rule_applies_to_all_branches(branched, actor):
    commit_memory(branched, "agents", "Never use tabs in this file.", "constraint", actor=actor)
    assert "Never use tabs" not in brief(branched)


def test_a_remote_branch_sets_no_rule(branched):
    tip = git(branched.root, "rev-parse", "hardening").strip()
    git(branched.root, "update-ref", "refs/remotes/origin/hardening", tip)
    git(branched.root, "branch", "-qD", "hardening")
    assert RULE not in branched.call("brief", session="s1").text


def test_a_rule_that_is_not_committed_yet_reaches_the_other_work_trees(branched, tmp_path):
    linked = tmp_path / "linked"
    git(branched.root, "worktree", "add", "-q", str(linked), "older")
    fresh = "Always run the migrations twice: they must be repeatable."
    branched.call("remember", text=fresh, type="preference")
    text = branched.call("brief", at=linked, session="s3").text
    assert fresh in text
    assert "on main" in text
