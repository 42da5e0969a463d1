"""`python -m bench summaries`: how many facts of session summaries are true.

Each story is a session in a repository of its own: edits are made, commands are executed, and the transcript has their
real output. The labels say what git and the exit statuses show at the end. They were written before the summaries were
looked at.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from muninn_core import open_repository
from muninn_core.capture.sessions.command_outcome import command_name

Step = str | tuple[str, str]
"""A shell command, or (path, content) of an edit with the agent's tool."""


class Story(NamedTuple):
    """A session, and what is true at its end: changed files, subjects of commits, test runs, failing commands."""

    steps: tuple[Step, ...]
    changed: frozenset[str]
    commits: tuple[str, ...]
    tests: frozenset[str]
    failing: frozenset[str]

    @property
    def facts(self) -> int:
        """The number of facts."""
        return len(self.changed) + len(self.commits) + len(self.tests) + len(self.failing)


class Told(NamedTuple):
    """How many facts summaries tell, how many of these are true, how many there are, and the false ones."""

    told: int = 0
    true: int = 0
    there: int = 0
    false: tuple[str, ...] = ()

    def __add__(self, other: object) -> Told:
        assert isinstance(other, Told)
        return Told(
            self.told + other.told, self.true + other.true, self.there + other.there, (*self.false, *other.false)
        )


def story(
    *steps: Step,
    changed: str = "",
    commits: Sequence[str] = (),
    tests: Sequence[str] = (),
    failing: Sequence[str] = (),
) -> Story:
    """Return a story. `changed` are paths, separated by spaces."""
    return Story(steps, frozenset(changed.split()), tuple(commits), frozenset(tests), frozenset(failing))


COMMIT = "git add -A && git commit -qm '{}' && git log -1 --format='[main %h] %s'"
A, B = "src/a.py", "src/b.py"

