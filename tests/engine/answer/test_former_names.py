"""Memories that contain a file's old name find the renamed file."""

from __future__ import annotations

import random

import pytest
from repositories import git

from muninn_core.git import deleted_paths
from muninn_core.launch.repository_location import locate
from muninn_core.model.memory import Memory
from muninn_core.protocol.catalogue import decode_params, lookup
from muninn_core.worktree.call_context import CallContext
from muninn_core.worktree.history.renames import RenameHistory

pytest_plugins = ["engines"]

TEXT = "Names are looked up in a table."


@pytest.fixture
def stored(muninn):
    return muninn.call("remember", text=TEXT, files=["src/users.py#get_user_name"]).ids[0]


def rename(muninn, old, new, *, commit=True):
    git(muninn.root, "mv", old, new)
    if commit:
        git(muninn.root, "commit", "-q", "-m", "Rename")
    muninn.touch(old, new)


def about(muninn, path, rev=None):
    """Return the ids of the memories about a file, now or as of a revision."""
    params = decode_params(lookup("memories"), {"file": path, "at": rev})
    found = muninn.engine.call("memories", params, CallContext(location=locate(str(muninn.root)), client="test"))
    return [memory.id for memory in found.memories]


def test_after_a_rename_that_was_committed_the_new_name_finds_them(muninn, stored):
    rename(muninn, "src/users.py", "src/people.py")
    assert about(muninn, "src/people.py") == [stored]
    assert about(muninn, "src/users.py") == [stored]
    assert about(muninn, "README.md") == []


def test_a_file_that_is_named_alone_and_cited_nowhere_is_found_too(muninn):
    identity = muninn.call("remember", text=TEXT, files=["src/users.py"]).ids[0]
    rename(muninn, "src/users.py", "src/people.py")
    assert about(muninn, "src/people.py") == [identity]


def test_hits_lists_and_briefs_show_the_present_name(muninn, stored):
    named = muninn.call("remember", text="The table is small.", files=["src/users.py"], type="decision").ids[0]
    rename(muninn, "src/users.py", "src/people.py")
    found = {hit.id: hit.path for hit in muninn.call("recall", query="table", kind="memory").hits}
    assert found == {stored: "src/people.py", named: "src/people.py"}
    brief = muninn.call("brief").text
    assert brief.count("src/people.py") == 2
    assert "src/users.py" not in brief


def test_after_several_renames_and_a_rewrite_the_last_name_finds_them(muninn, stored):
    rename(muninn, "src/users.py", "src/people.py")
    assert about(muninn, "src/people.py") == [stored]
    (muninn.root / "src" / "people.py").write_text("".join(f"PERSON_{n} = {n}\n" for n in range(40)))
    git(muninn.root, "commit", "-q", "-am", "Rewrite")
    rename(muninn, "src/people.py", "src/humans.py")
    assert about(muninn, "src/humans.py") == [stored]


def test_a_rename_that_is_staged_or_only_done_in_the_work_tree_is_seen(muninn, stored):
    rename(muninn, "src/users.py", "src/people.py", commit=False)
    assert about(muninn, "src/people.py") == [stored]
    git(muninn.root, "reset", "-q", "--hard")
    (muninn.root / "src" / "users.py").rename(muninn.root / "src" / "humans.py")
    (muninn.root / "src" / "other.py").write_text("OTHER = 1\n")
    muninn.touch("src/users.py", "src/people.py", "src/humans.py", "src/other.py")
    assert about(muninn, "src/humans.py") == [stored]
    assert about(muninn, "src/other.py") == []


def test_a_file_that_was_deleted_has_no_new_name(muninn, stored):
    git(muninn.root, "rm", "-q", "src/users.py")
    git(muninn.root, "commit", "-q", "-m", "Delete")
    (muninn.root / "people.py").write_text("PEOPLE = {}\n")
    muninn.touch("src/users.py", "people.py")
    assert about(muninn, "people.py") == []
    assert about(muninn, "src/users.py") == [stored]


