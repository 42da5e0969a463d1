"""A tiny repository with its own daemon, and an environment isolated from the user's."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from muninn_shell import Shell, make_repo
from repositories import kill_daemon


@pytest.fixture(scope="module")
def runtime_dir() -> Iterator[Path]:
    """A short path: a socket's may have about 100 bytes."""
    folder = Path(tempfile.mkdtemp(prefix="mu"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def environ(runtime_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of the command: private home and runtime directories, and no colour."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("MUNINN_", "CLAUDE", "GIT_"))}
    home = tmp_path_factory.mktemp("home")
    places = {"HOME": str(home), "XDG_DATA_HOME": str(home / "data"), "MUNINN_RUNTIME_DIR": str(runtime_dir)}
    return {**kept, **places, "NO_COLOR": "1", "COLUMNS": "100"}


@pytest.fixture(scope="module")
def new_shell(environ: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], Shell]]:
    """Make shells in fresh repositories; their daemons are killed when the module's tests are done."""
    made: list[Shell] = []

    def make() -> Shell:
        made.append(Shell(make_repo(tmp_path_factory.mktemp("harbour") / "repo"), environ))
        return made[-1]

    yield make
    for shell in made:
        kill_daemon(shell.repo, environ)


@pytest.fixture(scope="module")
def shell(new_shell: Callable[[], Shell]) -> Shell:
    """A shell in a repository that is initialised and indexed, shared by the tests of a module."""
    made = new_shell()
    assert made.run("init").returncode == 0
    assert made.run("index", "--wait").returncode == 0
    return made
