"""A tiny repository with a daemon of its own, and the command as a person runs it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

HARBOUR = '''\
def moor_ship(name: str, berth: int) -> str:
    """Tie a ship to its berth."""
    return f"{name}@{berth}"
'''

WEATHER = '''\
def wind_speed(station: str) -> float:
    """Return the wind in knots."""
    return float(len(station))
'''

COMMAND = [sys.executable, "-I", "-m", "muninn_cli.main"]


@dataclass(frozen=True)
class Shell:
    """Runs the command in a repository, in an environment that shares nothing with the user's."""

    repo: Path
    environ: dict[str, str]

    def run(self, *words: str, stdin: str = "", cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*COMMAND, *words],
            input=stdin,
            capture_output=True,
            text=True,
            cwd=cwd or self.repo,
            env=self.environ,
            timeout=90,
            check=False,
        )

    def json(self, *words: str, stdin: str = "") -> Any:
        done = self.run(*words, "--json", stdin=stdin)
        assert done.returncode == 0, done.stdout + done.stderr
        (line,) = done.stdout.splitlines()
        return json.loads(line)

    def failure(self, *words: str, stdin: str = "") -> tuple[int, dict[str, Any]]:
        done = self.run(*words, "--json", stdin=stdin)
        return done.returncode, json.loads(done.stdout)["error"]


def make_repo(folder: Path) -> Path:
    """Make a repository with two source files and one commit."""
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "harbour.py").write_text(HARBOUR)
    (folder / "src" / "weather.py").write_text(WEATHER)
    identity = ["-c", "user.name=T", "-c", "user.email=t@example.org"]
    for words in (["init", "-q", "-b", "main"], ["add", "."], [*identity, "commit", "-q", "-m", "start"]):
        subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def runtime_dir() -> Iterator[Path]:
    """A short path: a socket's may have about 100 bytes."""
    folder = Path(tempfile.mkdtemp(prefix="mu"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def environ(runtime_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of the command: a home and a runtime directory of its own, and no colour."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("MUNINN_", "CLAUDE", "GIT_"))}
    home = tmp_path_factory.mktemp("home")
    return {**kept, "HOME": str(home), "MUNINN_RUNTIME_DIR": str(runtime_dir), "NO_COLOR": "1", "COLUMNS": "100"}


@pytest.fixture(scope="module")
def new_shell(environ: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], Shell]]:
    """Make shells in fresh repositories; their daemons are stopped when the module's tests are done."""
    made: list[Shell] = []

    def make() -> Shell:
        made.append(Shell(make_repo(tmp_path_factory.mktemp("harbour") / "repo"), environ))
        return made[-1]

    yield make
    for shell in made:
        shell.run("daemon", "stop")


@pytest.fixture(scope="module")
def shell(new_shell: Callable[[], Shell]) -> Shell:
    """A shell in a repository that is initialised and indexed, shared by the tests of a module."""
    made = new_shell()
    assert made.run("init").returncode == 0
    assert made.run("index", "--wait").returncode == 0
    return made
