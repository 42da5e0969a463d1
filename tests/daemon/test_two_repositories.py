"""Daemons of two repositories of one user: each reads the other's index, whether its daemon runs or not."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from repositories import MUNINN, copy_plain_repo, kill_daemon, stop_daemon

from muninn_core import client
from muninn_core.launch.runtime import Address


@pytest.fixture
def two(tmp_path: Path, environ: dict[str, str]):
    """Two repositories with daemons, and the environment of their user."""
    environ = {**environ, "HOME": str(tmp_path / "home")}
    (tmp_path / "home").mkdir()
    roots = copy_plain_repo(tmp_path / "one"), copy_plain_repo(tmp_path / "two")
    (roots[1] / "voucher.py").write_text("def redeem_voucher(code):\n    return code\n")
    for root in roots:
        with client.connect(str(root), environ) as muninn:
            muninn.call("init")
            muninn.call("index")
    yield *roots, environ
    for root in roots:
        kill_daemon(root, environ)


def _muninn(root: Path, environ: dict[str, str], *words: str) -> str:
    done = subprocess.run([MUNINN, *words], cwd=root, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_shell_asks_running_and_sleeping_repositories(two) -> None:
    one, other, environ = two
    with client.connect(str(other), environ) as muninn:
        stored = muninn.call("remember", {"text": "A voucher is valid for a year.", "type": "decision"})["ids"][0]
        muninn.call("recall", {"query": "voucher"})
    added = _muninn(one, environ, "repos", "add", os.path.relpath(other, one))
    assert f"Added two  {other}" in added
    listed = _muninn(one, environ, "repos", "list")
    assert f"two  {other}  running" in listed
    assert "1 memory" in listed
    for _ in ("running", "stopped"):
        found = _muninn(one, environ, "recall", "redeem a voucher", "--repos", "two")
        assert "two:voucher.py:1-2" in found
        assert "in the repository two" in found
        shown = _muninn(one, environ, "memories", "--repos", "all")
        assert stored in shown
        assert "two:voucher.py:1-2" in _muninn(one, environ, "symbols", "redeem", "--repos", "all")
        stop_daemon(other, environ)
    assert f"two  {other}  stopped" in _muninn(one, environ, "repos", "list")
    with client.connect(str(other), environ) as muninn:  # being read has not damaged its index
        assert muninn.call("recall", {"query": "voucher"})["hits"]
    assert "rebuilt" not in (Path(Address(environ["MUNINN_RUNTIME_DIR"], str(other / ".git")).log)).read_text()
