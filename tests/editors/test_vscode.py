"""The VS Code extension, checked, packaged and used in a real VS Code on real repositories.

The extension's own suites test the behaviour inside the editor. This module prepares their environment
and runs them. Tests that need VS Code are skipped, with the reason, where it cannot be installed.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import clients
import pytest

from muninn_core import __version__

ROOT = Path(__file__).resolve().parents[2]
EXTENSION = ROOT / "vscode-extension"
TOOLS = ROOT / ".tools"
MUNINN = Path(sys.executable).with_name("muninn")
NAME = "VS Code"

pytestmark = [pytest.mark.client(NAME), pytest.mark.slow, pytest.mark.timeout(3600)]


def environment() -> dict[str, str]:
    """Return the environment of every program here: npm's cache stays in the checkout, muninn is the one under test."""
    return {**os.environ, "npm_config_cache": str(TOOLS / "npm"), "MUNINN": str(MUNINN)}


def run(*command: str, limit: float, cwd: Path = EXTENSION) -> subprocess.CompletedProcess[str]:
    """Run a program for at most `limit` seconds, its two outputs as one text."""
    return subprocess.run(
        command,
        cwd=cwd,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=limit,
        check=False,
    )


def succeed(*command: str, limit: float) -> str:
    """Run a program that must succeed, and return its output."""
    done = run(*command, limit=limit)
    assert done.returncode == 0, done.stdout
    return done.stdout


@contextmanager
def alone() -> Iterator[None]:
    """Keep other processes of this checkout out: all of them install and build into the same folders."""
    TOOLS.mkdir(exist_ok=True)
    with (TOOLS / "vscode-extension.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.fixture(autouse=True)
def one_at_a_time() -> Iterator[None]:
    """Run one of these tests at a time, with any number of workers."""
    with alone():
        yield


@pytest.fixture(scope="module")
def packages() -> None:
    """Install the extension's packages, exactly those of its lock file, unless they are there."""
    if shutil.which("npm") is None:
        clients.missing(NAME, "there is no npm; Node 20.19 or later is needed")
    lock, installed = EXTENSION / "package-lock.json", EXTENSION / "node_modules" / ".package-lock.json"
    with alone():
        if installed.exists() and installed.stat().st_mtime >= lock.stat().st_mtime:
            return
        done = run("npm", "ci", "--no-audit", "--no-fund", "--loglevel=error", limit=600)
    if done.returncode != 0:
        clients.missing(NAME, f"npm can't install the extension's packages: {last_line(done.stdout)}")


@pytest.fixture(scope="module")
def vscode(packages: None) -> None:
    """Install VS Code, unless it is there."""
    done = run(str(ROOT / "scripts" / "install-vscode.sh"), limit=900, cwd=ROOT)
    if done.returncode != 0:
        clients.missing(NAME, last_line(done.stdout))


def last_line(text: str) -> str:
    """Return the last line that is not empty."""
    return next((line for line in reversed(text.splitlines()) if line.strip()), "no reason was given")


@pytest.mark.usefixtures("packages")
def test_the_types_fit_and_the_version_is_the_distributions() -> None:
    said = succeed("npm", "run", "--silent", "check", limit=300)
    assert f"version {__version__}" in said


@pytest.mark.usefixtures("packages")
def test_the_pure_modules_pass_their_unit_tests() -> None:
    succeed("npm", "run", "--silent", "unit", limit=300)


@pytest.mark.usefixtures("packages")
def test_the_package_holds_the_bundle_and_no_source(monkeypatch: pytest.MonkeyPatch) -> None:
    file = EXTENSION / f"muninn-{__version__}.vsix"
    address = "https://code.example.org/team/muninn"
    monkeypatch.setenv("MUNINN_REPOSITORY", address)
    succeed("npm", "run", "--silent", "package", limit=300)
    with zipfile.ZipFile(file) as package:
        assert f"]({address}/raw/HEAD/docs/images/vscode-views.png)" in package.read("extension/readme.md").decode()
        manifest = json.loads(package.read("extension/package.json"))
    assert manifest["repository"]["url"] == f"{address}.git"
    assert manifest["bugs"]["url"] == f"{address}/issues"
    monkeypatch.delenv("MUNINN_REPOSITORY")
    succeed("npm", "run", "--silent", "package", limit=300)
    with zipfile.ZipFile(file) as package:
        assert "![" not in package.read("extension/readme.md").decode()  # VS Code would show a broken one
        names = {name.removeprefix("extension/") for name in package.namelist() if name.startswith("extension/")}
    assert names == {
        "LICENSE.txt",
        "package.json",
        "readme.md",
        "changelog.md",
        "dist/config.schema.json",
        "dist/extension.js",
        "dist/licenses.txt",
        "images/icon.png",
        "images/view.svg",
        *(f"walkthrough/{step}.md" for step in ("init", "remember", "recall", "context", "look")),
        *(f"walkthrough/vscode-{name}.png" for name in ("lens", "recall", "context")),
    }


@pytest.mark.usefixtures("vscode")
def test_the_extension_works_in_a_real_extension_host() -> None:
    said = succeed("npm", "run", "--silent", "integration", limit=1700)
    assert ", 0 failed" in said


@pytest.mark.usefixtures("vscode")
def test_a_person_can_use_the_packaged_extension_through_the_window() -> None:
    succeed("npm", "run", "--silent", "package", limit=300)
    said = succeed("npm", "run", "--silent", "e2e", limit=3400)
    assert ", 0 failed" in said
