"""What all suites share: tiny real repositories, their own runtime directory, and a daemon that is gone afterwards."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from muninn_core import client
from muninn_core.errors import MuninnError
from muninn_core.launch.place import locate
from muninn_core.launch.runtime import Address
from muninn_core.launch.transport import read_info

USERS = '''"""Users and their names."""

USERS = {}


def get_user_name(uid):
    """Look up the display name of a user."""
    return USERS[uid]["name"]


def delete_user(uid):
    """Remove a user for good."""
    del USERS[uid]
'''
README = "# Demo\n\nA tiny project about users.\n\n## Sessions\n\nSessions expire after one hour.\n"


def git(repo: Path, *arguments: str) -> str:
    """Run git in a repository as a fixed author, and return what it prints."""
    author = ["-c", "user.name=Test", "-c", "user.email=test@localhost", "-c", "commit.gpgsign=false"]
    done = subprocess.run(
        ["git", *author, *arguments], cwd=repo, check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    return done.stdout


@pytest.fixture
def environ() -> Iterator[dict[str, str]]:
    """The environment of clients: as it is, with a runtime directory of this test alone (short: sockets need that)."""
    runtime = tempfile.mkdtemp(prefix="mn-", dir="/tmp")
    yield {**os.environ, "MUNINN_RUNTIME_DIR": runtime}
    shutil.rmtree(runtime, ignore_errors=True)


@pytest.fixture
def plain_repo(tmp_path: Path) -> Path:
    """A git repository with two files and one commit, without `.muninn`."""
    root = tmp_path / "repo"
    (root / "src").mkdir(parents=True)
    (root / "src" / "users.py").write_text(USERS)
    (root / "README.md").write_text(README)
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "Begin")
    return root


@pytest.fixture
def repo(plain_repo: Path, environ: dict[str, str]) -> Iterator[Path]:
    """The same with `.muninn` initialised and committed; its daemon is stopped afterwards."""
    with client.connect(str(plain_repo), environ) as muninn:
        muninn.call("init")
    git(plain_repo, "add", ".")
    git(plain_repo, "commit", "-q", "-m", "Add memory")
    yield plain_repo
    stop_daemon(plain_repo, environ)


def daemon_pid(repo: Path, environ: dict[str, str]) -> int | None:
    """Return the pid that the repository's daemon wrote, if there is one."""
    pid = read_info(Address(environ["MUNINN_RUNTIME_DIR"], locate(str(repo)).identity)).get("pid")
    return pid if isinstance(pid, int) else None


def stop_daemon(repo: Path, environ: dict[str, str]) -> None:
    """Stop the repository's daemon, politely and else by its pid, and wait until it is gone."""
    pid = daemon_pid(repo, environ)
    if pid is None or not psutil.pid_exists(pid):
        return
    process = psutil.Process(pid)
    try:
        with client.connect(str(repo), environ, start=False) as muninn:
            muninn.call("shutdown")
    except MuninnError:
        process.terminate()
    try:
        process.wait(20)
    except psutil.TimeoutExpired:
        process.kill()
        process.wait(5)