def test_another_file_under_the_old_name_keeps_its_own_memories(muninn, stored):
    rename(muninn, "src/users.py", "src/people.py")
    (muninn.root / "src" / "users.py").write_text("USERS = None\n")
    muninn.touch("src/users.py")
    assert about(muninn, "src/users.py") == [stored]
    assert about(muninn, "src/people.py") == []


def test_on_a_branch_without_the_rename_the_new_name_is_unknown(muninn, stored):
    git(muninn.root, "branch", "before")
    rename(muninn, "src/users.py", "src/people.py")
    assert about(muninn, "src/people.py") == [stored]
    git(muninn.root, "checkout", "-q", "before")
    muninn.touch("src/users.py", "src/people.py")
    assert about(muninn, "src/people.py") == []
    git(muninn.root, "checkout", "-q", "-")
    muninn.touch("src/users.py", "src/people.py")
    assert about(muninn, "src/people.py") == [stored]


def test_memory_as_of_a_revision_has_the_names_of_files_at_that_revision(muninn, stored):
    muninn.call("seal")
    git(muninn.root, "add", ".")
    git(muninn.root, "commit", "-q", "-m", "Memory")
    rename(muninn, "src/users.py", "src/people.py")
    assert about(muninn, "src/people.py", rev="HEAD") == []
    assert about(muninn, "src/users.py", rev="HEAD") == [stored]


def test_git_is_asked_once_for_each_head(muninn, stored, monkeypatch):
    rename(muninn, "src/users.py", "src/people.py")
    asked = []
    run = deleted_paths.run_process
    monkeypatch.setattr(deleted_paths, "run_process", lambda *given, **more: asked.append(given) or run(*given, **more))
    assert about(muninn, "src/people.py") == [stored]
    first = [given for given in asked if "--diff-filter=D" in given]
    asked.clear()
    assert about(muninn, "src/people.py") == [stored]
    assert about(muninn, "README.md") == []
    assert first
    assert [given for given in asked if "--diff-filter=D" in given] == []


def test_without_git_only_the_names_that_are_stored_count(tmp_path, start):
    root = tmp_path / "plain"
    root.mkdir()
    (root / "users.py").write_text("USERS = {}\n")
    muninn = start(root)
    muninn.call("init")
    identity = muninn.call("remember", text=TEXT, files=["users.py"]).ids[0]
    (root / "users.py").rename(root / "people.py")
    assert about(muninn, "people.py") == []
    assert about(muninn, "users.py") == [identity]


def test_names_that_come_and_go_with_memories_are_followed_as_if_looked_for_at_once(plain_repo):
    old = ("src/users.py", "src/one.py", "src/two.py")
    for name in old[1:]:
        (plain_repo / name).write_text("".join(f"{name[4:7]}_{n} = {n}\n" for n in range(9)))
    git(plain_repo, "add", "-A")
    git(plain_repo, "commit", "-q", "-m", "Two more")
    for name in old:
        git(plain_repo, "mv", name, name.replace(".py", "_now.py"))
    git(plain_repo, "commit", "-q", "-m", "Rename")
    head = git(plain_repo, "rev-parse", "HEAD").strip()

    def opened():
        return RenameHistory(plain_repo, most=lambda: 10_000, head=lambda: head, token=lambda: 1)

    def memory(identity, *files, ts="2020-01-01T00:00:00.000Z"):
        return Memory(id=identity, type="insight", text="x", ts=ts, files=files)

    chance = random.Random(4)
    growing, held, outcomes = opened(), {}, set()
    for step in range(15):
        held = dict(held)
        for identity in chance.sample(("a", "b", "c", "d"), 2):
            if chance.random() < 0.3:
                held.pop(identity, None)
            else:
                files = chance.sample((*old, "README.md"), chance.randint(0, 2))
                held[identity] = memory(identity, *files, ts=f"2020-01-{1 + step % 28:02}T00:00:00.000Z")
        for name in old:
            now = name.replace(".py", "_now.py")
            found = growing.former_names(now, held)
            assert found == opened().former_names(now, held)
            outcomes.add(found)
    assert len(outcomes) == 4
