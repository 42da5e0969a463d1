"""A real Emacs on a real repository: Eglot, and the file that is shipped for it."""

from __future__ import annotations

import os
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import clients
import pytest
from repositories import MUNINN, PATIENCE

from muninn_core import client

NAME = "Emacs"
HELPER = files("muninn_hooks") / "snippets" / "emacs.el"
"""The shipped configuration, as `muninn install emacs --print` prints it."""

SCRIPT = Path(__file__).with_name("emacs.el")

pytestmark = pytest.mark.client(NAME)


@pytest.fixture
def emacs() -> str:
    """The program; an Emacs without Eglot is as good as none."""
    program = shutil.which("emacs")
    if program is None:
        clients.missing(NAME, "there is none; the system's package emacs-nox brings one, and elpa-eglot the client")
    asked = [program, "-q", "--batch", "-l", "package", "-f", "package-initialize", "--eval", "(require 'eglot)"]
    if subprocess.run(asked, capture_output=True, check=False).returncode != 0:
        clients.missing(NAME, "it has no Eglot; the system's package elpa-eglot brings it, and Emacs 29 has it")
    return program


def test_emacs_hovers_sees_lenses_and_doubts_acts_and_has_the_commands_of_the_file_that_is_shipped(
    emacs: str, repo: Path, environ: dict[str, str], tmp_path: Path
) -> None:
    with client.connect(str(repo), environ) as muninn:
        muninn.call("index", {"wait": True})
    home = tmp_path / "home"
    home.mkdir()
    path = os.path.dirname(MUNINN) + os.pathsep + environ["PATH"]
    (home / "muninn.el").write_text(HELPER.read_text("utf-8"), "utf-8")
    install = f'(package-install-file "{home / "muninn.el"}")'
    package = ["-l", "package", "-f", "package-initialize"]
    done = subprocess.run(
        [emacs, "-q", "--batch", *package, "--eval", install, "-l", "muninn", "-l", str(SCRIPT)],
        cwd=repo,
        env={**environ, "HOME": str(home), "PATH": path},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "Warning" not in done.stdout
    assert "50 passed, 0 failed" in done.stdout
