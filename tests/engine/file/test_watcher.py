"""The watcher and the engine together: changes on disk arrive in batches until the watcher stops."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from repositories import PATIENCE, git

from muninn_core.launch.repository_location import locate
from muninn_server.watch import Watcher

pytest_plugins = ["engines"]


class Batches:
    """Collects the batches of a watcher; `until` waits for a condition on all of them."""

    def __init__(self):
        self.all = []
        self._more = threading.Condition()

    def __call__(self, paths):
        """Take a batch."""
        with self._more:
            self.all.append(paths)
            self._more.notify_all()

    def seen(self):
        return {path for batch in self.all for path in batch}

    def until(self, *paths):
        with self._more:
            assert self._more.wait_for(lambda: self.seen() >= set(paths), PATIENCE), self.all


@pytest.fixture
def watch():
    """A function that watches a work tree; all watchers are stopped in the end."""
    watchers = []

    def begin(root, changed):
        watchers.append(Watcher(locate(str(root)), changed))
        watchers[-1].start()
        return watchers[-1]

    yield begin
    for watcher in watchers:
        watcher.stop()


def test_saved_deleted_and_moved_files_are_noticed(plain_repo, watch):
    batches = Batches()
    watch(plain_repo, batches)
    src = plain_repo / "src"
    (src / "new.py").write_text("x = 1\n")
    batches.until(str(src / "new.py"))
    (src / "new.py").rename(src / "moved.py")
    (src / "users.py").unlink()
    batches.until(str(src / "moved.py"), str(src / "users.py"))


def test_private_and_rebuilt_files_are_not_reported(plain_repo, watch):
    batches = Batches()
    quiet = ["node_modules/x.js", "src/__pycache__/x.pyc", ".muninn/cache/x", ".muninn/local/spool/x", ".git/objects/x"]
    for path in quiet:
        (plain_repo / path).parent.mkdir(parents=True, exist_ok=True)
    watch(plain_repo, batches)
    for path in [*quiet, ".muninn/memory/main.jsonl", "last.py"]:
        (plain_repo / path).parent.mkdir(parents=True, exist_ok=True)
        (plain_repo / path).write_text("x")
    batches.until(str(plain_repo / "last.py"), str(plain_repo / ".muninn/memory/main.jsonl"))
    assert not batches.seen().intersection(str(plain_repo / path) for path in quiet)


def test_a_folder_that_comes_moves_and_goes_is_followed(plain_repo, watch, tmp_path):
    batches = Batches()
    watch(plain_repo, batches)
    made = tmp_path / "made"
    (made / "deep" / "node_modules").mkdir(parents=True)
    (made / "deep" / "one.py").write_text("x")
    (made / "deep" / "node_modules" / "far.js").write_text("x")
    made.rename(plain_repo / "came")
    batches.until(str(plain_repo / "came"), str(plain_repo / "came/deep/one.py"))
    (plain_repo / "came").rename(plain_repo / "moved")
    batches.until(str(plain_repo / "moved/deep/one.py"))
    (plain_repo / "moved/deep/two.py").write_text("x")
    batches.until(str(plain_repo / "moved/deep/two.py"))
    (plain_repo / "moved").rename(tmp_path / "gone")
    (tmp_path / "gone/deep/three.py").write_text("x")
    (plain_repo / "last.py").write_text("x")
    batches.until(str(plain_repo / "moved"), str(plain_repo / "last.py"))
    assert not {path for path in batches.seen() if path.endswith(("three.py", "far.js", "came/deep/two.py"))}


def test_to_read_files_is_no_change(plain_repo, watch):
    batches = Batches()
    watch(plain_repo, batches)
    read = [path for path in plain_repo.rglob("*.py") if path.read_bytes()]
    (plain_repo / "last.py").write_text("x")
    batches.until(str(plain_repo / "last.py"))
    assert read
    assert not batches.seen().intersection(map(str, read))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a queue that a test can fill")
def test_an_overflow_of_the_event_queue_is_reported_as_any_change(plain_repo):
    most = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    command = [sys.executable, str(Path(__file__).parents[1] / "lossy.py"), str(plain_repo)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as watching:
        killer = threading.Timer(30, watching.kill)
        killer.daemon = True
        killer.start()  # rather than to wait for ever for what is not told
        told = iter(watching.stdout.readline, "")
        assert next(told) == "ready\n"
        watching.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, watching.pid, os.WSTOPPED)
        busy = plain_repo / "busy.txt"
        for number in range(most):
            busy.touch()
            os.rename(busy, plain_repo / f"{number % 2}.txt")
        (plain_repo / "unseen").mkdir()  # nobody is told of it
        watching.send_signal(signal.SIGCONT)
        assert f"{plain_repo}\n" in told
        (plain_repo / "unseen" / "after.py").write_text("x")
        assert f"{plain_repo}/unseen/after.py\n" in told
        watching.stdin.close()


def test_after_lost_changes_every_file_is_looked_at(muninn):
    muninn.call("index")
    (muninn.root / "src" / "rigging.py").write_text("def belay_halyard(): pass\n")
    muninn.engine.files_changed(locate(str(muninn.root)), {str(muninn.root)})
    updater = muninn.engine.open(locate(str(muninn.root))).updater
    assert updater.wait_files(updater.update_files(), 30)
    assert muninn.call("recall", query="belay halyard").hits[0].path == "src/rigging.py"


def test_a_switch_of_branches_is_noticed_by_head(plain_repo, watch, tmp_path):
    git(plain_repo, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    here, there = Batches(), Batches()
    watch(plain_repo, here)
    watch(tmp_path / "side", there)
    git(plain_repo, "checkout", "-q", "-b", "other")
    here.until(str(plain_repo / ".git" / "HEAD"))
    git(tmp_path / "side", "checkout", "-q", "-b", "third")
    there.until(str(plain_repo / ".git" / "worktrees" / "side" / "HEAD"))


def test_many_changes_at_once_come_in_few_batches(plain_repo, watch):
    batches = Batches()
    watch(plain_repo, batches)
    begun = time.monotonic()
    names = [plain_repo / "src" / f"part_{number}.py" for number in range(300)]
    for name in names:
        name.write_text("x = 1\n")
    batches.until(*map(str, names))
    # At most one a second while files are being written, however slow the machine is.
    assert len(batches.all) <= 3 + (time.monotonic() - begun)


def test_an_error_in_who_listens_does_not_end_the_watching(plain_repo, watch, caplog):
    batches = Batches()

    def listen(paths):
        batches(paths)
        if len(batches.all) == 1:
            raise RuntimeError("not today")

    watch(plain_repo, listen)
    (plain_repo / "one.py").write_text("x")
    batches.until(str(plain_repo / "one.py"))
    (plain_repo / "two.py").write_text("x")
    batches.until(str(plain_repo / "two.py"))
    assert "not today" in caplog.text


def test_after_the_end_nothing_more_is_handed_over(plain_repo, watch):
    batches = Batches()
    watcher = watch(plain_repo, batches)
    watcher.stop()
    before = len(batches.all)
    (plain_repo / "late.py").write_text("x")
    assert not any(thread.name == "watch" for thread in threading.enumerate())
    assert len(batches.all) == before


def test_a_saved_file_is_indexed_without_a_request(muninn, watch):
    muninn.call("index")
    location = locate(str(muninn.root))
    noticed = Batches()

    def changed(paths):
        muninn.engine.files_changed(location, paths)
        noticed(paths)

    watch(muninn.root, changed)
    target = muninn.root / "src" / "sails.py"
    (muninn.root / "draft").write_text("def hoist_mainsail(): pass\n")
    os.replace(muninn.root / "draft", target)  # as editors save
    noticed.until(str(target))
    updater = muninn.engine.open(location).updater
    assert updater.wait_files(updater.update_files(), 30)
    assert muninn.call("recall", query="hoist mainsail").hits[0].path == "src/sails.py"
