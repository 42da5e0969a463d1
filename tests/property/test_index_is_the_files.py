"""The index after any history of git and memory is the index that is made from the files as they then are."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest
from repositories import git
from states import content

from muninn_core.launch.repository_location import locate

pytest_plugins = ["engines"]

STEPS = 25


class History:
    """A random walk of one work tree; its seed makes it the same again."""

    def __init__(self, muninn, seed: int) -> None:
        self.muninn = muninn
        self.root: Path = muninn.root
        self.chance = random.Random(seed)
        (self.root / ".muninn" / "config.yaml").write_text("review: {pending: [assistant]}\n")
        muninn.touch(".muninn/config.yaml")
        self.commit("Begin")

    def commit(self, message: str) -> None:
        git(self.root, "add", "-A")
        git(self.root, "commit", "-q", "--allow-empty", "-m", message)

    def remember(self, number: int) -> None:
        self.muninn.call("remember", text=f"Fact {number} of {self.chance.choice('abc')}.", session="s1")

    def forget(self, number: int) -> None:
        memories = self.muninn.call("memories").memories
        if memories:
            self.muninn.call("forget", id=self.chance.choice(memories).id)

    def propose(self, number: int) -> None:
        self.muninn.call("remember", text=f"Proposal {number} of {self.chance.choice('abc')}.", actor="assistant")

    def decide(self, number: int) -> None:
        waiting = self.muninn.call("memories", pending=True).memories
        if waiting:
            ids = [self.chance.choice(waiting).id]
            if number % 3:
                self.muninn.call("approve", ids=ids)
            else:
                self.muninn.call("reject", ids=ids, reason="No.")

    def seal_and_commit(self, number: int) -> None:
        self.muninn.call("seal")
        self.commit(f"Memory {number}")

    def reconcile(self, number: int) -> None:
        self.muninn.call("reconcile", archive=bool(number % 2))
        self.commit(f"Reconcile {number}")

    def edit(self, number: int) -> None:
        (self.root / "src" / f"part_{number}.py").write_text(f"def part_{number}():\n    return {number}\n")

    def remove(self, number: int) -> None:
        parts = sorted((self.root / "src").glob("part_*.py"))
        if parts:
            self.chance.choice(parts).unlink()

    def branch(self, number: int) -> None:
        self.commit(f"Before branch {number}")
        git(self.root, "checkout", "-q", "-b", f"branch-{number}")

    def switch(self, number: int) -> None:
        self.commit(f"Before switching {number}")
        names = git(self.root, "for-each-ref", "--format=%(refname:short)", "refs/heads").split()
        git(self.root, "checkout", "-q", self.chance.choice(names))

    def merge(self, number: int) -> None:
        self.commit(f"Before merging {number}")
        names = git(self.root, "for-each-ref", "--format=%(refname:short)", "refs/heads").split()
        git(self.root, "merge", "-q", "--no-edit", self.chance.choice(names))

    def step(self, number: int) -> None:
        steps = (self.remember, self.propose, self.decide, self.forget, self.seal_and_commit, self.reconcile)
        self.chance.choice((*steps, self.edit, self.remove, self.branch, self.switch, self.merge))(number)
        if self.chance.random() < 0.5:  # else the events of several steps come at once
            self.muninn.touch(".git/HEAD")


@pytest.mark.parametrize("seed", range(4))
def test_the_index_that_followed_equals_one_made_from_nothing(muninn, seed: int) -> None:
    history = History(muninn, seed)
    for number in range(STEPS):
        history.step(number)
    muninn.touch(".git/HEAD")
    followed = _content(muninn)
    muninn.call("index", rebuild=True)
    assert followed == _content(muninn)
    assert set(followed[1]) == {memory.id for memory in muninn.call("memories", limit=500).memories}


def test_a_cache_that_was_deleted_is_made_again_the_same(muninn, start) -> None:
    history = History(muninn, 9)
    for number in range(STEPS):
        history.step(number)
    muninn.touch(".git/HEAD")
    followed = _content(muninn)
    muninn.engine.close()
    shutil.rmtree(muninn.root / ".muninn" / "cache")
    assert _content(start(muninn.root, clock=muninn.clock)) == followed


def _content(muninn):
    muninn.call("index")
    updater = muninn.engine.open(locate(str(muninn.root))).updater
    assert updater.wait_memories(30)
    return content(updater.index)
