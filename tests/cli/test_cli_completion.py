from __future__ import annotations

import os
import subprocess
from collections.abc import Callable

import pytest
from muninn_shell import Shell
from repositories import MUNINN

from muninn_cli.help import completion
from muninn_cli.help.completion import SHELLS, script
from muninn_cli.help.completion_values import VALUES
from muninn_cli.help.manual import COMMANDS
from muninn_core.protocol.catalogue import METHODS
from muninn_hooks import install


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_is_offered_every_word(shell: str) -> None:
    text = script(shell)
    words = [part for verb in METHODS for part in verb.split(".")]
    assert [word for word in (*words, *COMMANDS) if word not in text] == []
    assert "--queries" in text or "queries" in text


def completing(typed: str) -> str:
    """Return the commands with which bash completes a line and prints what it offers."""
    return f"""
    COMP_LINE={typed!r}; COMP_WORDS=({typed}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); COMP_POINT=${{#COMP_LINE}}
    _shtab_muninn muninn "${{COMP_WORDS[COMP_CWORD]}}" "${{COMP_WORDS[COMP_CWORD-1]}}"
    echo "${{COMPREPLY[@]}}"
    """


@pytest.mark.parametrize(
    ("shell", "mended"), [(shell, text) for shell in completion._MENDED for text in completion._MENDED[shell].values()]
)
def test_a_script_is_mended_where_its_shell_needs_it(shell: str, mended: str) -> None:
    assert mended in script(shell)


def test_bash_is_among_the_shells() -> None:
    assert "bash" in SHELLS


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("muninn rec", "recall reconcile"),
        ("muninn recall --lim", "--limit"),
        ("muninn recall --kind kn", "knowledge"),
        ("muninn help rec", "recall reconcile"),
    ],
)
def test_bash_completes_a_half_typed_word(typed: str, offered: str) -> None:
    done = subprocess.run(
        ["bash", "--norc", "-c", script("bash") + completing(typed)],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.stdout.split() == offered.split(), done.stderr


def test_completion_lists_every_client_that_can_be_installed() -> None:
    assert tuple(completion._CLIENTS) == install.NAMES


def test_a_shell_is_offered_ids_tags_types_and_keys_while_a_daemon_runs(shell: Shell) -> None:
    memory = shell.json("remember", "Masts are of oak.", "--type", "decision", "--tag", "timber")["memory"]
    for kind, value in (
        ("ids", memory["id"][-8:]),
        ("tags", "timber"),
        ("types", "decision"),
        ("keys", "memory.author"),
    ):
        offered = shell.run("completion", "--values", kind).stdout.splitlines()
        assert value in offered
        assert shell.run("completion", "--values", kind, "--described").stdout.startswith(f"{offered[0]}")
    hostile = ("$(touch${IFS}ran)", "`touch${IFS}ran`", "-x", "a'b", "two\nlines", "\x1b[2J")
    tags = [f"--tag={tag}" for each in hostile for tag in (each, f"timber{each}")]
    shell.json("remember", "Sails are of flax.", *tags)
    done = subprocess.run(
        ["bash", "--norc", "-c", script("bash") + completing("muninn recall --tag ti")],
        cwd=shell.repo,
        env={**shell.environ, "PATH": os.pathsep.join((os.path.dirname(MUNINN), os.environ["PATH"]))},
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert not (shell.repo / "ran").exists()
    assert done.stdout.split() == ["timber", "timber-x"], done.stderr
    described = shell.run("completion", "--values", "ids", "--described").stdout.splitlines()
    assert f"{memory['id'][-8:]}\tMasts are of oak" in described


def test_without_a_daemon_nothing_is_offered_and_none_is_started(new_shell: Callable[[], Shell]) -> None:
    shell = new_shell()
    done = shell.run("completion", "--values", "ids")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert shell.run("daemon", "status").returncode == 6


@pytest.mark.parametrize("kind", VALUES)
def test_some_parameter_of_a_verb_takes_each_kind_of_value(kind: str) -> None:
    assert [
        method.verb
        for method in METHODS.values()
        for name in method.params.__struct_fields__
        if completion.value_kind(method, name) == kind
    ]


def test_bash_asks_for_the_ids_of_memories() -> None:
    assert "muninn completion --values ids" in script("bash")
