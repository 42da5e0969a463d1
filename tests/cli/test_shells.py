"""Completion in a real zsh and a real fish."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import time
from pathlib import Path

import clients
import pytest
from muninn_shell import Shell
from repositories import MUNINN, PATIENCE

from muninn_cli.help.completion import script

pytestmark = pytest.mark.client("zsh and fish")

TYPED = {
    "muninn rec": "reconcile",
    "muninn recall --li": "--limit",
    "muninn repos ": "scan",
    "muninn help reca": "recall",
    "muninn config get memory.au": "memory.author",
    "muninn remember x --tag tim": "timber",
}
"""What a shell offers or inserts, by what was typed before the Tab key."""

LISTED = ("muninn rec", "muninn recall --li", "muninn repos ")
"""What has several completions: a shell lists them whole."""

ERASE = "\x15\x0c"
"""Ctrl-U and Ctrl-L: the line is empty, and the screen is drawn anew."""

SILENCE = 20.0
"""Seconds without output after which the same is typed again: a terminal can lose what a shell wrote."""


def program(name: str) -> str:
    """Return the path of a shell."""
    found = shutil.which(name)
    if found is None:
        clients.missing(name, f"there is none; the system's package {name} brings one")
    return found


@pytest.fixture
def stored(shell: Shell, tmp_path: Path) -> tuple[dict[str, str], dict[str, str]]:
    """What is typed with what is offered, where one memory is stored, and the environment of a user's shell."""
    memory = shell.json("remember", "Masts are of oak: pine split.", "--type", "decision", "--tag", "timber")["memory"]
    environ = {
        **shell.environ,
        "PATH": os.pathsep.join((os.path.dirname(MUNINN), os.environ["PATH"])),
        "TERM": "xterm",
        "HOME": str(tmp_path),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "ZDOTDIR": str(tmp_path),
    }
    return {**TYPED, "muninn show ": memory["id"][-8:], "muninn show -- ": memory["id"][-8:]}, environ


def test_fish_completes(shell: Shell, stored: tuple[dict[str, str], dict[str, str]], tmp_path: Path) -> None:
    typed, environ = stored
    folder = tmp_path / "config" / "fish" / "completions"
    folder.mkdir(parents=True)
    (folder / "muninn.fish").write_text(script("fish"), "utf-8")
    for line, offered in typed.items():
        ask = ["fish", "-c", f"complete -C '{line}'"]
        done = subprocess.run(
            [program("fish"), *ask[1:]], cwd=shell.repo, env=environ, capture_output=True, text=True, check=True
        )
        assert offered in [row.partition("\t")[0] for row in done.stdout.splitlines()], line


def test_zsh_completes_and_starts_no_program_before_a_value_is_wanted(
    shell: Shell, stored: tuple[dict[str, str], dict[str, str]], tmp_path: Path
) -> None:
    typed, environ = stored
    (tmp_path / "_muninn").write_text(script("zsh"), "utf-8")
    (tmp_path / ".zshrc").write_text("fpath=($ZDOTDIR $fpath)\nautoload -Uz compinit\ncompinit -u\nPS1='ready> '\n")
    calls = tmp_path / "calls"
    counted = tmp_path / "bin" / "muninn"
    counted.parent.mkdir()
    counted.write_text(f'#!/bin/sh\necho "$*" >> {calls}\nexec {MUNINN} "$@"\n')
    counted.chmod(0o755)
    environ["PATH"] = os.pathsep.join((str(counted.parent), environ["PATH"]))
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [program("zsh"), "-i"], stdin=theirs, stdout=theirs, stderr=theirs, cwd=shell.repo, env=environ
    )
    os.close(theirs)
    try:
        until(ours, "ready> ")
        for number, (line, offered) in enumerate(typed.items(), start=1):
            half = line.rpartition(" ")[2]
            type_until(ours, f"{line}\t", offered if line in LISTED else offered.removeprefix(half))
            if line == "muninn rec":
                assert not calls.exists()
            type_until(ours, f"print erased $((6 * {number}))\r", f"erased {6 * number}")
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    assert "completion --values ids --described" in calls.read_text()


def type_until(terminal: int, keys: str, wanted: str) -> None:
    """Type keys in an empty line until a text is there; the same again when nothing is written for a while."""
    read = b""
    ends = time.monotonic() + PATIENCE
    while time.monotonic() < ends:
        os.write(terminal, f"{ERASE}{keys}".encode())
        while select.select([terminal], [], [], SILENCE)[0]:
            read += os.read(terminal, 65536)
            if wanted.encode() in read:
                return
    pytest.fail(f"no {wanted!r} in {read.decode(errors='replace')!r}")


def until(terminal: int, wanted: str) -> None:
    """Read a terminal until a text is there."""
    read = b""
    ends = time.monotonic() + PATIENCE
    while wanted.encode() not in read:
        ready, _, _ = select.select([terminal], [], [], max(0.0, ends - time.monotonic()))
        assert ready, f"no {wanted!r} in {read.decode(errors='replace')!r}"
        read += os.read(terminal, 65536)
