"""What the parts of the campaign share: a limit, the figures and violations of a run, and their tables."""

from __future__ import annotations

import json
import os
import platform
import random
import shutil
import signal
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from repositories import copy_plain_repo, git, stop_daemon

from muninn_core import client
from muninn_core.launch import start

PATIENCE = 1800.0
"""Seconds on the clock after which a process hangs. One of the lowest priority may not run for minutes."""

SHOWN = 20
"""Violations of a part that are printed whole."""


LEVELS = (
    *("guided by", "features covered", "daemons", "zombies", "memory growth", "descriptors"),
    *("scenarios", "calls that change files", "points found"),
)
"""How figures begin of which runs have a greatest value, and no sum."""


class Limit:
    """How long a part runs: until `count` is reached, `seconds` have passed or SIGTERM came, whichever is first."""

    _terminated = False

    def __init__(self, seconds: float, count: int | None = None, before: int = 0) -> None:
        self.seconds = seconds
        self.count = count
        self.before = before
        """The units that earlier runs with the same seed did, of which the figures are kept."""
        self._end = time.monotonic() + seconds

    def reached(self, done: int) -> bool:
        """Whether a part that did `done` of its units must stop."""
        return time.monotonic() >= self._end or self.ended() or (self.count is not None and done >= self.count)

    @staticmethod
    def ended() -> bool:
        """Whether SIGTERM came."""
        return Limit._terminated

    @staticmethod
    def ends_with_sigterm() -> None:
        """Let SIGTERM end all limits of this process, so that a part ends in order and its figures are kept."""

        def end(*_signal: object) -> None:
            Limit._terminated = True

        signal.signal(signal.SIGTERM, end)


def be_patient() -> None:
    """Let the clients of this process wait longer for a daemon: a long campaign runs at the lowest priority."""
    start.connect_or_start.__kwdefaults__["timeout"] = PATIENCE
    client.HELLO_SECONDS = PATIENCE


@dataclass
class Outcome:
    """What one run of a part counted, and what it found wrong."""

    figures: Counter[str] = field(default_factory=Counter)
    violations: list[str] = field(default_factory=list)

    def expect(self, holds: bool, violation: str) -> None:
        """Note a violation unless the condition holds."""
        if not holds:
            self.violations.append(violation)

    def add(self, other: Outcome) -> None:
        """Add what another run found. Of a level, the greatest value counts."""
        for name, value in other.figures.items():
            self.figures[name] = max(self.figures[name], value) if _is_level(name) else self.figures[name] + value
        self.violations += other.violations


def table(part: str, seed: int, outcome: Outcome) -> str:
    """Return the figures of a part as lines, and its violations with the command that repeats them."""
    lines = [f"{part} (seed {seed})"]
    lines += [f"  {name:<44} {value:>10,}" for name, value in outcome.figures.items()]
    lines.append(f"  {'violations':<44} {len(outcome.violations):>10,}")
    lines += [f"  ! {violation}" for violation in outcome.violations[:SHOWN]]
    if len(outcome.violations) > SHOWN:
        lines.append(f"  … and {len(outcome.violations) - SHOWN} more")
    if outcome.violations:
        lines.append(f"  repeat: make torture PARTS={part} SEED={seed}")
    return "\n".join(lines)


def note_run(path: Path, part: str, seed: int, outcome: Outcome) -> None:
    """Append a run to a file of runs, with what it found. Later runs with other seeds continue the campaign."""
    line = {"part": part, "seed": seed, "figures": outcome.figures, "violations": outcome.violations}
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line, ensure_ascii=False) + "\n")


def read_runs(path: Path) -> dict[str, Outcome]:
    """Return the sums of a file of runs by part, with the number of runs as a figure."""
    sums: dict[str, Outcome] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        run = json.loads(line)
        figures = Counter(run["figures"], runs=1)
        sums.setdefault(run["part"], Outcome()).add(Outcome(figures, run["violations"]))
    return sums


def units_before(path: Path, part: str, seed: int, unit: str) -> int:
    """Return how many units the runs of a part with this seed did, which a file of runs has; 0 for no file."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else ()
    runs = (json.loads(line) for line in lines)
    return sum(run["figures"].get(unit, 0) for run in runs if (run["part"], run["seed"]) == (part, seed))


def _is_level(figure: str) -> bool:
    """Whether the greatest value of several runs counts, not their sum."""
    return figure.startswith(LEVELS)


def report(outcomes: dict[str, Outcome]) -> str:
    """Return the table of docs/torture.md: a row per figure, with the conditions of the runs."""
    rows = ["| part | figure | count |", "|---|---|---|"]
    for part, outcome in outcomes.items():
        rows += [f"| {part} | {name} | {value:,} |" for name, value in sorted(outcome.figures.items())]
        rows.append(f"| {part} | **violations** | **{len(outcome.violations)}** |")
    version = subprocess.run(["git", "--version"], capture_output=True, text=True, check=True).stdout.split()[2]
    conditions = (
        f"Conditions: {platform.system()}, {os.cpu_count()} processors, Python {platform.python_version()}, "
        f"git {version}."
    )
    return "\n".join([*rows, "", conditions, ""])


class Site:
    """A folder with repositories of a part's own, and the environment of their clients and daemons."""

    def __init__(self, folder: Path, environ: dict[str, str]) -> None:
        self.folder = folder
        self.environ = environ
        self._repositories: list[Path] = []

    def repository(self, name: str, config: str = "") -> Path:
        """Make a repository with two files, a commit and `.muninn`. Its daemon runs afterwards."""
        root = self.adopt(copy_plain_repo(self.folder / name))
        with client.connect(str(root), self.environ) as muninn:
            muninn.call("init")
        if config:
            (root / ".muninn" / "config.yaml").write_text(config)
        git(root, "add", ".")
        git(root, "commit", "-q", "-m", "Add memory")
        return root

    def adopt(self, root: Path) -> Path:
        """Stop the daemon of this repository at the end, too."""
        self._repositories.append(root)
        return root

    def close(self) -> None:
        """Stop the daemons."""
        while self._repositories:
            root = self._repositories.pop()
            if root.exists():
                stop_daemon(root, self.environ)


def _short_folder() -> str:
    """Return a folder whose name leaves room for the name of a socket, in memory if there is a GiB of it."""
    memory = "/dev/shm"
    return memory if os.path.isdir(memory) and shutil.disk_usage(memory).free >= 1 << 30 else "/tmp"


@contextmanager
def site(prefix: str) -> Iterator[Site]:
    """Give a site with its own runtime and data folders; afterwards its daemons are stopped and its files deleted."""
    folder = Path(tempfile.mkdtemp(prefix=f"mn-{prefix}-", dir=_short_folder()))
    runtime, data = folder / "run", folder / "data"
    runtime.mkdir(mode=0o700)
    data.mkdir()
    environ = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "MUNINN_"))},
        "MUNINN_RUNTIME_DIR": str(runtime),
        "XDG_DATA_HOME": str(data),
    }
    made = Site(folder, environ)
    try:
        yield made
    finally:
        made.close()
        shutil.rmtree(folder, ignore_errors=True)


def sentence(chance: random.Random, nonce: str) -> str:
    """Return a fact that no other fact of the run resembles, so that none is merged with it."""
    words = ("".join(chance.choice("bdfgklmnprstvz") + chance.choice("aeiou") for _ in range(3)) for _ in range(6))
    return f"{' '.join(words).capitalize()} {nonce}."