STORIES = {
    "an edit": story((A, "x = 2\n"), changed=A),
    "an edit and a commit": story((A, "x = 2\n"), "git commit -am 'Double x'", changed=A, commits=["Double x"]),
    "an edit that was taken back": story((A, "x = 2\n"), (B, "y = 3\n"), f"git checkout -- {A}", changed=B),
    "an edit that was restored": story((A, "x = 2\n"), f"git restore {A}"),
    "an edit that was edited back": story((A, "x = 2\n"), (A, "x = 1\n"), (B, "y = 3\n"), changed=B),
    "all reset": story((A, "x = 2\n"), "git reset --hard"),
    "a new file that was removed": story(("src/c.py", "z = 1\n"), (B, "y = 3\n"), "rm src/c.py", changed=B),
    "a new file": story(("src/c.py", "z = 1\n"), changed="src/c.py"),
    "an ignored file": story(("build/out.txt", "made\n"), changed="build/out.txt"),
    "sed": story(f"sed -i 's/1/5/' {A}", changed=A),
    "sed without effect": story(f"sed -i 's/nothing/5/' {A}", (B, "y = 3\n"), changed=B),
    "a file written by the shell": story("echo 'q = 1' > src/q.py", changed="src/q.py"),
    "a moved file": story("git mv src/a.py src/moved.py", changed="src/a.py src/moved.py"),
    "a deleted file": story("git rm -q src/b.py", changed="src/b.py"),
    "stashed": story((A, "x = 2\n"), (B, "y = 3\n"), f"git stash push -q {A}", changed=B),
    "stashed and back": story((A, "x = 2\n"), "git stash -q", "git stash pop -q", changed=A),
    "an amended commit": story(
        (A, "x = 2\n"), "git commit -am 'Double x'", "git commit --amend -m 'Double x again'",
        changed=A, commits=["Double x again"],
    ),
    "a commit that was reset": story(
        (A, "x = 2\n"), "git commit -am 'Double x'", "git reset -q --hard HEAD~1", (B, "y = 3\n"), changed=B
    ),
    "a commit that was reset softly": story(
        (A, "x = 2\n"), "git commit -am 'Double x'", "git reset -q --soft HEAD~1", changed=A
    ),
    "a commit that a hook refused": story(
        (A, "x = 2\n"), "printf '#!/bin/sh\\nexit 1\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit",
        "git commit -am 'Double x'", changed=A, failing=["git commit -am 'Double x'"],
    ),
    "a dry run": story((A, "x = 2\n"), "git commit -a --dry-run -m 'Double x'", changed=A),
    "nothing to commit": story((A, "x = 2\n"), f"git checkout -q -- {A}", "git commit -am 'Double x' || true"),
    "a commit in another repository": story(
        (A, "x = 2\n"), "mkdir -p ../other && cd ../other && git init -q && git commit --allow-empty -m 'Elsewhere'",
        changed=A,
    ),
    "a commit on another branch": story(
        "git switch -qc fix", (A, "x = 2\n"), "git commit -am 'Double x'", "git switch -q -",
        changed=A, commits=["Double x"],
    ),
    "a rebased commit": story(
        "git switch -qc fix", (A, "x = 2\n"), "git commit -am 'Double x'", "git switch -q -", (B, "y = 3\n"),
        "git commit -am 'Triple y'", "git switch -q fix", "git rebase -q -",
        changed=f"{A} {B}", commits=["Double x", "Triple y"],
    ),
    "a commit with little output": story((A, "x = 2\n"), COMMIT.format("Double x"), changed=A, commits=["Double x"]),
    "a quiet commit": story((A, "x = 2\n"), "git commit -qam 'Double x'", changed=A, commits=["Double x"]),
    "tests pass": story((A, "x = 2\n"), "./pytest -q", changed=A, tests=["`./pytest -q` passed"]),
    "tests fail": story(
        (A, "BUG\n"), "./pytest -q", changed=A, tests=["`./pytest -q` failed"], failing=["./pytest -q"]
    ),
    "tests fail behind a pipe": story(
        (A, "BUG\n"), "./pytest -q 2>&1 | tail -5", changed=A, tests=["`./pytest -q` failed"], failing=["./pytest -q"]
    ),
    "tests fail and pass": story(
        (A, "BUG\n"), "./pytest -q", (A, "x = 3\n"), "./pytest -q",
        changed=A, tests=["`./pytest -q` passed (1 of 2 runs failed)"],
    ),
    "tests fail, then pass with another filter": story(
        (A, "BUG\n"), "./pytest -q | head -3", (A, "x = 3\n"), "./pytest -q | tail -1",
        changed=A, tests=["`./pytest -q` passed (1 of 2 runs failed)"],
    ),
    "tests whose result is hidden": story(
        (A, "BUG\n"), "./pytest -q > /dev/null || true", changed=A,
        tests=["`./pytest -q` ran, with an unknown result"],
    ),
    "one folder fails, the other passes": story(
        ("app/src/c.py", "BUG\n"), "cd app && ../pytest -q", "cd docs && ../pytest -q", changed="app/src/c.py",
        tests=["`cd app && ../pytest -q` failed", "`cd docs && ../pytest -q` passed"],
        failing=["cd app && ../pytest -q"],
    ),
    "a command fails to the end": story((A, "x = 2\n"), "make wind", changed=A, failing=["make wind"]),
    "a command fails and passes": story(
        "make wind", ("Makefile", "wind:\n\t@echo ok\n"), "make wind", changed="Makefile"
    ),
    "a command fails and a longer one passes": story(
        "make wind", ("Makefile", "wind:\n\t@echo ok\n"), "make wind && echo done", changed="Makefile"
    ),
    "another target passes": story(
        ("Makefile", "rain:\n\t@echo ok\n"), "make wind", "make rain", changed="Makefile", failing=["make wind"]
    ),
    "a grep that finds nothing": story((A, "x = 2\n"), "grep -r nothing src", changed=A),
    "a check of a difference": story((A, "x = 2\n"), "git diff --exit-code", changed=A),
    "a test of a file": story((A, "x = 2\n"), "test -f nothing", changed=A),
}  # fmt: skip

