"""A repository with a daemon, the user's settings of models, and `muninn gateway` in front of scripted backends."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from interrupts import interruptible
from repositories import MUNINN, PATIENCE, copy_plain_repo, kill_daemon

from muninn_core import client


class Served:
    """The repository, and the address and token of its gateway."""

    def __init__(self, repo: Path, environ: dict[str, str], home: Path) -> None:
        self.repo = repo
        self.environ = environ
        self.home = home
        self.url = self.token = ""

    def configure(
        self,
        fallbacks: dict[str, list[str]] | None = None,
        context: bool = False,
        use: dict[str, Any] | None = None,
        budget: dict[str, Any] | None = None,
        **routes: Any,
    ) -> None:
        """Write the user's settings; the next request reads them. The default budget is large."""
        file = self.home / ".config/muninn/config.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        models = {
            "routes": routes,
            "fallbacks": fallbacks or {},
            "budget": budget or {"tokens_day": 10_000_000, "usd_day": 100},
        }
        uses = {"context": context, "context_seconds": 60, **(use or {})}
        repositories = {str(self.repo): {"models": uses}}
        file.write_text(yaml.safe_dump({"models": models, "repositories": repositories}))

    def call(self, verb: str, **params: Any) -> Any:
        """Call a verb of the daemon."""
        with client.connect(str(self.repo), self.environ) as muninn:
            return muninn.call(verb, params)


@contextlib.contextmanager
def running(served: Served) -> Iterator[subprocess.Popen[str]]:
    """Run `muninn gateway`; fill in address and token."""
    command = [MUNINN, "gateway", "--repo", str(served.repo)]
    with interruptible():
        process = subprocess.Popen(command, env=served.environ, stdout=subprocess.PIPE, text=True)
    with process:
        assert process.stdout is not None
        served.url = process.stdout.readline().split()[-1]
        shown = subprocess.run([*command, "--print-config"], env=served.environ, capture_output=True, check=True)
        told = json.loads(shown.stdout)
        assert told["url"] == served.url
        served.token = told["headers"]["Authorization"].removeprefix("Bearer ")
        try:
            yield process
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(PATIENCE)


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A gateway for the tests of a module."""
    folder = tmp_path_factory.mktemp("gateway")
    repo = copy_plain_repo(folder / "repo")
    runtime = tempfile.mkdtemp(prefix="mn-", dir="/tmp")
    home = {"HOME": str(folder / "home"), "XDG_DATA_HOME": str(folder / "data"), "MUNINN_KEY_M": "sk-backend-key"}
    served = Served(repo, {**os.environ, "MUNINN_RUNTIME_DIR": runtime, **home}, folder / "home")
    served.configure()
    served.call("init")
    try:
        with running(served):
            yield served
    finally:
        kill_daemon(repo, served.environ)
        shutil.rmtree(runtime, ignore_errors=True)
