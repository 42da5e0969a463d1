from __future__ import annotations

import subprocess

import pytest

from muninn_cli import completion
from muninn_cli.completion import SHELLS, script
from muninn_cli.manual import COMMANDS
from muninn_core.protocol.catalogue import METHODS
from muninn_hooks import install


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_is_offered_every_word(shell: str) -> None:
    text = script(shell)
    words = [part for verb in METHODS for part in verb.split(".")]
    assert [word for word in (*words, *COMMANDS) if word not in text] == []
    assert "--queries" in text or "queries" in text


def test_bash_is_among_the_shells() -> None:
    assert "bash" in SHELLS


@pytest.mark.parametrize(
    ("typed", "offered"),
    [("muninn rec", "recall reconcile"), ("muninn recall --lim", "--limit"), ("muninn recall --kind kn", "knowledge")],
)
def test_bash_completes_a_half_typed_word(typed: str, offered: str) -> None:
    ask = f"""
    COMP_LINE={typed!r}; COMP_WORDS=({typed}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); COMP_POINT=${{#COMP_LINE}}
    _shtab_muninn muninn "${{COMP_WORDS[COMP_CWORD]}}" "${{COMP_WORDS[COMP_CWORD-1]}}"
    echo "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(
        ["bash", "--norc", "-c", script("bash") + ask],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.stdout.split() == offered.split(), done.stderr


def test_completion_knows_every_client_that_can_be_installed() -> None:
    assert tuple(completion._CLIENTS) == install.NAMES