LATER = {
    "a merge": story(
        "git switch -qc fix", (A, "x = 2\n"), "git commit -am 'Double x'", "git switch -q -",
        "git merge --no-ff -m Join fix", changed=A, commits=["Double x", "Join"],
    ),
    "a cherry-pick": story(
        "git switch -qc fix", (A, "x = 2\n"), "git commit -am 'Double x'", "git switch -q -", "git branch wip",
        "git cherry-pick fix", "git branch -qD fix",
        changed=A, commits=["Double x"],
    ),
    "a commit that was reverted": story(
        (A, "x = 2\n"), "git commit -am 'Double x'", "git revert --no-edit HEAD",
        changed=A, commits=["Double x", 'Revert "Double x"'],
    ),
    "a fixup": story(
        (A, "x = 2\n"), "git commit -am 'Double x'", (A, "x = 3\n"), "git commit -a --fixup HEAD",
        "GIT_SEQUENCE_EDITOR=true git rebase -q -i --autosquash HEAD~2",
        changed=A, commits=["Double x"],
    ),
    "a part of the files": story(
        (A, "x = 2\n"), (B, "y = 3\n"), f"git commit -m 'Only x' {A}", f"git restore {B}", changed=A, commits=["Only x"]
    ),
    "a discarded branch": story(
        "git switch -qc try", (A, "x = 2\n"), "git commit -am 'Try x'", "git switch -q -", "git branch -D try",
        (B, "y = 3\n"), changed=B,
    ),
    "tee": story("echo 'q = 1' | tee src/q.py", changed="src/q.py"),
    "a script that writes": story("python3 -c \"open('src/q.py', 'w').write('q')\"", changed="src/q.py"),
    "a script that cleans up": story("python3 -c \"open('q', 'w').write('q')\"; rm q", (A, "x = 2\n"), changed=A),
    "clean": story(("src/q.py", "q = 1\n"), (A, "x = 2\n"), "git clean -fdq src", changed=A),
    "a copied file": story("cp src/a.py src/a2.py", changed="src/a2.py"),
    "tests by make": story(
        ("Makefile", "test:\n\t./pytest -q\n"), "make test", changed="Makefile", tests=["`make test` passed"]
    ),
    "tests by make fail": story(
        ("Makefile", "test:\n\t./pytest -q\n"), (A, "BUG\n"), "make test 2>&1 | tail -3",
        changed=f"Makefile {A}", tests=["`make test` failed"], failing=["make test"],
    ),
    "tests and a commit in one command": story(
        (A, "x = 2\n"), "./pytest -q && git commit -am 'Double x'",
        changed=A, commits=["Double x"], tests=["`./pytest -q && git commit -am 'Double x'` passed"],
    ),
    "a failed test keeps the commit back": story(
        (A, "BUG\n"), "./pytest -q && git commit -am 'Break x'",
        changed=A, tests=["`./pytest -q && git commit -am 'Break x'` failed"],
        failing=["./pytest -q && git commit -am 'Break x'"],
    ),
    "a typing error": story((A, "x = 2\n"), "pyhton -V", "python3 -V", changed=A, failing=["pyhton -V"]),
    "tests of one file, then of all": story(
        (A, "BUG\n"), "./pytest -q tests/one.py", (A, "x = 3\n"), "./pytest -q",
        changed=A, tests=["`./pytest -q tests/one.py` failed", "`./pytest -q` passed"],
    ),
    "all tests, then one file": story(
        (A, "BUG\n"), "./pytest", "rm -r src", "mkdir src", "./pytest tests/one.py",
        changed=f"{A} {B}", tests=["`./pytest` failed", "`./pytest tests/one.py` passed"], failing=["./pytest"],
    ),
}  # fmt: skip
"""Stories that were labelled after the rules had been changed for those above."""


RUNNER = """\
#!/bin/sh
# Stands for a test runner: it fails while a source has the word BUG.
if grep -rq BUG src app 2>/dev/null; then echo "E   AssertionError: sums differ"; echo "1 failed, 2 passed"; exit 1; fi
echo "3 passed in 0.01s"
"""

FILES = {A: "x = 1\n", B: "y = 1\n", "docs/a.md": "# A\n", ".gitignore": "build/\n", "pytest": RUNNER}
"""The repository at the start of each story."""


