"""Shared fixtures: tiny real repositories with their own runtime directory; daemons stop after the test."""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from hypothesis import HealthCheck, settings
from repositories import Home, copy_plain_repo, daemon_pid, git, kill_daemon

from muninn_core import client

# The terminal, programs and git settings of the person who runs the tests take no part in them.
for name in ("COLUMNS", "LINES", "FORCE_COLOR", "NO_COLOR", "EDITOR", "VISUAL", "PAGER"):
    os.environ.pop(name, None)
os.environ |= {"GIT_CONFIG_GLOBAL": str(Path(__file__).with_name("gitconfig")), "GIT_CONFIG_NOSYSTEM": "1"}

DAEMON = frozenset(("environ", "runtime_dir", "home", "agents", "served"))
"""Tests that use one of these fixtures start a daemon and client processes."""


settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")  # a busy machine is no reason to fail


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that accepts what commands print now; see tests/cli/test_cli_output.py."""
    parser.addoption("--update-snapshots", action="store_true", help="write tests/cli/snapshots anew")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that run real daemons, so that they can be left out."""
    for item in items:
        if DAEMON.intersection(getattr(item, "fixturenames", ())):
            item.add_marker("daemon")


@pytest.fixture
def environ() -> Iterator[dict[str, str]]:
    """The environment of clients: the current one, with a private runtime directory (a short path, for sockets)."""
    runtime = tempfile.mkdtemp(prefix="mn-", dir="/tmp")
    data = tempfile.mkdtemp(prefix="mn-data-", dir="/tmp")  # nobody's global memory takes part in a test
    yield {**os.environ, "MUNINN_RUNTIME_DIR": runtime, "XDG_DATA_HOME": data}
    shutil.rmtree(runtime, ignore_errors=True)
    shutil.rmtree(data, ignore_errors=True)


@pytest.fixture
def plain_repo(tmp_path: Path) -> Path:
    """A git repository with two files and one commit, without `.muninn`."""
    return copy_plain_repo(tmp_path / "repo")


@pytest.fixture
def repo(plain_repo: Path, environ: dict[str, str]) -> Iterator[Path]:
    """The same with `.muninn` initialised and committed; its daemon is killed afterwards."""
    with client.connect(str(plain_repo), environ) as muninn:
        muninn.call("init")
    git(plain_repo, "add", ".")
    git(plain_repo, "commit", "-q", "-m", "Add memory")
    yield plain_repo
    kill_daemon(plain_repo, environ)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """One repository with memory and its daemon for the tests of a module, which work in work trees of it."""
    root = copy_plain_repo(tmp_path_factory.mktemp("served") / "repo")
    runtime = tempfile.mkdtemp(prefix="mn-", dir="/tmp")
    environ = {**os.environ, "MUNINN_RUNTIME_DIR": runtime, "XDG_DATA_HOME": str(root.parent / "data")}
    with client.connect(str(root), environ) as muninn:
        muninn.call("init")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "Add memory")
    yield Home(root, environ)
    kill_daemon(root, environ)
    shutil.rmtree(runtime, ignore_errors=True)


@pytest.fixture
def work_tree(served: Home, tmp_path: Path) -> Iterator[Home]:
    """A work tree for one test, with its own branch, files and memory. A test that ends the shared daemon fails."""
    root = tmp_path / "repo"
    git(served.repo, "worktree", "add", "-q", "-b", f"test-{uuid.uuid4().hex}", str(root))
    with client.connect(str(root), served.environ) as muninn:  # starts a daemon if the test before ended its own
        muninn.call("status")
    serving = daemon_pid(served.repo, served.environ)
    yield Home(root, served.environ)
    assert serving is not None
    assert psutil.pid_exists(serving), "this test ended the daemon that it shares with others"
    assert daemon_pid(served.repo, served.environ) == serving, (
        "this test replaced the daemon that it shares with others"
    )
