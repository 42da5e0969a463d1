"""The log on real branches: the state does not depend on how git moved and merged the files."""

import subprocess

import pytest

from muninn_core.store.files.layout import initialise, layout_of

pytest_plugins = ["logs"]


@pytest.fixture
def git(layout):
    def run(*arguments, cwd=layout.root):
        identity = ["-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "init.defaultBranch=main"]
        done = subprocess.run(["git", *identity, *arguments], cwd=cwd, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run("init", "-q")
    run("add", "-A")
    run("commit", "-qm", "start")
    return run


def remember(log, text, session):
    (record,) = log.append([{"type": "insight", "text": text, "actor": "user"}], session)
    return record


def commit(git, log):
    log.seal()
    git("add", "-A")
    git("commit", "-qm", "memory")


def texts(log):
    return {memory.text for memory in log.state.memories.values()}


def test_two_branches_that_seal_the_same_session_merge_cleanly(git, log):
    shared = remember(log, "shared", "s1")
    commit(git, log)
    git("checkout", "-qb", "feature")
    log.append([{"type": "update", "target": shared.id, "set": {"tags": ["feature"]}}], "s1")
    remember(log, "of feature", "s1")
    commit(git, log)
    git("checkout", "-q", "main")
    assert log.refresh()
    assert texts(log) == {"shared"}
    log.append([{"type": "pin", "target": shared.id}], "s1")
    remember(log, "of main", "s1")
    commit(git, log)
    git("merge", "-q", "feature")
    assert log.refresh()
    assert texts(log) == {"shared", "of feature", "of main"}
    assert (log.state.memories[shared.id].tags, log.state.memories[shared.id].pinned) == (("feature",), True)


def test_an_unsealed_memory_follows_the_work_tree_and_blocks_no_checkout(git, log):
    git("branch", "other")
    remember(log, "open", "s1")
    assert git("status", "--porcelain") == ""
    git("checkout", "-q", "other")
    log.refresh()
    assert texts(log) == {"open"}


def test_rebase_squash_and_cherry_pick_give_the_state_of_a_merge(git, log, opened):
    git("checkout", "-qb", "feature")
    first = remember(log, "one", "s1")
    commit(git, log)
    log.append([{"type": "update", "target": first.id, "set": {"text": "one, reworded"}}], "s1")
    commit(git, log)
    git("checkout", "-q", "main")
    log.refresh()
    remember(log, "of main", "s2")
    commit(git, log)
    states = {}
    for name, commands in {
        "merge": [("merge", "-q", "--no-edit", "feature")],
        "squash": [("merge", "-q", "--squash", "feature"), ("commit", "-qm", "squashed")],
        "cherry-pick": [("cherry-pick", "main..feature")],
        "rebase": [("checkout", "-q", "feature"), ("rebase", "-q", "main")],
    }.items():
        git("checkout", "-q", "-B", name, "main") if name != "rebase" else git("checkout", "-q", "main")
        for command in commands:
            git(*command)
        states[name] = opened().state
    assert len({frozenset(state.memories) for state in states.values()}) == 1
    assert all(state == states["merge"] for state in states.values())
    assert states["merge"].memories[first.id].text == "one, reworded"


def test_main_files_that_two_branches_rewrote_are_united(git, log, layout):
    git("checkout", "-qb", "feature")
    one = remember(log, "one", "s1")
    log.seal()
    (segment,) = layout.sessions.iterdir()
    segment.rename(layout.main)
    git("add", "-A")
    git("commit", "-qm", "feature")
    git("checkout", "-q", "main")
    log.refresh()
    two = remember(log, "two", "s2")
    log.seal()
    (segment,) = layout.sessions.iterdir()
    segment.rename(layout.main)
    git("add", "-A")
    git("commit", "-qm", "main")
    git("merge", "-q", "--no-edit", "feature")
    log.refresh()
    assert set(log.state.memories) == {one.id, two.id}


def test_a_worktree_that_is_removed_keeps_its_open_session(git, layout, opened, tmp_path):
    tree = tmp_path / "tree"
    git("worktree", "add", "-q", str(tree))
    local = layout.local / "worktrees" / "tree"
    linked = layout_of(tree, local=local)
    initialise(linked, "")
    remember(opened(linked), "in the worktree", "s1")
    git("worktree", "remove", "--force", str(tree))
    assert not tree.exists()
    git("worktree", "add", "-q", str(tree), "tree")
    again = opened(linked)
    assert texts(again) == {"in the worktree"}
    assert [path.parent for path in linked.sessions.iterdir()] == [linked.sessions]