def prepare(root: Path) -> None:
    """Make the repository of a story in an existing git repository."""
    for path, text in FILES.items():
        _write(root / path, text)
    (root / "pytest").chmod(0o755)
    _git(root, "add", "-A")
    _git(root, "commit", "-qm", "Base")


def told(root: Path, call: Callable[..., Any], name: str, one: Story) -> Told:
    """Play a story in a prepared repository, and compare the summary of its session. `call` runs a verb."""
    call("brief", session="story")
    path = root.parent / "story.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in _play(root, one)))
    call("capture", source="session", session="story", transcript=str(path), agent="claude-code")
    log = _git(root, "log", "--all", "--format=%h %s").splitlines()
    memories = call("memories", session="story").memories
    said = [fact for memory in memories if memory.type == "session_summary" for fact in facts(memory.text)]
    false = [f"{name}: {kind} {fact}" for kind, fact in said if not is_true(kind, fact, one, log)]
    return Told(len(said), len(said) - len(false), one.facts, tuple(false))


def facts(text: str) -> list[tuple[str, str]]:
    """Return the facts of a summary, each with its kind."""
    found = []
    for part in re.split(r" (?=Changed |Committed |Tests: |Failed to the end: )", text)[1:]:
        kind, _, listed = part.removesuffix(".").partition(" " if part.startswith("C") else ": ")
        found += [(kind, each) for each in listed.split("; " if kind == "Tests" else ", ")]
    return found


def is_true(kind: str, fact: str, one: Story, log: Iterable[str]) -> bool:
    """Whether a fact is one of a story. `log` are the short ids and subjects of all commits that branches have."""
    if kind == "Changed":
        return fact in one.changed
    if kind == "Committed":
        return fact.partition(" ")[2] in one.commits and fact in log
    if kind == "Tests":
        return fact in one.tests
    return command_name(fact.strip("`")) in {command_name(each) for each in one.failing}


def _play(root: Path, one: Story) -> Iterable[dict[str, Any]]:
    """Run a story, and yield the lines of its transcript in the form of Claude Code 2.1."""
    for number, step in enumerate(one.steps):
        output, status = "done", 0
        if isinstance(step, tuple):
            _write(root / step[0], step[1])
            used = {"name": "Edit", "input": {"file_path": str(root / step[0])}}
        else:
            used = {"name": "Bash", "input": {"command": step}}
            done = subprocess.run(["bash", "-c", step], cwd=root, capture_output=True, text=True, check=False)
            output, status = (done.stdout + done.stderr).rstrip("\n"), done.returncode
        if status:
            output = f"Exit code {status}\n{output}"
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": output, "is_error": bool(status)}
        for role, block in (("assistant", {"type": "tool_use", "id": f"t{number}", **used}), ("user", result)):
            yield {
                "type": role,
                "message": {"role": role, "content": [block]},
                "timestamp": f"2026-02-03T10:{number:02}:00.000Z",
                "cwd": str(root),
                "sessionId": "story",
                "version": "2.1.330",
            }


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _git(root: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True, text=True).stdout


def main(_arguments: Sequence[str]) -> int:
    """Tell all stories and print the figures."""
    for title, stories in (("first stories", STORIES), ("later stories", LATER)):
        total = sum((_alone(name, one) for name, one in stories.items()), Told())
        shares = f"{total.true} of {total.told} told facts are true, {total.true} of {total.there} are told"
        print(f"{title}, {len(stories)} sessions: {shares}")
        print(*(f"false: {each}" for each in total.false), sep="\n")
    return 0


def _alone(name: str, one: Story) -> Told:
    """Tell a story in a repository of its own."""
    with tempfile.TemporaryDirectory(prefix="mnb-", dir="/tmp") as folder:
        root = Path(folder) / "repository"
        _git(Path(folder), "init", "-q", "-b", "main", str(root))
        for key, value in (("user.name", "Bench"), ("user.email", "bench@localhost")):
            _git(root, "config", key, value)
        prepare(root)
        with open_repository(root, environ={"MUNINN_RUNTIME_DIR": folder, "XDG_DATA_HOME": folder}) as repository:
            repository.init()
            return told(root, repository.call, name, one)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
