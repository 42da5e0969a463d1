"""Tasks from a repository's history: commits that change code and tests, whose tests fail without the code.

The prompt is the commit's message. The check runs the changed test files as the commit has them.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from bench.outcome.tasks import Scripted, Task, git, lay_out
from bench.quality.questions import is_code

MAX_FILES = 20
"""A commit of more files is a sweep and no task."""

PROMPT = """\
Make this change in the repository. Tests that you don't see will check it. Don't commit.

{message}"""

_TEST = re.compile(r"(?:^|/)(?:tests?|specs?|__tests__)/|(?:^|/)test_[^/]+$|[._-](?:test|spec)\.[^/]+$|_test\.[^/]+$")


def is_test(path: str) -> bool:
    """Whether a path is that of a test, by the names of its folders and its file."""
    return bool(_TEST.search(path))


def tasks(source: Path, commits: int, test: str, setup: str = "") -> Iterator[Task]:
    """Yield the tasks of the newest `commits` commits of a repository, the newest first.

    `test` is a shell command; `{files}` in it stands for the test files. `setup` prepares a copy for it.
    """
    shas = git(source, "rev-list", "--first-parent", "--no-merges", f"--max-count={commits}", "HEAD").split()
    for sha in shas:
        task = _task(source, sha, test, setup)
        if task is not None and _is_sound(task):
            yield task


def _task(source: Path, sha: str, test: str, setup: str) -> Task | None:
    """Return a commit as a task, if it changes code and tests."""
    message, parents = git(source, "show", "-s", "--format=%B%x00%P", sha).rstrip("\n").split("\0")
    fields = git(source, "diff", "--name-status", "--no-renames", "-z", f"{sha}^", sha).split("\0") if parents else []
    changes = list(zip(fields[1::2], fields[::2], strict=False))
    tests = [path for path, status in changes if status in "AM" and is_test(path) and is_code(path)]
    code = [path for path, _ in changes if not is_test(path) and is_code(path)]
    if not (tests and code) or len(changes) > MAX_FILES:
        return None
    helpers = [path for path, status in changes if status in "AM" and is_test(path)]
    patch = git(source, "diff", "--binary", f"{sha}^", sha, "--", *(path for path, _ in changes if not is_test(path)))
    return Task(
        name=f"{source.resolve().name}-{sha[:10]}",
        kind="history",
        prompt=PROMPT.format(message=message.strip()),
        check=test.replace("{files}", " ".join(tests)),
        scripted=Scripted(usual=f"git apply <<'END_OF_PATCH'\n{patch}\nEND_OF_PATCH"),
        hidden={path: _blob(source, sha, path) for path in helpers},
        source=source,
        commit=parents.split()[0],
        setup=setup,
    )


def _is_sound(task: Task) -> bool:
    """Whether the check fails without the commit's code and succeeds with it."""
    with tempfile.TemporaryDirectory(prefix="muninn-outcome-") as folder:
        root = Path(folder) / "repository"
        lay_out(task, root)
        if task.setup and not succeeds(task.setup, root):
            raise ValueError(f"{task.setup!r} fails at {task.commit}")
        return not is_resolved(task, root) and succeeds(task.scripted.usual, root) and is_resolved(task, root)


def is_resolved(task: Task, root: Path) -> bool:
    """Write the hidden files and run the check; the hidden files are then removed or as they were."""
    before = {name: (root / name).read_bytes() if (root / name).exists() else None for name in task.hidden}
    _write(root, task.hidden)
    try:
        return succeeds(task.check, root)
    finally:
        _write(root, before)


def succeeds(command: str, root: Path) -> bool:
    """Run a shell command in a work tree, and say whether it succeeded.

    Python writes no bytecode: that of a file which changes within a second and keeps its size counts as current.
    """
    environ = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        command, shell=True, cwd=root, env=environ, stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    return done.returncode == 0


def _write(root: Path, files: dict[str, bytes] | dict[str, bytes | None]) -> None:
    for name, data in files.items():
        path = root / PurePosixPath(name)
        if data is None:
            path.unlink(missing_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)


def _blob(source: Path, sha: str, path: str) -> bytes:
    command = ["git", "-C", str(source), "show", f"{sha}:{path}"]
    return subprocess.run(command, check=True, capture_output=True, stdin=subprocess.DEVNULL).stdout
