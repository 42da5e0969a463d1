"""Which files the work tree has edited: never another answer than git's, and git is asked only when it may have one."""

from __future__ import annotations

import pytest
from repositories import git

from muninn_core.git import HeadReader
from muninn_core.launch.repository_location import locate
from muninn_core.worktree.history import edited_files as module
from muninn_core.worktree.history.edited_files import MAX_AGE_SECONDS, SETTLED_SECONDS, EditedFiles
from muninn_server.watch import Watcher

pytest_plugins = ["engines"]


class Tree:
    """A work tree with a scripted watcher and a settable clock."""

    def __init__(self, root, monkeypatch):
        self.root, self.count, self.now, self.asked = root, 0, 0.0, 0
        location = locate(str(root))
        head = HeadReader(location)
        self.edited = EditedFiles(location, lambda: head.read().commit, monotonic=lambda: self.now)
        self.edited.seen = lambda: self.count
        real = module.git.untracked_files
        monkeypatch.setattr(module.git, "untracked_files", lambda root: self.note() or real(root))

    def note(self):
        self.asked += 1

    def settle(self):
        """Let git's answer be one that is kept."""
        self.edited.files()
        self.now += SETTLED_SECONDS
        return self.edited.files()

    def save(self, name, text):
        (self.root / name).write_text(text)
        self.count += 1


@pytest.fixture
def tree(plain_repo, monkeypatch):
    return Tree(plain_repo, monkeypatch)


def test_git_is_asked_once_while_nothing_changes_and_again_when_something_did(tree):
    assert tree.settle() == ()
    asked = tree.asked
    assert (tree.edited.files(), tree.asked) == ((), asked)
    tree.save("new.txt", "a word\n")
    assert tree.edited.files() == ("new.txt",)
    assert tree.asked == asked + 1


def test_an_answer_so_soon_after_a_change_is_not_kept(tree):
    tree.edited.files()
    tree.now += SETTLED_SECONDS / 2
    tree.edited.files()
    assert tree.asked == 2
    tree.now += SETTLED_SECONDS
    tree.edited.files()
    tree.edited.files()
    assert tree.asked == 3


def test_changes_that_git_makes_are_seen_without_the_watcher(tree):
    tree.save("new.txt", "a word\n")
    assert tree.settle() == ("new.txt",)
    git(tree.root, "add", "new.txt")
    git(tree.root, "commit", "-q", "-m", "one more")
    assert tree.settle() == ()
    git(tree.root, "reset", "-q", "--soft", "HEAD~1")
    assert tree.settle() == ("new.txt",)
    (tree.root / ".git" / "info").mkdir(exist_ok=True)
    git(tree.root, "reset", "-q")
    (tree.root / ".git" / "info" / "exclude").write_text("new.txt\n")
    assert tree.edited.files() == ()


def test_without_a_watcher_git_is_asked_each_time_and_with_one_once_a_minute_at_least(tree):
    tree.settle()
    asked = tree.asked
    tree.now += MAX_AGE_SECONDS
    tree.edited.files()
    assert tree.asked == asked + 1
    tree.edited.seen = lambda: None
    tree.edited.files()
    tree.edited.files()
    assert tree.asked == asked + 3


def test_without_git_no_file_counts_as_edited(tmp_path):
    assert EditedFiles(locate(str(tmp_path)), lambda: None).files() == ()


@pytest.fixture
def watcher(plain_repo):
    (plain_repo / ".muninn" / "cache").mkdir(parents=True)
    one = Watcher(locate(str(plain_repo)), lambda _paths: None)
    one.start()
    yield one
    one.stop()


def settled(watcher):
    """Return the reported changes, after the system has delivered them."""
    while (count := watcher.seen()) is None:
        pass
    return count


def test_earlier_edits_are_seen_at_once(plain_repo, watcher):
    for number in range(30):
        before = settled(watcher)
        (plain_repo / f"file{number % 3}.txt").write_text(f"{number}\n")
        assert settled(watcher) > before
    folder = plain_repo / "node_modules" / "one"
    before = settled(watcher)
    folder.mkdir(parents=True)
    assert settled(watcher) > before


def test_writes_of_git_and_muninn_are_no_edits_and_leave_no_file_of_the_watcher(plain_repo, watcher):
    before = settled(watcher)
    git(plain_repo, "branch", "side")
    (plain_repo / ".muninn" / "local").mkdir()
    (plain_repo / ".muninn" / "local" / "note").write_text("x")
    assert settled(watcher) == before
    assert [*(plain_repo / ".muninn" / "cache").iterdir()] == []


def test_without_a_writable_cache_the_watcher_reports_an_unknown_state(plain_repo, watcher):
    (plain_repo / ".muninn" / "cache").rmdir()
    assert watcher.seen() is None
    watcher.stop()
    assert watcher.seen() is None
