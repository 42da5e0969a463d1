"""Tiny real repositories for tests, and the ends of their daemons."""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import psutil

from muninn_core import client
from muninn_core.errors import MuninnError
from muninn_core.launch.repository_location import locate
from muninn_core.launch.runtime import Address
from muninn_core.launch.transport import read_info

MUNINN = os.path.join(os.path.dirname(sys.executable), "muninn")
"""The console command that is tested."""

PATIENCE = 300.0
"""Seconds that a test waits for a state that must come. The limit only ends a test that hangs."""

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


class Home(NamedTuple):
    """A repository with memory, and the environment of its clients."""

    repo: Path
    environ: dict[str, str]


def git(repo: Path, *arguments: str) -> str:
    """Run git in a repository as a fixed author, and return its output."""
    author = ["-c", "user.name=Test", "-c", "user.email=test@localhost", "-c", "commit.gpgsign=false"]
    done = subprocess.run(
        ["git", *author, *arguments], cwd=repo, check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    return done.stdout


def run_to_end(
    command: Sequence[str | Path], at: Path, environ: dict[str, str], **more: Any
) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder to its end, whatever its exit status, and return what it printed."""
    return subprocess.run(
        command, cwd=at, env=environ, capture_output=True, text=True, timeout=PATIENCE, check=False, **more
    )


def make_home(folder: Path) -> Home:
    """Make a git repository with one file and one commit in a folder, without memory.

    Its clients have a runtime directory of their own.
    """
    root = folder / "repo"
    (root / "src").mkdir(parents=True)
    (root / "src" / "users.py").write_text(USERS)
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "Begin")
    runtime = tempfile.mkdtemp(prefix="mn-", dir="/tmp")
    return Home(root, {**os.environ, "MUNINN_RUNTIME_DIR": runtime, "XDG_DATA_HOME": str(folder / "data")})


def copy_plain_repo(root: Path) -> Path:
    """Make a git repository with two files and one commit at `root`, which must not exist, and return `root`."""
    shutil.copytree(_plain_repo(), root, symlinks=True)
    git(root, "update-index", "-q", "--refresh")  # the index holds the inodes of the copied files
    return root


@functools.cache
def _plain_repo() -> Path:
    """Make the repository that tests get copies of. Git runs once per process instead of three times per test."""
    folder = Path(tempfile.mkdtemp(prefix="mn-template-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    root = folder / "repo"
    (root / "src").mkdir(parents=True)
    (root / "src" / "users.py").write_text(USERS)
    (root / "README.md").write_text(README)
    git(root, "init", "-q", "-b", "main")
    git(root, "config", "user.name", "Test")  # the author of memories is not that of the machine
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "Begin")
    for sample in (root / ".git" / "hooks").glob("*.sample"):
        sample.unlink()
    return root


def address_of(repo: Path, environ: dict[str, str]) -> Address:
    """Return where the repository's daemon listens."""
    return Address(environ["MUNINN_RUNTIME_DIR"], locate(str(repo)).identity)


def daemon_pid(repo: Path, environ: dict[str, str]) -> int | None:
    """Return the pid that the repository's daemon wrote, if there is one."""
    pid = read_info(address_of(repo, environ)).get("pid")
    return pid if isinstance(pid, int) else None


def daemon_process(repo: Path, environ: dict[str, str]) -> psutil.Process:
    """Return the process of the repository's daemon, which runs."""
    pid = daemon_pid(repo, environ)
    assert pid is not None
    return psutil.Process(pid)


def stop_daemon(repo: Path, environ: dict[str, str]) -> None:
    """Ask the repository's daemon to shut down, kill it if it does not, and return when it is gone."""
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
        process.wait(PATIENCE)
    except psutil.TimeoutExpired:
        process.kill()
        process.wait(PATIENCE)


def kill_daemon(repo: Path, environ: dict[str, str]) -> None:
    """End the repository's daemon at once, when the test is over and its files are of no use any more.

    An orderly end takes half a second of a test's time and is what tests/daemon checks.
    """
    pid = daemon_pid(repo, environ)
    if pid is None:
        return
    # Nothing waits for the end: where init collects ended processes late, that takes seconds.
    with contextlib.suppress(psutil.NoSuchProcess):
        psutil.Process(pid).kill()
