"""The command as a person or a program runs it, in a tiny real repository."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from repositories import PATIENCE

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
            timeout=PATIENCE,
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
