"""Files of memory that a merge left in conflict: reconcile keeps both sides and writes a valid file."""

from __future__ import annotations

import subprocess

import pytest
from repositories import git

pytest_plugins = ["engines"]

MAIN = ".muninn/memory/main.jsonl"


def commit(muninn, message):
    git(muninn.root, "add", "-A")
    git(muninn.root, "commit", "-q", "-m", message)


def branch(muninn, name, text):
    """Make a branch on which a memory was reconciled into main.jsonl."""
    git(muninn.root, "checkout", "-q", "-b", name, "main")
    muninn.call("remember", text=text)
    muninn.call("reconcile")
    commit(muninn, f"Memory of {name}")
    git(muninn.root, "checkout", "-q", "main")


def merge(muninn, *arguments):
    """Merge, which may fail, and return what git said."""
    identity = ["-c", "user.name=T", "-c", "user.email=t@localhost"]
    done = subprocess.run(
        ["git", *identity, *arguments], cwd=muninn.root, capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    return done.stdout + done.stderr


def heals(muninn, *texts):
    """Reconcile, and check that every memory is there and that git and `check` have nothing to say."""
    muninn.call("reconcile")
    assert sorted(memory.text for memory in muninn.call("memories").memories) == sorted(texts)
    content = (muninn.root / MAIN).read_bytes()
    assert all(line.startswith(b"{") for line in content.splitlines())
    assert not [finding for finding in muninn.call("check").findings if finding.rule == "malformed"]
    commit(muninn, "Heal")
    muninn.call("reconcile")
    assert (muninn.root / MAIN).read_bytes() == content


@pytest.fixture
def base(muninn):
    muninn.call("remember", text="Sessions live in Redis.")
    muninn.call("reconcile")
    commit(muninn, "Add memory")
    return muninn


def test_an_octopus_merge_conflicts_and_reconcile_heals_it(base):
    branch(base, "kafka", "Orders travel through Kafka.")
    branch(base, "mail", "Mail vans are yellow.")
    assert "content conflict in .muninn/memory/main.jsonl" in merge(base, "merge", "-q", "--no-edit", "kafka", "mail")
    assert "<<<<<<<" in (base.root / MAIN).read_text()
    heals(base, "Sessions live in Redis.", "Orders travel through Kafka.", "Mail vans are yellow.")


@pytest.mark.parametrize("style", ["merge", "diff3"])
@pytest.mark.parametrize("attribute", ["!merge", "merge=binary"])
def test_a_merge_without_our_attributes_is_healed(base, attribute, style):
    branch(base, "kafka", "Orders travel through Kafka.")
    branch(base, "mail", "Mail vans are yellow.")
    (base.root / ".git/info/attributes").write_text(f".muninn/memory/**/*.jsonl {attribute}\n")
    git(base.root, "config", "merge.conflictStyle", style)
    git(base.root, "merge", "-q", "kafka")
    assert "CONFLICT" in merge(base, "merge", "mail")
    heals(base, "Sessions live in Redis.", "Orders travel through Kafka.", "Mail vans are yellow.")


def test_markers_in_a_segment_are_healed_and_a_text_that_looks_like_one_is_kept(base):
    base.call("remember", text="=======", session="s1")
    base.call("remember", text="Mail vans are yellow.", session="s1")
    (segment,) = base.call("seal").segments
    path = base.root / segment
    one, other = path.read_text().splitlines(keepends=True)
    path.write_text(f"<<<<<<< HEAD\n{one}||||||| 1234567\n=======\r\n{other}>>>>>>> feature/x\n")
    heals(base, "Sessions live in Redis.", "=======", "Mail vans are yellow.")


def test_a_recorded_resolution_of_git_that_is_not_staged_loses_nothing(base):
    """rerere writes an earlier resolution into the work tree; git's index still has both sides."""
    git(base.root, "config", "rerere.enabled", "true")
    (base.root / ".git/info/attributes").write_text(".muninn/memory/**/*.jsonl !merge\n")
    branch(base, "kafka", "Orders travel through Kafka.")
    branch(base, "mail", "Mail vans are yellow.")
    git(base.root, "merge", "-q", "kafka")
    before = git(base.root, "rev-parse", "HEAD").strip()
    assert "CONFLICT" in merge(base, "merge", "mail")
    git(base.root, "checkout", "-q", "--ours", "--", MAIN)
    git(base.root, "add", MAIN)
    git(base.root, "commit", "-q", "-m", "A resolution that drops a side")
    git(base.root, "reset", "-q", "--hard", before)
    assert "using previous resolution" in merge(base, "merge", "mail")
    assert "yellow" not in (base.root / MAIN).read_text()
    heals(base, "Sessions live in Redis.", "Orders travel through Kafka.", "Mail vans are yellow.")
