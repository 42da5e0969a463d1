"""Every check and test, cheapest first: style, layers, generated files, types, then the tests.

All of the checks run, so that one look shows all that is wrong; the tests run only when those pass, and their closing
line is the last one. `check.py lint` stops before the tests, `check.py unit` runs the quick ones alone.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent

CHECKS = {
    "format": [str(BIN / "ruff"), "format", "--check", "--quiet", "."],
    "lint": [str(BIN / "ruff"), "check", "--quiet", "."],
    "generated files": [sys.executable, "scripts/generate.py", "--check"],
    "layers": [str(BIN / "lint-imports"), "--no-logo"],
    "types": [str(BIN / "mypy")],
}

UNIT = "not client and not daemon and not slow"
"""The tests that start no daemon and no client, and take no minute."""

WORKERS = "2"
"""Processes of the tests. More would race real daemons for the processors they are measured on."""


def main(argv: list[str]) -> int:
    if argv not in ([], ["lint"], ["unit"]):
        print("usage: scripts/check.py [lint|unit]", file=sys.stderr)
        return 2
    os.chdir(ROOT)
    if argv != ["unit"]:
        failed = [name for name, command in CHECKS.items() if not passes(name, command)]
        if failed:
            print(f"failed: {', '.join(failed)}", flush=True)
            return 1
    return 0 if argv == ["lint"] else run_tests(["-m", UNIT] if argv == ["unit"] else [])


def passes(name: str, command: list[str]) -> bool:
    """Run one check; what it printed is shown only when it failed."""
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    verdict = "ok" if done.returncode == 0 else "FAILED"
    print(f"{name:<16} {verdict:<7} {time.monotonic() - start:6.1f} s", flush=True)
    if done.returncode != 0:
        print((done.stdout + done.stderr).strip(), flush=True)
    return done.returncode == 0


def run_tests(selection: list[str]) -> int:
    """Run the tests with the clients that were installed into the project on the PATH."""
    environ = {**os.environ, "PATH": os.pathsep.join([str(BIN), os.environ.get("PATH", "")])}
    # The plugin lies beside the tests; a worker of xdist finds it the same way.
    environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT / "tests"), os.environ.get("PYTHONPATH", "")]))
    command = [sys.executable, "-m", "pytest", "-p", "report", "-n", WORKERS, "--dist", "loadgroup", "-q", *selection]
    return subprocess.run(command, check=False, stdin=subprocess.DEVNULL, env=environ).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
