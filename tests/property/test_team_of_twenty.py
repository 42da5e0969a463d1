"""Twenty developers, two hundred branches and random merges lose no memory."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from team import Clock, Tree, found_team, git, head_ids

from muninn_core.model.value import encode_json

DEVELOPERS = 20
BRANCHES = 200
FACTS = (
    "The build needs Node {}.",
    "Sessions must be stored in Redis {}.",
    "Sessions must not be stored in Redis {}.",
    "Quota {} is a token bucket a tenant.",
    "Worker {} restarts nightly because it leaks.",
    "Migration {} has to run before the new schema is read.",
)


class Office:
    """The developers' clones, and counts of their operations."""

    def __init__(self, folder: Path) -> None:
        found_team(folder)
        self.folder = folder
        self.chance = random.Random(20)
        self.clones = []
        for number in range(DEVELOPERS):
            name = f"dev-{number:02}"
            # The clones share the objects of the origin. Copying them to all took half of the test's time.
            git(folder, "clone", "-q", "--shared", "origin.git", name)
            clock = Clock(self.chance.choice([0, 0, 0, 0, -3, 5]), self.chance.randint(1, 5000))
            self.clones.append(Tree(folder / name, clock, number))
        self.acknowledged: set[str] = set()
        self.merges = self.reconciles = 0

    def work(self, number: int) -> None:
        """One branch of one developer: from somewhere, some memory, some merges, and often into main."""
        tree = self.chance.choice(self.clones)
        tree.git("fetch", "-q", "origin")
        published = tree.git("for-each-ref", "--format=%(refname:short)", "refs/remotes/origin").split()
        branches = [name for name in published if name.startswith("origin/") and name != "origin/HEAD"]
        start = "origin/main" if self.chance.random() < 0.5 else self.chance.choice(branches)
        tree.git("checkout", "-q", "-b", f"branch-{number:03}", start)
        tree.log.refresh()
        for step in range(self.chance.randint(1, 3)):
            self.remember(tree)
            tree.commit(f"Branch {number}, step {step}")
        if self.chance.random() < 0.5:
            self.merge(tree, self.chance.choice(branches))
        if self.chance.random() < 0.15:
            self.reconciles += 1
            tree.reconcile(archive=self.chance.random() < 0.3)
        tree.git("push", "-q", "origin", "HEAD")
        if self.chance.random() < 0.4:
            tree.git("checkout", "-q", "-B", "main", "origin/main")
            self.merge(tree, f"branch-{number:03}")
            tree.git("push", "-q", "origin", "main")

    def remember(self, tree: Tree) -> None:
        """Store a fact, or a change to one that is known, and seal it."""
        session = f"s-{self.chance.randrange(60)}"
        known = sorted(tree.log.state.memories)
        fact = self.chance.choice(FACTS).format(self.chance.randrange(30))
        self.acknowledged.add(tree.remember(fact, session))
        if known and self.chance.random() < 0.4:
            kind = self.chance.choice(["pin", "archive", "restore", "feedback", "update"])
            change = {"type": kind, "target": self.chance.choice(known), "useful": True, "set": {"tags": ["seen"]}}
            (record,) = tree.log.append([change], session)
            self.acknowledged.add(record.id)
        tree.log.seal()

    def merge(self, tree: Tree, name: str) -> None:
        """Merge, which must neither conflict nor lose a record."""
        both = head_ids(tree, "HEAD") | head_ids(tree, name)
        tree.git("merge", "-q", "--no-edit", name)
        assert both <= head_ids(tree, "HEAD")
        self.merges += 1
        tree.log.refresh()


@pytest.mark.slow
def test_no_record_is_lost_no_merge_conflicts_and_every_clone_has_the_same_state(tmp_path: Path) -> None:
    office = Office(tmp_path)
    for number in range(BRANCHES):
        office.work(number)
    last = office.clones[0]
    last.git("fetch", "-q", "origin")
    last.git("checkout", "-q", "-B", "main", "origin/main")
    for number in range(BRANCHES):
        last.git("merge", "-q", "--no-edit", f"origin/branch-{number:03}")
        office.merges += 1
    last.git("push", "-q", "origin", "main")
    states = set()
    for tree in office.clones:
        tree.git("fetch", "-q", "origin")
        tree.git("checkout", "-q", "-B", "main", "origin/main")
        tree.log.refresh()
        state = tree.log.state
        states.add(encode_json([dict(state.memories), state.disputes, state.unresolved]))
        assert office.acknowledged <= {record.id for record in tree.records()}
    assert len(states) == 1
    print(
        f"{DEVELOPERS} developers, {BRANCHES} branches, {office.merges} merges, {office.reconciles} reconciles: "
        f"{len(office.acknowledged)} records stored, 0 lost, 0 conflicts, {len(states)} state in {DEVELOPERS} clones"
    )
    assert office.merges > BRANCHES
    assert office.reconciles > 10
