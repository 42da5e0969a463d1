"""Tasks: a repository, what happened in it before, a prompt, and a check that the agent never sees.

`bench/data/outcome.toml` has tasks whose solution depends on an earlier session. `bench.outcome.history` makes tasks
from the commits of a repository.
"""

from __future__ import annotations

import subprocess
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

DATA = Path(__file__).parents[1] / "data" / "outcome.toml"
KINDS = ("decision reuse", "failed path", "convention", "stale memory", "history")

PARTS = ("files", "earlier", "scripted")


@dataclass(frozen=True)
class Earlier:
    """Something that happened before: a session of the agent with a prompt, or a commit of a colleague.

    `runs` are the agent's shell commands, `answer` its last message. A colleague's `shell` runs outside of any session.
    """

    prompt: str = ""
    runs: tuple[str, ...] = ()
    answer: str = "Understood."
    shell: str = ""


@dataclass(frozen=True)
class Scripted:
    """How the scripted model solves a task: it does what it is told, and the usual thing where it is told nothing.

    `follows` and `misled` are regular expressions for what the model reads. If `follows` matches, it runs `right`, else
    if `misled` matches, it runs `wrong`, else `usual`.
    """

    follows: str = ""
    right: str = ""
    usual: str = ""
    misled: str = ""
    wrong: str = ""


@dataclass(frozen=True)
class Task:
    """A task. `check` is a shell command in the work tree that succeeds when the task is resolved.

    A task has its `files`, or it starts from `commit` of the repository `source`. `hidden` files are written after the
    agent has finished, before the check.
    """

    name: str
    kind: str
    prompt: str
    check: str
    scripted: Scripted
    files: dict[str, str] = field(default_factory=dict)
    hidden: dict[str, bytes] = field(default_factory=dict)
    earlier: tuple[Earlier, ...] = ()
    source: Path | None = None
    commit: str = ""
    setup: str = ""


def load(path: Path = DATA) -> list[Task]:
    """Read a file of tasks. A `check` in it is Python, run in the work tree. Raises ValueError for an unknown kind."""
    found = tomllib.loads(path.read_text("utf-8"))["task"]
    return [_task(each) for each in found]


def _task(row: dict[str, object]) -> Task:
    fields = {name: value for name, value in row.items() if name not in (*PARTS, "check")}
    if fields.get("kind") not in KINDS:
        raise ValueError(f"the task {fields.get('name')} has the kind {fields.get('kind')!r}, which is none of {KINDS}")
    earlier = row.get("earlier", [])
    assert isinstance(earlier, list)
    return Task(
        **fields,  # type: ignore[arg-type]
        files=dict(row["files"]),  # type: ignore[call-overload]
        earlier=tuple(Earlier(**{**each, "runs": tuple(each.get("runs", ()))}) for each in earlier),
        scripted=Scripted(**row["scripted"]),  # type: ignore[arg-type]
        hidden={"outcome_check.py": str(row["check"]).encode()},
        check="python3 outcome_check.py",
    )


def lay_out(task: Task, root: Path) -> None:
    """Make the repository of a task at `root`, which must not exist, with one branch and nothing after its commit."""
    root.mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    git(root, "config", "user.name", "Bench")
    git(root, "config", "user.email", "bench@localhost")
    if task.source is not None:
        git(root, "fetch", "-q", "--no-tags", str(task.source.resolve()), task.commit)
        git(root, "reset", "-q", "--hard", task.commit)
        (root / ".git" / "FETCH_HEAD").unlink(missing_ok=True)
        return
    for name, text in task.files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    commit(root, "Begin")


def commit(root: Path, title: str) -> None:
    """Commit all that changed, if anything did."""
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", title)


def git(root: Path, *arguments: str) -> str:
    """Run git in a repository and return its output."""
    command = ["git", "-c", "commit.gpgsign=false", "-c", "advice.detachedHead=false", "-C", str(root), *arguments]
    done = subprocess.run(command, check=True, capture_output=True, stdin=subprocess.DEVNULL)
    return done.stdout.decode("utf-8", "replace")
