"""Runs all checks and tests: style, layers, generated files, types, quick tests, then tests with daemons and clients.

The real clients are installed in parallel. Two checks run at a time, and a failure does not stop the others. The tests
run only when all checks pass. `check.py lint` stops before the tests, `check.py unit` runs the quick tests alone.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent

CHECKS = {
    "types": [str(BIN / "mypy")],
    "format": [str(BIN / "ruff"), "format", "--check", "--quiet", "."],
    "lint": [str(BIN / "ruff"), "check", "--quiet", "."],
    "generated files": [sys.executable, "scripts/generate.py", "--check"],
    "layers": [str(BIN / "lint-imports"), "--no-logo"],
}
"""The slowest one first: it takes as long as the others together."""

UNIT = "not client and not daemon and not slow"
"""The tests that start no daemon and no client, and take no minute."""

WORKERS = {"quick": 2, "whole": 3}
"""Processes of the tests. Tests with clients wait for other processes half of their time."""

MEMORY_FILES = Path("/dev/shm")
"""A file system in memory. The tests write many small files durably; on a disk a third of the time is waiting."""

MEMORY_FREE = 6 << 30
"""Bytes that this file system must have free, and the machine available. The tests leave less than half of it."""


def main(argv: list[str]) -> int:
    if argv not in ([], ["lint"], ["unit"]):
        print("usage: scripts/check.py [lint|unit]", file=sys.stderr)
        return 2
    os.chdir(ROOT)
    # The tests start thousands of Python processes. Without compiled modules each of them compiles Muninn anew.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    if argv == ["unit"]:
        return run_tests(UNIT, WORKERS["quick"])
    if argv == ["lint"]:
        return run_checks()
    with installed_clients() as wait:
        if run_checks() != 0:
            return 1
        quick = run_tests(UNIT, WORKERS["quick"])
        wait()
        return run_tests(f"not ({UNIT})", WORKERS["whole"]) or quick


@contextmanager
def installed_clients() -> Iterator[Callable[[], None]]:
    """Install the real clients during the block; yield a function that waits for the end and prints the outcome."""
    with tempfile.TemporaryFile("w+") as output:
        installing = subprocess.Popen(
            ["scripts/install-clients.sh"], stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
        )

        def wait() -> None:
            code = installing.wait()
            output.seek(0)
            print(output.read(), end="", flush=True)
            if code != 0:
                print(f"scripts/install-clients.sh failed with exit status {code}", flush=True)

        try:
            yield wait
        finally:
            installing.wait()  # an interrupted installation would leave partial files


def run_checks() -> int:
    """Run all checks and print the outcome of each."""
    with ThreadPoolExecutor(2) as threads:
        passed = list(threads.map(passes, CHECKS, CHECKS.values()))
    failed = [name for name, good in zip(CHECKS, passed, strict=True) if not good]
    if failed:
        print(f"failed: {', '.join(failed)}", flush=True)
    return 1 if failed else 0


def passes(name: str, command: list[str]) -> bool:
    """Run one check and print its output only if it fails."""
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    verdict = "ok" if done.returncode == 0 else "FAILED"
    said = "" if done.returncode == 0 else "\n" + (done.stdout + done.stderr).strip()
    # One call, because another check may print at the same time.
    print(f"{name:<16} {verdict:<7} {time.monotonic() - start:6.1f} s{said}\n", end="", flush=True)
    return done.returncode == 0


def run_tests(selection: str, workers: int) -> int:
    """Run the tests that a marker expression selects, with the clients of the project on the PATH.

    The slowest ones are named in the end, so that a wait which nothing needs is noticed.
    """
    environ = {**os.environ, "PATH": os.pathsep.join([str(BIN), os.environ.get("PATH", "")])}
    # The pytest plugins are in tests/; workers of xdist inherit PYTHONPATH.
    environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT / "tests"), os.environ.get("PYTHONPATH", "")]))
    plugins = ["-p", "report", "-p", "order"]
    shared = ["-n", str(workers), "--dist", "loadfile", "--no-loadscope-reorder"]
    slowest = ["--durations", "15", "--durations-min", "10"]
    command = [sys.executable, "-m", "pytest", "-q", *plugins, *shared, *slowest, "-m", selection]
    with temporary_folder() as folder:
        environ["TMPDIR"] = str(folder)
        return subprocess.run(command, check=False, stdin=subprocess.DEVNULL, env=environ).returncode


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Yield a new folder for temporary files, in memory where there is room, and remove it afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="mn-", dir=MEMORY_FILES if room_in_memory() else None))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def room_in_memory() -> bool:
    """Whether the file system in memory exists and both it and the machine have room for the tests' files."""
    if not MEMORY_FILES.is_dir():  # not Linux
        return False
    return min(shutil.disk_usage(MEMORY_FILES).free, psutil.virtual_memory().available) >= MEMORY_FREE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
