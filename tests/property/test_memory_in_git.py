"""No git operation loses memory: random histories of real repositories, driven by hypothesis.

What must hold after every step, in every work tree:

- git refused nothing and met no conflict: every step's commands must succeed;
- the state that the log followed to is the one that a new process computes from the files;
- folding is independent of order and of duplicates;
- stored memories are in a work tree's files or in a commit; a merge has the memories of both sides.

The short profile runs the same histories each time. `MUNINN_PROPERTY_EXAMPLES=2000` runs that many random ones;
hypothesis prints the steps of the shortest failing one.
"""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from team import Clock, Tree, committed_ids, copy_team, found_team, head_ids

from muninn_core.model.value import replace
from muninn_core.reconcile.planning.plan import plan
from muninn_core.store.files.spool import list_spools
from muninn_core.store.folding.fold import fold

EXAMPLES = int(os.environ.get("MUNINN_PROPERTY_EXAMPLES", "0"))
_SHORT = 12
_STEPS = 22
_TEMPLATE: list[Path] = []

which = st.integers(min_value=0, max_value=7)
sessions = st.sampled_from(["s1", "s2", "s3"])
words = st.sampled_from(
    [
        "Sessions must be stored in Redis.",
        "Sessions must not be stored in Redis.",
        "We store the sessions in Redis.",
        "The build needs Node 20.",
        "Quotas are a token bucket a tenant.",
        "Never log e-mail addresses.",
    ]
)
kinds = st.sampled_from(
    [
        "update",
        "supersede",
        "link",
        "unlink",
        "pin",
        "unpin",
        "archive",
        "restore",
        "redact",
        "feedback",
        "approve",
        "reject",
    ]
)


def _template() -> Path:
    if not _TEMPLATE:
        folder = Path(tempfile.mkdtemp(prefix="mn-team-", dir="/tmp"))
        found_team(folder)
        _TEMPLATE.append(folder)
    return _TEMPLATE[0]


@pytest.fixture(scope="module", autouse=True)
def _tidy():
    yield
    while _TEMPLATE:
        shutil.rmtree(_TEMPLATE.pop())


