"""Work trees of one repository: each sees its own HEAD, and memories outlive their work tree."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor, wait

import pytest
from repositories import git

from muninn_core.errors import NotInitialised, StorageError
from muninn_core.worktree.memories.memory_store import MemoryStore
from muninn_hooks import hook_log, inbox

pytest_plugins = ["engines"]


@pytest.fixture
def trees(plain_repo, tmp_path, start):
    """An engine, and a second work tree of its repository on another branch."""
    muninn = start(plain_repo)
    muninn.call("init")
    git(plain_repo, "add", ".")
    git(plain_repo, "commit", "-q", "-m", "Add memory")
    side = tmp_path / "side"
    git(plain_repo, "worktree", "add", "-q", "-b", "side", str(side))
    return muninn, side


def test_each_work_tree_sees_its_own_head(trees):
    muninn, side = trees
    git(side, "commit", "-q", "--allow-empty", "-m", "On the side")
    here, there = muninn.call("memories").saw, muninn.call("memories", at=side).saw
    assert (here.branch, there.branch) == ("main", "side")
    assert (here.commit, there.commit) == (
        git(muninn.root, "rev-parse", "main").strip(),
        git(side, "rev-parse", "side").strip(),
    )


def test_a_work_tree_without_memory_is_told_of_the_main_checkouts(plain_repo, tmp_path, start):
    muninn = start(plain_repo)
    muninn.call("init")
    side = tmp_path / "side"
    git(plain_repo, "worktree", "add", "-q", "-b", "side", str(side))
    with pytest.raises(NotInitialised) as error:
        muninn.call("memories", at=side)
    assert error.value.hint == f"{plain_repo} has one: commit it there, and merge that commit into this branch."
    git(plain_repo, "add", ".")
    git(plain_repo, "commit", "-q", "-m", "Add memory")
    git(side, "merge", "-q", "main")
    assert muninn.call("memories", at=side).total == 0


def test_a_linked_work_tree_has_the_name_of_its_repository(trees):
    muninn, side = trees
    muninn.call("remember", text="Sails are hoisted at dawn.", at=side)
    assert muninn.call("brief", at=side).text.startswith(f"# Memory of {muninn.root.name} (Muninn)\n")


def test_each_work_tree_finds_its_own_files(trees):
    muninn, side = trees
    (side / "sails.py").write_text("def hoist_mainsail():\n    return True\n")
    muninn.call("index")
    muninn.call("index", at=side)
    assert muninn.call("recall", at=side, query="hoist mainsail", kind="code").hits[0].path == "sails.py"
    assert all(hit.path != "sails.py" for hit in muninn.call("recall", query="hoist mainsail").hits)


def test_unsealed_memories_of_a_linked_work_tree_survive_its_removal(trees, start):
    muninn, side = trees
    stored = muninn.call("remember", at=side, text="The side branch needs Redis.")
    muninn.call("index", at=side)  # git can't remove a folder in which files are being made
    git(muninn.root, "worktree", "remove", "--force", str(side))
    muninn.engine.close()
    assert not side.exists(), "closing must not bring the folder back"
    later = start(muninn.root)
    found = later.call("memories")
    assert [memory.id for memory in found.memories] == list(stored.ids)
    assert found.memories[0].sealed
    assert later.texts("what does the side branch need", kind="memory") == ["The side branch needs Redis."]


def test_spools_of_living_work_trees_are_left_alone(trees, start):
    muninn, side = trees
    spool = muninn.root / ".git" / "muninn" / "side" / "spool" / "s1.jsonl"
    muninn.call("remember", at=side, text="Mine.", session="s1")
    content = spool.read_bytes()
    other = start(muninn.root)
    other.call("status")
    assert spool.read_bytes() == content
    assert muninn.call("memories", at=side).total == 1


def test_closing_seals_where_the_memory_was_stored(trees):
    muninn, side = trees
    muninn.call("remember", text="On main.")
    muninn.call("remember", at=side, text="On the side.")
    muninn.engine.close()
    assert "On main." in (next((muninn.root / ".muninn/memory/sessions").glob("*.jsonl"))).read_text()
    assert "On the side." in (next((side / ".muninn/memory/sessions").glob("*.jsonl"))).read_text()


def test_a_question_during_adoption_sees_the_adopted_memories(trees, monkeypatch):
    muninn, side = trees
    stored = muninn.call("remember", at=side, text="The side branch needs Redis.")
    muninn.call("index", at=side)
    git(muninn.root, "worktree", "remove", "--force", str(side))
    moved, go_on, adopt = threading.Event(), threading.Event(), MemoryStore.adopt

    def slowly(memory, sessions):
        moved.set()
        assert go_on.wait(300)
        adopt(memory, sessions)

    monkeypatch.setattr(MemoryStore, "adopt", slowly)
    with ThreadPoolExecutor(2) as threads:
        collected = threads.submit(muninn.engine.collect_removed)
        assert moved.wait(300)
        asked = threads.submit(muninn.call, "memories")
        wait([asked], 0.3)  # a wrong answer comes at once, a right one when the memories were read
        go_on.set()
        collected.result()
        assert [memory.id for memory in asked.result().memories] == list(stored.ids)


def test_memories_of_a_removed_tree_that_could_not_be_read_are_read_later(trees, monkeypatch):
    muninn, side = trees
    stored = muninn.call("remember", at=side, text="The side branch needs Redis.")
    muninn.call("index", at=side)
    git(muninn.root, "worktree", "remove", "--force", str(side))

    def fail(_memory, _sessions):
        raise StorageError("No space left on device")

    with monkeypatch.context() as full:
        full.setattr(MemoryStore, "adopt", fail)
        assert muninn.call("memories").memories == ()
    assert [memory.id for memory in muninn.call("memories").memories] == list(stored.ids)


def test_metrics_of_a_linked_work_tree_count_its_hooks(trees):
    muninn, side = trees
    muninn.call("status", at=side)
    hook_log.append(str(side), "stop", "no daemon")
    inbox.put(str(side), "capture", {"session": "s1", "transcript": ""})
    rows = muninn.call("metrics", at=side).text.splitlines()
    counts = {row.split()[0]: row.split()[1] for row in rows if row.startswith("muninn_hook_")}
    assert counts == {"muninn_hook_runs": "1", "muninn_hook_failures": "1", "muninn_hook_messages": "1"}
