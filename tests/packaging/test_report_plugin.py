from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]

SUITE = """
import pytest

from clients import missing

@pytest.mark.client("Emacs")
def test_first():
    missing("Emacs", "there is no emacs")

@pytest.mark.client("Emacs")
def test_second():
    missing("Emacs", "there is no emacs")

def test_plain():
    pytest.skip("of no interest")

@pytest.mark.client("vi")
def test_that_runs():
    pass
"""

FROM_A_WORKER = """
import marshal

import pytest

@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(item):
    hook, config = item.config.hook, item.config
    sent = marshal.dumps(hook.pytest_report_to_serializable(config=config, report=(yield)))
    return hook.pytest_report_from_serializable(config=config, data=marshal.loads(sent))
"""
"""Takes each report through what pytest has for its way from a worker. A run with workers within a run could hang."""


def run(folder: Path, **environ: str) -> list[str]:
    """Run the suite in a separate process and return pytest's output."""
    (folder / "pytest.ini").write_text("[pytest]\nmarkers =\n  client(name): real\n")
    (folder / "test_suite.py").write_text(SUITE)
    # What this run tells its own workers is not for those of another run. Other plugins take seconds to load.
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    inherited["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "report", "-v", "-p", "no:cacheprovider"],
        cwd=folder,
        env={**inherited, "PYTHONPATH": str(TESTS), "CI": "", **environ},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.splitlines()


@pytest.mark.parametrize("conftest", ["", FROM_A_WORKER], ids=["alone", "with workers"])
def test_a_suite_whose_client_is_missing_is_told_once_before_the_closing_line(tmp_path: Path, conftest: str) -> None:
    (tmp_path / "conftest.py").write_text(conftest)
    *_, told, closing = run(tmp_path)
    assert told == "did not run: the tests with Emacs: Emacs: there is no emacs"
    assert "1 passed, 3 skipped" in closing


def test_a_missing_client_is_a_failure_when_all_must_run(tmp_path: Path) -> None:
    assert "2 failed, 1 passed, 1 skipped" in run(tmp_path, CI="true")[-1]
