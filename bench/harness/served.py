"""A repository with its own daemon and runtime directory, and concurrent clients."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from muninn_core import client
from muninn_core.errors import MuninnError
from muninn_core.launch.repository_location import locate
from muninn_core.launch.runtime import Address
from muninn_core.launch.transport import read_info

ROOT = Path(__file__).parents[2]


class Served:
    """A served repository. The end of the `with` block stops the daemon and removes all folders."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.runtime = tempfile.mkdtemp(prefix="mnb-", dir="/tmp")
        self.environ = {**os.environ, "MUNINN_RUNTIME_DIR": self.runtime, "XDG_DATA_HOME": f"{self.runtime}/data"}
        self._address = Address(self.runtime, locate(str(root)).identity)

    def __enter__(self) -> Served:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.stop()
        shutil.rmtree(self.runtime, ignore_errors=True)

    @property
    def pid(self) -> int | None:
        """The daemon's process id; None until the daemon has written it."""
        pid = read_info(self._address).get("pid")
        return pid if isinstance(pid, int) else None

    def connect(self) -> client.Client:
        """Connect. The first connection starts the daemon."""
        return client.connect(str(self.root), self.environ, name="bench")

    def call(self, verb: str, **params: Any) -> dict[str, Any]:
        """Call one verb over a new connection."""
        with self.connect() as muninn:
            return muninn.call(verb, params)

    def muninn(self, *words: str) -> list[str]:
        """Return the command line of the console command for this repository."""
        return [str(Path(sys.executable).parent / "muninn"), *words]

    def stop(self) -> None:
        """Stop the daemon and wait for its exit."""
        pid = self.pid
        if pid is None:
            return
        try:
            with client.connect(str(self.root), self.environ, start=False) as muninn:
                muninn.call("shutdown")
        except MuninnError:
            return
        deadline = time.monotonic() + 30
        while os.path.exists(f"/proc/{pid}") and time.monotonic() < deadline:
            time.sleep(0.02)

    def ask(self, lists: list[list[str]], period: float = 0.0) -> tuple[list[float], float]:
        """Send each list of questions from a separate process, all concurrently; each client waits for each answer.

        Return all latencies in milliseconds and the total wall time in seconds. With a `period` a client's
        questions start that many seconds apart.
        """
        loops = [self._loop(queries, period) for queries in lists]
        for loop in loops:
            assert loop.stdout is not None
            loop.stdout.readline()  # connected and warm
        begun = time.perf_counter()
        for loop in loops:
            assert loop.stdin is not None
            loop.stdin.write("go\n")
            loop.stdin.flush()
        latencies: list[float] = []
        for loop in loops:
            out, _ = loop.communicate()
            if loop.returncode:
                raise RuntimeError(f"a client of the bench failed with status {loop.returncode}")
            latencies += json.loads(out)
        return latencies, time.perf_counter() - begun

    def _loop(self, queries: list[str], period: float) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "bench.harness.loop", str(self.root), json.dumps(queries), str(period)]
        return subprocess.Popen(
            command, cwd=ROOT, env=self.environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
