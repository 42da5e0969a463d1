"""Random histories of two clones and their work trees, with live daemons and every command of git that moves commits.

Code never conflicts here, because each file is written once. So a conflict, a refused checkout or a failed command is
one that memory causes. An octopus merge may conflict: git's merge strategy for it ignores `merge=union`.
"""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from property.team import Refused, committed_ids, copy_team, found_team, git

from muninn_core import client
from muninn_core.errors import MuninnError
from torture.campaign import Limit, Outcome, Site, sentence, site
from torture.ledger import records_of
from torture.nursery import nursery

STEPS = 40
QUERIES = ("sessions in redis", "display name of a user", "what was decided", "token bucket quota")
OF_ONE_CLONE = ("saw", "next")
"""Fields that describe the clone: what it saw, which includes unsealed memory, and its name of the next page."""


def run(seed: int, limit: Limit) -> Outcome:
    """Play histories until the limit; a unit of the count is a history."""
    outcome = Outcome()
    done = 0
    with nursery() as forks, site("histories") as place:
        place.environ.update(forks.environ(place.environ))
        template = place.folder / "template"
        template.mkdir()
        found_team(template)
        while not limit.reached(done):
            folder = place.folder / f"history-{done}"
            copy_team(template, folder)
            history = History(place, folder, random.Random(f"{seed}-{done}"), outcome)
            try:
                history.play()
            except (Refused, MuninnError, OSError) as error:
                outcome.violations.append(f"history {done} of seed {seed}: {type(error).__name__}: {error}")
            finally:
                place.close()
                shutil.rmtree(folder)
            done += 1
            outcome.figures["histories"] = done
    return outcome


