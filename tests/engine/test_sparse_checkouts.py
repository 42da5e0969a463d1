"""Sparse checkouts: what git leaves out of the work tree is not gone, and neither is memory."""

from __future__ import annotations

import shutil

import pytest
from repositories import git

from muninn_core.errors import NotInitialised

pytest_plugins = ["engines"]


@pytest.fixture
def sparse(plain_repo, start):
    """An engine on a work tree with memory that `git sparse-checkout` can narrow."""
    muninn = start(plain_repo)
    muninn.call("init")
    (plain_repo / "docs").mkdir()
    (plain_repo / "docs/limits.md").write_text("# Limits\n")
    git(plain_repo, "add", ".")
    git(plain_repo, "commit", "-q", "-m", "Add memory")
    return muninn


def test_a_file_that_the_checkout_leaves_out_is_not_gone(sparse):
    cite = {"path": "src/users.py", "start": 1, "end": 3}
    sparse.call("remember", text="Users have a display name.", cites=[cite])
    sparse.call("remember", text="Limits are documented.", files=["docs/limits.md"])
    sparse.call("remember", text="The guide is for users.", files=["README.md"])
    sparse.call("seal")
    git(sparse.root, "rm", "-q", "README.md")
    git(sparse.root, "commit", "-q", "-m", "Remove the guide")
    git(sparse.root, "sparse-checkout", "set", ".muninn")
    assert not (sparse.root / "src").exists()
    found = sparse.call("verify")
    assert (found.states["unchecked"], found.states["gone"]) == (2, 1)
    states = {cite.path: (cite.state, cite.note) for memory in found.found for cite in memory.cites}
    assert states == {
        "src/users.py": ("unchecked", "the file is not in this sparse checkout"),
        "docs/limits.md": ("unchecked", "the file is not in this sparse checkout"),
        "README.md": ("gone", ""),
    }
    told = [each.message for each in sparse.call("check").findings if each.rule == "dangling"]
    assert told == ["a memory names README.md, which does not exist"]
    git(sparse.root, "sparse-checkout", "disable")
    assert sparse.call("verify").states["fresh"] == 1


def test_memory_that_the_checkout_leaves_out_is_not_begun_anew(sparse):
    git(sparse.root, "sparse-checkout", "set", "src")
    assert not (sparse.root / ".muninn/config.yaml").exists()
    shutil.rmtree(sparse.root / ".muninn", ignore_errors=True)  # git may leave the private files
    with pytest.raises(NotInitialised) as error:
        sparse.call("init")
    assert "git sparse-checkout add .muninn" in error.value.hint
    assert "git sparse-checkout add .muninn" in sparse.location.not_initialised().hint
    assert not (sparse.root / ".muninn/config.yaml").exists()
    git(sparse.root, "sparse-checkout", "add", ".muninn")
    assert sparse.call("memories").total == 0
