"""A team for the property tests: an origin, two clones and their work trees, with real git and real logs.

Git and the log are real. Only the clock and the random choices come from the test.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

from muninn_core.launch.repository_location import locate
from muninn_core.reconcile.planning.apply import reconcile
from muninn_core.store.files.layout import initialise, layout_of, prepare_memory
from muninn_core.store.files.lines import read_lines
from muninn_core.store.folding.fold import State
from muninn_core.store.log import Log, open_log
from muninn_core.store.records.ids import UlidGenerator
from muninn_core.store.records.record import Record
from muninn_core.worktree.local.private_layout import adopt_orphans, layout_at

MEMORY = ".muninn/memory"
_ENVIRON = {
    **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "t",
    "GIT_AUTHOR_EMAIL": "t@localhost",
    "GIT_COMMITTER_NAME": "t",
    "GIT_COMMITTER_EMAIL": "t@localhost",
    "GIT_EDITOR": "true",
}


class Refused(AssertionError):
    """Git refused or met a conflict."""


def git(root: Path, *arguments: str) -> str:
    """Run git and return its output. Raises Refused."""
    done = subprocess.run(
        ["git", *arguments], cwd=root, env=_ENVIRON, capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    if done.returncode != 0:
        raise Refused(f"git {' '.join(arguments)} in {root.name}:\n{done.stdout}{done.stderr}")
    return done.stdout


class Clock:
    """Time that passes with every look, differently in every clone; some clocks are years off."""

    def __init__(self, years_off: int, step_ms: int) -> None:
        self._now = datetime(2026 + years_off, 3, 1, tzinfo=UTC)
        self._step = timedelta(milliseconds=step_ms)

    def __call__(self) -> datetime:
        """Return the time; the next look sees a later one."""
        self._now += self._step
        return self._now


class Tree:
    """One work tree with its open log."""

    def __init__(self, root: Path, clock: Clock, seed: int) -> None:
        self.root = root
        self._clock = clock
        self._ids = UlidGenerator(clock, random.Random(seed).randbytes)
        self.log: Log
        self.open()

    def open(self) -> None:
        """Open the log, as a process does that comes after one that died."""
        location = locate(str(self.root))
        self.layout = layout_at(location)
        adopt_orphans(location, self.layout, [])
        self.log = open_log(self.layout, clock=self._clock, ids=self._ids)

    def git(self, *arguments: str) -> str:
        """Run git here."""
        return git(self.root, *arguments)

    @property
    def branch(self) -> str:
        """The branch that is checked out."""
        return self.git("symbolic-ref", "--short", "HEAD").strip()

    @property
    def branches(self) -> list[str]:
        """The local branches that no work tree has checked out."""
        lines = self.git("for-each-ref", "--format=%(refname:short) %(worktreepath)", "refs/heads").splitlines()
        return sorted(line.split(" ")[0] for line in lines if line.endswith(" "))

    def remember(self, text: str, session: str, **more: object) -> str:
        """Store a memory; return its id."""
        (record,) = self.log.append([{"type": "insight", "text": text, "actor": "user", **more}], session)
        return record.id

    def commit(self, message: str) -> None:
        """Commit all changes and a new, unique file. Code never conflicts, so Muninn's files cause every conflict."""
        name = f"code-{random.Random(message).getrandbits(40):x}.txt"
        (self.root / name).write_text(message + "\n")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)

    def reconcile(self, *, archive: bool) -> None:
        """Consolidate, and commit that."""
        reconcile(self.log, archive=archive)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "Reconcile")

    def records(self) -> list[Record]:
        """All records of the files on disk, read without a log."""
        found: list[Record] = []
        for folder in (self.layout.memory, self.layout.sessions, self.layout.spool):
            for path in sorted(folder.glob("*.jsonl")):
                found += read_lines(path.read_bytes(), path.name).records
        return found

    def state_anew(self) -> State:
        """The state that a new process computes."""
        return open_log(self.layout, clock=self._clock, ids=self._ids, writable=False).state


def found_team(folder: Path) -> None:
    """Make the bare origin and two clones with an initialised `.muninn`."""
    first = folder / "a"
    git(folder, "init", "-q", "--bare", "-b", "main", "origin.git")
    git(folder, "init", "-q", "-b", "main", "a")
    initialise(layout_of(first), "# defaults\n")
    prepare_memory(layout_of(first))
    (first / "README.md").write_text("A team.\n")
    git(first, "add", "-A")
    git(first, "commit", "-q", "-m", "Begin")
    git(first, "remote", "add", "origin", "../origin.git")
    git(first, "push", "-q", "-u", "origin", "main")
    git(folder, "clone", "-q", "origin.git", "b")
    git(folder / "b", "remote", "set-url", "origin", "../origin.git")


def copy_team(template: Path, folder: Path) -> None:
    """Copy a team that was founded: quicker than founding it again."""
    shutil.copytree(template, folder, symlinks=True)


def committed_ids(root: Path) -> set[str]:
    """The ids of all records in any commit that a branch, a tag, a remote branch or the stash reaches."""
    out = git(root, "rev-list", "--all", "--reflog", "--objects", "--no-object-names", "--filter=object:type=blob")
    return {record.id for record in read_lines(_contents(root, out), "all").records}


def head_ids(tree: Tree, revision: str) -> set[str]:
    """The ids of the records in the tree of a commit."""
    names = tree.git("ls-tree", "-r", "--name-only", revision, f"{MEMORY}/main.jsonl", f"{MEMORY}/sessions").split()
    wanted = "".join(f"{revision}:{name}\n" for name in names if name.endswith(".jsonl"))
    return {record.id for record in read_lines(_contents(tree.root, wanted), revision).records}


def _contents(root: Path, objects: str) -> bytes:
    """Return the contents of the objects that the lines name, each after git's line about it. One process reads all."""
    command = ["git", "cat-file", "--batch"]
    done = subprocess.run(command, cwd=root, env=_ENVIRON, input=objects.encode(), capture_output=True, check=True)
    assert b" missing\n" not in done.stdout
    return done.stdout