class Team(RuleBasedStateMachine):
    """Two clones of one origin, each with at most one linked work tree."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="mn-team-", dir="/tmp"))
        self.acknowledged: set[str] = set()
        self.count = 0
        self.reverted = False

    @initialize(years=st.sampled_from([0, 0, -6, 9]))
    def found(self, years: int) -> None:
        copy_team(_template(), self.folder / "team")
        self.home = self.folder / "team"
        self.trees = [Tree(self.home / "a", Clock(0, 1), 1), Tree(self.home / "b", Clock(years, 700), 2)]

    def tree(self, number: int) -> Tree:
        return self.trees[number % len(self.trees)]

    def fresh(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def other_branch(self, tree: Tree, number: int) -> str | None:
        others = [name for name in tree.branches if name != tree.branch]
        return others[number % len(others)] if others else None

    def clean(self, tree: Tree) -> None:
        """Commit all changes, because some git commands refuse to run with uncommitted ones."""
        if tree.git("status", "--porcelain"):
            tree.commit(self.fresh("Clean "))

    # --- memory ---

    @rule(at=which, text=words, session=sessions)
    def remember(self, at: int, text: str, session: str) -> None:
        pending = {"pending": True} if at % 3 == 0 else {}
        words = f"{text} ({self.fresh('v')})" if at % 2 else text
        self.acknowledged.add(self.tree(at).remember(words, session, **pending))

    @rule(at=which, kind=kinds, session=sessions, one=which, two=which)
    def change(self, at: int, kind: str, session: str, one: int, two: int) -> None:
        tree = self.tree(at)
        known = sorted(tree.log.state.memories)
        if not known:
            return
        target, other = known[one % len(known)], known[two % len(known)]
        more = {
            "update": {"set": {"text": self.fresh("Reworded "), "tags": [kind]}},
            "supersede": {"by": other if two % 3 else None},
            "link": {"relation": ("supersedes", "extends", "contradicts")[two % 3], "to": other},
            "unlink": {"relation": "supersedes", "to": other},
            "feedback": {"useful": bool(two % 2)},
        }.get(kind, {})
        (record,) = tree.log.append([{"type": kind, "target": target, "actor": "user", **more}], session)
        self.acknowledged.add(record.id)

    @rule(at=which, texts=st.lists(words, min_size=1, max_size=3), session=sessions)
    def work(self, at: int, texts: list[str], session: str) -> None:
        """What most commits are: some memory, sealed, with the code."""
        tree = self.tree(at)
        for text in texts:
            self.acknowledged.add(tree.remember(text, session))
        tree.log.seal()
        tree.commit(self.fresh("Work "))

    @rule(at=which, session=st.one_of(st.none(), sessions))
    def seal(self, at: int, session: str | None) -> None:
        self.tree(at).log.seal(session)

    @rule(at=which, archive=st.booleans())
    def reconcile(self, at: int, archive: bool) -> None:
        tree = self.tree(at)
        self.clean(tree)
        before = {record.id for record in tree.records()}
        layout = tree.log.layout
        fresh = plan(replace(layout, cache=self.folder / self.fresh("cache-")))
        assert replace(fresh, layout=layout) == plan(layout), "the cache of comparisons changed the plan"
        tree.reconcile(archive=archive)
        assert before <= {record.id for record in tree.records()}, "reconciling dropped records"

    # --- git ---

    @rule(at=which, sealed=st.booleans())
    def commit(self, at: int, sealed: bool) -> None:
        tree = self.tree(at)
        if sealed:
            tree.log.seal()
        tree.commit(self.fresh("Change "))

    @rule(at=which)
    def branch(self, at: int) -> None:
        self.tree(at).git("checkout", "-q", "-b", self.fresh("branch-"))

    @rule(at=which, to=which)
    def checkout(self, at: int, to: int) -> None:
        tree = self.tree(at)
        name = self.other_branch(tree, to)
        if name:
            tree.git("checkout", "-q", name)

    @rule(at=which, what=which, how=st.sampled_from(["merge", "merge", "squash", "rebase", "cherry-pick"]))
    def bring_together(self, at: int, what: int, how: str) -> None:
        tree = self.tree(at)
        name = self.other_branch(tree, what)
        if not name:
            return
        self.clean(tree)
        both = head_ids(tree, "HEAD") | head_ids(tree, name)
        if how == "merge":
            tree.git("merge", "-q", "--no-edit", name)
        elif how == "squash":
            tree.git("merge", "-q", "--squash", name)
            tree.git("commit", "-q", "--allow-empty", "-m", "Squashed")
        elif how == "rebase":
            tree.git("rebase", "-q", name)
        else:
            mainline = ("-m", "1") if len(tree.git("rev-parse", f"{name}^@").split()) > 1 else ()
            tree.git("cherry-pick", "--allow-empty", "--keep-redundant-commits", *mainline, name)
            return
        if not self.reverted:
            assert both <= head_ids(tree, "HEAD"), f"{how} lost records"

    @rule(at=which)
    def revert(self, at: int) -> None:
        tree = self.tree(at)
        parents = tree.git("rev-parse", "HEAD^@").split()
        if not parents:
            return
        self.clean(tree)
        self.reverted = True
        mainline = ("-m", "1") if len(parents) > 1 else ()
        tree.git("revert", "--no-commit", *mainline, "HEAD")
        tree.git("commit", "-q", "--allow-empty", "-m", "Reverted")

    @rule(at=which, to=which, session=sessions)
    def stash(self, at: int, to: int, session: str) -> None:
        """Set all aside, go elsewhere, work, come back."""
        tree = self.tree(at)
        if not tree.git("status", "--porcelain"):
            return
        home, name = tree.branch, self.other_branch(tree, to)
        tree.git("stash", "push", "-q", "-u")
        tree.log.refresh()
        if name:
            tree.git("checkout", "-q", name)
            self.acknowledged.add(tree.remember("Seen while another thing was set aside.", session))
            tree.log.seal()
            tree.commit(self.fresh("Aside "))
            tree.git("checkout", "-q", home)
        tree.git("stash", "pop", "-q")

    @precondition(lambda self: len(self.trees) < 4)
    @rule(at=which)
    def add_worktree(self, at: int) -> None:
        clone = self.trees[at % 2]
        name = self.fresh("linked-")
        clone.git("worktree", "add", "-q", "-b", name, str(self.home / name))
        self.trees.append(Tree(self.home / name, Clock(0, 3), 10 + self.count))

    @precondition(lambda self: len(self.trees) > 2)
    @rule()
    def remove_worktree(self) -> None:
        tree = self.trees.pop()
        self.clean(tree)
        owner = Path(tree.git("rev-parse", "--path-format=absolute", "--git-common-dir").strip()).parent
        tree_root, clone = tree.root, next(one for one in self.trees if one.root == owner)
        clone.git("worktree", "remove", str(tree_root))
        clone.open()  # whoever comes next takes over what the removed one had not sealed

    @rule(at=st.integers(min_value=0, max_value=1))
    def exchange(self, at: int) -> None:
        """Pull and push the branch."""
        tree = self.trees[at]
        self.clean(tree)
        tree.git("fetch", "-q", "origin")
        name = tree.branch
        if tree.git("for-each-ref", f"refs/remotes/origin/{name}"):
            both = head_ids(tree, "HEAD") | head_ids(tree, f"origin/{name}")
            tree.git("merge", "-q", "--no-edit", f"origin/{name}")
            if not self.reverted:
                assert both <= head_ids(tree, "HEAD"), "pulling lost records"
        tree.git("push", "-q", "origin", f"HEAD:refs/heads/{name}")

    # --- accidents ---

    @rule(at=which, torn=st.booleans())
    def crash(self, at: int, torn: bool) -> None:
        """The process dies, perhaps in the midst of a write, and another one comes."""
        tree = self.tree(at)
        if torn:
            for path in list_spools(tree.layout).values():
                with path.open("ab") as file:
                    file.write(b'{"v":1,"id":"half')
        tree.open()

    @rule(at=which, number=which)
    def copy_a_segment_by_hand(self, at: int, number: int) -> None:
        tree = self.tree(at)
        segments = sorted(tree.layout.sessions.glob("*.jsonl"))
        if segments:
            chosen = segments[number % len(segments)]
            (chosen.with_name(f"{self.fresh('copy-')}.jsonl")).write_bytes(chosen.read_bytes() * 2)

    # --- what must hold ---

    @invariant()
    def the_followed_state_is_the_computed_one(self) -> None:
        for tree in getattr(self, "trees", ()):
            tree.log.refresh()
            anew = tree.state_anew()
            assert tree.log.state.memories == anew.memories
            assert tree.log.state.disputes == anew.disputes
            assert tree.log.state.unresolved == anew.unresolved

    def teardown(self) -> None:
        try:
            if hasattr(self, "trees"):
                self._check_the_end()
        finally:
            shutil.rmtree(self.folder)

    def _check_the_end(self) -> None:
        there: set[str] = set()
        for tree in self.trees:
            records = tree.records()
            there |= {record.id for record in records}
            mixed = records + records[::2]
            random.Random(7).shuffle(mixed)
            assert fold(mixed) == fold(records)
        lost = self.acknowledged - there - committed_ids(self.trees[0].root) - committed_ids(self.trees[1].root)
        assert not lost, f"{len(lost)} of {len(self.acknowledged)} records are nowhere any more"


TestTeam = pytest.mark.timeout(0)(Team.TestCase)
TestTeam.settings = settings(
    max_examples=EXAMPLES or _SHORT,
    stateful_step_count=_STEPS,
    deadline=None,
    derandomize=not EXAMPLES,
    database=None,
    print_blob=True,
    suppress_health_check=list(HealthCheck),
)
