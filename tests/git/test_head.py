"""HEAD, branches and references, intact and damaged."""

from __future__ import annotations

import pytest
from repositories import git as run

from muninn_core import git
from muninn_core.launch.repository_location import locate


def head(path):
    return git.read_head(locate(str(path)))


def commit(repo, message):
    """Make a commit without changes and return it."""
    run(repo, "commit", "-q", "--allow-empty", "-m", message)
    return run(repo, "rev-parse", "HEAD").strip()


def test_head_is_a_branch_and_its_commit(plain_repo):
    sha = run(plain_repo, "rev-parse", "HEAD").strip()
    assert head(plain_repo) == git.Head(commit=sha, branch="main")
    run(plain_repo, "checkout", "-q", "-b", "feature/deep/name")
    assert head(plain_repo) == git.Head(commit=sha, branch="feature/deep/name")


def test_a_detached_head_has_no_branch(plain_repo):
    sha = run(plain_repo, "rev-parse", "HEAD").strip()
    run(plain_repo, "checkout", "-q", "--detach")
    assert head(plain_repo) == git.Head(commit=sha, branch=None)


def test_before_the_first_commit_there_is_a_branch_only(tmp_path):
    run(tmp_path, "init", "-q", "-b", "trunk")
    assert head(tmp_path) == git.Head(commit=None, branch="trunk")


def test_packed_references_are_read_and_loose_ones_go_before_them(plain_repo):
    run(plain_repo, "tag", "-a", "v1", "-m", "An annotated tag")
    run(plain_repo, "pack-refs", "--all")
    sha = run(plain_repo, "rev-parse", "HEAD").strip()
    assert not (plain_repo / ".git/refs/heads/main").exists()
    assert head(plain_repo) == git.Head(commit=sha, branch="main")
    newer = commit(plain_repo, "Newer")
    assert head(plain_repo).commit == newer != sha


def test_references_that_are_no_text_are_unreadable_like_missing_ones(plain_repo):
    (plain_repo / ".git/refs/heads/main").write_bytes(b"\xff\xfe\n")
    (plain_repo / ".git/packed-refs").write_bytes(b"\xff\xfe\n")
    assert head(plain_repo) == git.Head(commit=None, branch="main")


@pytest.mark.parametrize("content", [b"", b"\0" * 41, b"ref: refs/heads/a\0b\n", b"ref: ../../a.py\n", b"nonsense\n"])
def test_a_damaged_head_is_no_commit_and_no_branch(plain_repo, content):
    (plain_repo / ".git/HEAD").write_bytes(content)
    assert head(plain_repo) == git.Head()
    assert git.HeadReader(locate(str(plain_repo))).read() == git.Head()


def test_a_reference_full_of_zeros_is_no_commit(plain_repo):
    (plain_repo / ".git/refs/heads/main").write_bytes(b"\0" * 41)
    assert head(plain_repo) == git.Head(commit=None, branch="main")


def test_the_name_of_another_branch_may_be_no_text(plain_repo):
    sha = run(plain_repo, "rev-parse", "HEAD").strip()
    run(plain_repo, "pack-refs", "--all")
    with (plain_repo / ".git/packed-refs").open("ab") as file:
        file.write(f"{sha} refs/heads/caf".encode() + b"\xe9\n")
    assert head(plain_repo).commit == sha


def test_a_linked_work_tree_has_a_head_of_its_own(plain_repo, tmp_path):
    run(plain_repo, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    sha = commit(tmp_path / "side", "On the side")
    assert head(tmp_path / "side") == git.Head(commit=sha, branch="side")
    assert head(plain_repo).branch == "main"
    run(plain_repo, "pack-refs", "--all")
    assert head(tmp_path / "side").commit == sha


def test_a_branch_that_names_another_one_has_its_commit(plain_repo):
    run(plain_repo, "symbolic-ref", "refs/heads/master", "refs/heads/main")
    run(plain_repo, "symbolic-ref", "HEAD", "refs/heads/master")
    reader = git.HeadReader(locate(str(plain_repo)))
    assert reader.read() == git.Head(commit=run(plain_repo, "rev-parse", "HEAD").strip(), branch="main")
    newer = commit(plain_repo, "Newer")
    assert reader.read() == git.Head(commit=newer, branch="main")
    (plain_repo / ".git/refs/heads/main").write_text("ref: refs/heads/master\n")
    assert head(plain_repo).commit is None


def test_without_git_there_is_no_head(tmp_path):
    assert head(tmp_path) == git.Head()


def test_the_reader_of_head_sees_each_commit_checkout_and_packed_ref(plain_repo):
    reader = git.HeadReader(locate(str(plain_repo)))
    assert reader.read() == git.read_head(locate(str(plain_repo)))
    for command in (
        ("commit", "-q", "--allow-empty", "-m", "Second"),
        ("pack-refs", "--all"),
        ("commit", "-q", "--allow-empty", "-m", "Third"),
        ("switch", "-q", "-c", "side"),
        ("switch", "-q", "--detach"),
        ("switch", "-q", "main"),
    ):
        run(plain_repo, *command)
        assert reader.read() == git.read_head(locate(str(plain_repo))), command
        assert reader.read() is reader.read()
