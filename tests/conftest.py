"""Shared fixtures: tiny real repositories with their own runtime directory; daemons stop after the test."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from repositories import copy_plain_repo, git, kill_daemon

from muninn_core import client

DAEMON = frozenset(("environ", "runtime_dir", "home", "agents"))
"""Tests that use one of these fixtures start a daemon and client processes."""


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
