"""Failures of indexing: they are reported, and the next run makes up for them."""

from __future__ import annotations

import shutil
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
from repositories import PATIENCE

from muninn_core import git as core_git
from muninn_core.errors import MuninnError, StorageError
from muninn_core.index.index import Index
from muninn_core.launch.repository_location import locate
from muninn_core.source.listing.walk import walk

pytest_plugins = ["engines"]


def updater_of(muninn):
    return muninn.engine.open(locate(str(muninn.root))).updater


class Broken:
    """Replaces git by one that fails."""

    def __init__(self, monkeypatch):
        self._works = core_git.list_files
        self.now = True
        monkeypatch.setattr(core_git, "list_files", self)

    def __call__(self, root):
        """Fail while `now` holds."""
        if self.now:
            raise core_git.GitError("git ls-files failed: out of luck")
        return self._works(root)


def test_a_failure_is_told_and_the_next_look_makes_up_for_all_of_it(muninn, monkeypatch):
    muninn.call("index")
    for number in range(3):
        (muninn.root / f"late_{number}.py").write_text("def hoist_mainsail(): pass\n")
    broken = Broken(monkeypatch)
    with pytest.raises(MuninnError, match="out of luck"):
        muninn.call("index")
    status = muninn.call("status")
    assert (status.index.state, status.index.lag) == ("failed", 1)
    assert [problem.kind for problem in status.problems] == ["index"]
    found = muninn.call("recall", query="get user name")
    assert found.hits, "what was indexed before can still be found"
    assert found.saw.index.failure == "git ls-files failed: out of luck"
    broken.now = False
    muninn.touch("src/users.py")
    status = muninn.call("status")
    assert (status.index.state, status.index.lag, status.problems) == ("ready", 0, ())
    assert muninn.call("recall", query="get user name").saw.index.failure == ""
    assert len([path for path in muninn.paths("hoist mainsail") if path.startswith("late_")]) == 3


def test_after_a_failure_whoever_asks_anew_gets_the_new_answer(muninn, monkeypatch):
    broken = Broken(monkeypatch)
    for _ in range(3):
        with pytest.raises(MuninnError, match="out of luck"):
            muninn.call("index")
    broken.now = False
    assert muninn.call("index").files == 2


def test_memories_are_searchable_although_the_files_can_not_be_read(muninn, monkeypatch):
    Broken(monkeypatch)
    with suppress(MuninnError):
        muninn.call("index", rebuild=True)
    muninn.call("remember", text="Sessions live in Redis.")
    assert muninn.texts("where do sessions live", kind="memory") == ["Sessions live in Redis."]


def test_indexing_ends_once_every_memory_is_searchable_and_tells_when_they_can_not_be(muninn, monkeypatch):
    muninn.call("index")
    put, full = Index.put_memories, threading.Event()

    def slow(index, texts):
        if full.is_set():
            raise StorageError("the disk is full")
        threading.Event().wait(0.5)  # a large batch, or a busy machine
        put(index, texts)

    monkeypatch.setattr(Index, "put_memories", slow)
    muninn.call("remember", text="Sessions live in Redis.")
    muninn.call("index")
    snapshot = updater_of(muninn).wait_open(PATIENCE).snapshot()
    assert snapshot.counts()["memory"] == 1
    full.set()
    muninn.call("remember", text="Cookies overflow at four kilobytes.")
    with pytest.raises(MuninnError, match="the disk is full"):
        muninn.call("index")
    assert muninn.call("recall", query="cookies").saw.index.failure == "the disk is full"
    full.clear()
    muninn.call("index")
    assert muninn.texts("cookies overflow", kind="memory", limit=1) == ["Cookies overflow at four kilobytes."]


def test_a_ticket_without_paths_is_worked_off(muninn):
    updater = updater_of(muninn)
    for _ in range(3):
        assert updater.wait_files(updater.update_files(), PATIENCE)


def test_rebuilding_loses_no_memory_that_is_stored_meanwhile(muninn):
    muninn.call("index")
    texts = [f"Fact number {number} about sails." for number in range(30)]
    with ThreadPoolExecutor(2) as threads:
        rebuilt = threads.submit(lambda: [muninn.call("index", rebuild=True) for _ in range(3)])
        for text in texts:
            muninn.call("remember", text=text)
        rebuilt.result()
    assert set(muninn.texts("facts about sails", kind="memory", limit=50)) == set(texts)
    assert muninn.call("status").problems == ()


def test_an_index_that_is_deleted_again_while_it_is_rebuilt_is_made_without_a_further_change(muninn, monkeypatch):
    monkeypatch.setattr("muninn_core.worktree.indexing.index_failure.RETRY_SECONDS", (0.01, 0.01))
    muninn.call("remember", text="Sessions are signed cookies.")
    muninn.call("index", wait=True)
    updater = updater_of(muninn)
    deletions = iter(range(8))

    def deleting(root, *rest):
        if next(deletions, None) is not None:
            shutil.rmtree(muninn.root / ".muninn" / "cache")
        return walk(root, *rest)

    monkeypatch.setattr("muninn_core.worktree.indexing.file_scan.walk", deleting)
    with suppress(MuninnError):
        muninn.call("index", rebuild=True)
    end = time.monotonic() + PATIENCE
    while updater.state != "ready" or updater.failure:
        assert time.monotonic() < end, updater.failure
        threading.Event().wait(0.01)
    assert muninn.call("recall", query="signed cookies", kind="memory").hits