class History:
    """Two clones of one origin, each with a daemon and at most one linked work tree."""

    def __init__(self, place: Site, folder: Path, chance: random.Random, outcome: Outcome) -> None:
        self._site = place
        self._folder = folder
        self._chance = chance
        self._outcome = outcome
        self._clones = [place.adopt(folder / name) for name in "ab"]
        self._trees = list(self._clones)
        self._acknowledged: dict[str, str] = {}
        self._count = 0

    def play(self) -> None:
        """Take random steps, then bring both clones to one commit and compare."""
        for clone in self._clones:
            self._call(clone, "status")
        for _ in range(STEPS):
            step = self._chance.choice(STEPS_OF_A_TEAM)
            self._outcome.figures["steps"] += 1
            step(self, self._chance.choice(self._trees))
        self._meet()
        self._check_nothing_lost()
        self._check_answers()

    # --- memory ---

    def _call(self, tree: Path, verb: str, **params: Any) -> dict[str, Any]:
        return client.call(str(tree), self._site.environ, verb, params, repeatable=verb in ("status", "memories"))

    def _fresh(self, stem: str) -> str:
        self._count += 1
        return f"{stem}-{self._count}"

    def _remember(self, tree: Path) -> str:
        text = sentence(self._chance, self._fresh("fact"))
        answer = self._call(tree, "remember", text=text, session=self._chance.choice(("s1", "s2")))
        self._acknowledged[answer["ids"][0]] = tree.name
        self._outcome.figures["memories acknowledged"] += 1
        return str(answer["ids"][0])

    def _change(self, tree: Path) -> None:
        known = self._call(tree, "memories", limit=100)["memories"]
        if known:
            target = self._chance.choice(known)["id"]
            verb, more = self._chance.choice(
                [
                    ("update", {"text": sentence(self._chance, self._fresh("new"))}),
                    ("forget", {}),
                    ("update", {"pin": True}),
                ]
            )
            self._call(tree, verb, id=target, session="s3", **more)

    def _seal(self, tree: Path) -> None:
        self._call(tree, "seal")

    def _reconcile(self, tree: Path) -> None:
        self._commit(tree)
        self._call(tree, "reconcile", archive=self._chance.random() < 0.3)
        self._commit(tree)

    # --- git ---

    def _git(self, tree: Path, *arguments: str) -> str:
        self._outcome.figures["git commands"] += 1
        return git(tree, *arguments)

    def _write_code(self, tree: Path) -> None:
        name = self._fresh("module")
        (tree / f"{name}-{tree.name}.py").write_text(f"def {name.replace('-', '_')}():\n    return {self._count}\n")

    def _commit(self, tree: Path) -> None:
        self._write_code(tree)
        self._git(tree, "add", "-A")
        self._git(tree, "commit", "-q", "-m", self._fresh("Change"))

    def _work(self, tree: Path) -> None:
        """What most commits are: code, and the memory of it."""
        self._remember(tree)
        self._seal(tree)
        self._commit(tree)

    def _clean_up(self, tree: Path) -> None:
        """Git wants no uncommitted changes for some commands."""
        if self._git(tree, "status", "--porcelain"):
            self._commit(tree)

    def _others(self, tree: Path, number: int) -> list[str]:
        """Return so many branches, at most, that no work tree has checked out."""
        lines = self._git(tree, "for-each-ref", "--format=%(refname:short) %(worktreepath)", "refs/heads").splitlines()
        names = sorted(line.strip() for line in lines if line.endswith(" "))
        return self._chance.sample(names, min(number, len(names)))

    def _is_first(self, tree: Path) -> bool:
        """Whether HEAD is the first commit. Without it the branches would have nothing in common."""
        return self._git(tree, "rev-list", "--count", "HEAD").strip() == "1"

    def _amend(self, tree: Path) -> None:
        self._clean_up(tree)
        if self._is_first(tree):
            return
        self._remember(tree)
        self._seal(tree)
        self._git(tree, "add", "-A")
        self._git(tree, "commit", "-q", "--amend", "--no-edit")

    def _branch(self, tree: Path) -> None:
        self._git(tree, "switch", "-q", "-c", f"{self._fresh('branch')}-{tree.name}")

    def _switch(self, tree: Path) -> None:
        for name in self._others(tree, 1):
            self._clean_up(tree)
            self._git(tree, "switch", "-q", name)

    def _merge(self, tree: Path) -> None:
        for name in self._others(tree, 1):
            self._clean_up(tree)
            self._git(tree, "merge", "-q", "--no-edit", name)

    def _merge_octopus(self, tree: Path) -> None:
        names = self._others(tree, 3)
        if len(names) < 2:
            return
        self._clean_up(tree)
        self._outcome.figures["octopus merges"] += 1
        try:
            self._git(tree, "merge", "-q", "--no-edit", *names)
        except Refused:
            self._outcome.figures["octopus merges with a conflict"] += 1
            self._git(tree, "reset", "-q", "--hard")

    def _rebase(self, tree: Path) -> None:
        for name in self._others(tree, 1):
            self._clean_up(tree)
            self._git(tree, "rebase", "-q", name)

    def _cherry_pick(self, tree: Path) -> None:
        for name in self._others(tree, 1):
            self._clean_up(tree)
            mainline = ("-m", "1") if len(self._git(tree, "rev-parse", f"{name}^@").split()) > 1 else ()
            self._git(tree, "cherry-pick", "--allow-empty", "--keep-redundant-commits", *mainline, name)

    def _stash(self, tree: Path) -> None:
        self._write_code(tree)
        self._remember(tree)
        if self._chance.random() < 0.5:
            self._seal(tree)
        self._git(tree, "stash", "push", "-q", "-u")
        self._remember(tree)
        self._git(tree, "stash", "pop", "-q")

    def _reset(self, tree: Path) -> None:
        """Take back the last commit. What only it has stays in git's reflog, as a user expects."""
        self._clean_up(tree)
        if not self._is_first(tree):
            self._git(tree, "reset", "-q", self._chance.choice(("--soft", "--mixed", "--hard")), "HEAD~1")

    def _git_clean(self, tree: Path) -> None:
        """Remove untracked files. Memory that is not sealed is in ignored files, which stay."""
        self._clean_up(tree)
        self._remember(tree)
        (tree / "untracked.tmp").write_text("x")
        self._git(tree, "clean", "-q", "-f", "-d")

    def _gc(self, tree: Path) -> None:
        self._git(tree, "gc", "-q", "--prune=now")

    def _add_work_tree(self, tree: Path) -> None:
        if len(self._trees) < 4:
            path = self._folder / self._fresh("linked")
            self._git(tree, "worktree", "add", "-q", "-b", path.name, str(path))
            self._trees.append(path)
            self._remember(path)

    def _remove_work_tree(self, _tree: Path) -> None:
        linked = self._trees[2:]
        if linked:
            tree = self._chance.choice(linked)
            self._clean_up(tree)
            unsealed = self._remember(tree)
            owner = Path(git(tree, "rev-parse", "--path-format=absolute", "--git-common-dir").strip()).parent
            self._trees.remove(tree)
            self._git(owner, "worktree", "remove", str(tree))
            self._outcome.figures["work trees removed"] += 1
            self._outcome.expect(not tree.exists(), f"git worktree remove left {list(tree.rglob('*'))[:3]}")
            known = {memory["id"] for memory in self._call(owner, "memories", limit=500)["memories"]}
            self._outcome.expect(unsealed in known, f"{unsealed} of the removed work tree is not visible in the clone")

    def _exchange(self, tree: Path) -> None:
        """Pull and push the branch."""
        self._clean_up(tree)
        self._git(tree, "fetch", "-q", "origin")
        name = self._git(tree, "branch", "--show-current").strip()
        if self._git(tree, "for-each-ref", f"refs/remotes/origin/{name}"):
            self._git(tree, "merge", "-q", "--no-edit", f"origin/{name}")
        self._git(tree, "push", "-q", "origin", f"HEAD:refs/heads/{name}")

    # --- the end ---

    def _meet(self) -> None:
        """Bring both clones to the same commit, with all sealed memory in it."""
        for tree in self._trees:
            self._seal(tree)
            self._clean_up(tree)
        for tree in self._trees[2:]:
            owner = self._clones[0] if self._is_of(tree, self._clones[0]) else self._clones[1]
            self._git(owner, "merge", "-q", "--no-edit", self._git(tree, "branch", "--show-current").strip())
        for clone in self._clones:
            self._git(clone, "push", "-q", "origin", f"HEAD:refs/heads/end-{clone.name}")
        first, second = self._clones
        self._git(first, "fetch", "-q", "origin")
        self._git(first, "merge", "-q", "--no-edit", "origin/end-b")
        self._git(first, "push", "-q", "origin", "HEAD:refs/heads/end")
        self._git(second, "fetch", "-q", "origin")
        self._git(second, "switch", "-q", "-c", "end", "origin/end")
        self._git(first, "switch", "-q", "-c", "end")

    def _is_of(self, tree: Path, clone: Path) -> bool:
        return (clone / ".git").samefile(git(tree, "rev-parse", "--path-format=absolute", "--git-common-dir").strip())

    def _check_nothing_lost(self) -> None:
        there = {record.id for tree in self._trees for record in records_of(tree)}
        there |= committed_ids(self._clones[0]) | committed_ids(self._clones[1])
        lost = self._acknowledged.keys() - there
        self._outcome.figures["memories lost"] += len(lost)
        for identity in sorted(lost):
            self._outcome.violations.append(f"lost: {identity}, stored in {self._acknowledged[identity]}")

    def _answers(self, verb: str, params: dict[str, Any]) -> list[str]:
        """Return what both clones answer, without what differs between machines."""
        return [_comparable(self._call(clone, verb, **params), clone) for clone in self._clones]

    def _check_answers(self) -> None:
        """Both clones are at one commit, so they answer with the same bytes."""
        for clone in self._clones:
            status = self._call(clone, "status")
            self._outcome.expect(not status["problems"], f"{clone.name} reports {status['problems']}")
            self._call(clone, "index")
        for verb, params in (
            *(("recall", {"query": query, "limit": 10}) for query in QUERIES),
            ("memories", {"limit": 500}),
            ("memories", {"limit": 500, "archived": True}),
            ("conflicts", {}),
            ("symbols", {"query": "module", "limit": 20}),
        ):
            first, second = self._answers(verb, params)
            if first != second:  # recency depends on the moment, and something may have suspended one of the daemons
                first, second = self._answers(verb, params)
            self._outcome.figures["answers compared between clones"] += 1
            self._outcome.expect(first == second, f"{verb} {params} differs: {_difference(first, second)}")


def _comparable(answer: Any, clone: Path) -> str:
    """Return an answer as text, without what describes one clone."""

    def strip(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: strip(inner) for name, inner in value.items() if name not in OF_ONE_CLONE}
        if isinstance(value, list):
            return [strip(inner) for inner in value]
        return value

    return json.dumps(strip(answer), sort_keys=True).replace(str(clone), "ROOT")


def _difference(first: str, second: str) -> str:
    at = next((i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second)))
    return f"…{first[max(0, at - 60) : at + 40]}… and …{second[max(0, at - 60) : at + 40]}…"


STEPS_OF_A_TEAM: tuple[Callable[[History, Path], object], ...] = (
    *[History._work, History._remember] * 3,
    History._change,
    History._change,
    History._seal,
    History._reconcile,
    History._commit,
    History._amend,
    History._branch,
    History._branch,
    History._switch,
    History._merge,
    History._merge,
    History._merge_octopus,
    History._rebase,
    History._cherry_pick,
    History._stash,
    History._reset,
    History._git_clean,
    History._gc,
    History._add_work_tree,
    History._remove_work_tree,
    History._exchange,
)
