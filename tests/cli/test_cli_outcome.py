from __future__ import annotations

import json
import os
import shlex
import subprocess
from collections.abc import Sequence
from typing import IO

import pytest
from muninn_shell import COMMAND, Shell
from repositories import PATIENCE

from muninn_cli.command import run_command
from muninn_cli.verbs import command as verbs
from muninn_core.errors import StorageError
from muninn_core.extras import install_command


def interrupted(_argv: list[str]) -> int:
    raise KeyboardInterrupt


def full_disk(_argv: list[str]) -> int:
    raise StorageError("no space left \x1b[31m", hint="Make room.")


def test_an_interrupt_is_told_in_one_word(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(interrupted, []) == 130
    assert capsys.readouterr() == ("", "interrupted\n")


def test_an_interrupt_of_an_index_says_that_it_continues(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(verbs, "_called", lambda *_: interrupted([]))
    assert verbs.main(["index", "--wait"]) == 130
    assert capsys.readouterr().err == "interrupted\nIndexing continues; `muninn status` shows how far it is.\n"
    assert verbs.main(["reconcile"]) == 130
    assert capsys.readouterr().err == "interrupted\n"


def test_an_interrupt_is_an_error_to_a_program(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(interrupted, ["--json"]) == 130
    assert json.loads(capsys.readouterr().out)["error"]["data"]["kind"] == "cancelled"


def test_an_error_and_its_hint_go_to_stderr_without_escape_sequences(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(full_disk, []) == 5
    assert capsys.readouterr() == ("", "error: no space left \N{REPLACEMENT CHARACTER}[31m\nMake room.\n")


def test_an_error_for_programs_is_one_line_on_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(full_disk, ["--json"]) == 5
    captured = capsys.readouterr()
    error = json.loads(captured.out)["error"]
    assert error["data"] == {"kind": "storage", "hint": "Make room."}
    assert captured.err == ""


@pytest.mark.parametrize("words", [("completion", "zsh"), ("help",), ("install", "--list"), ("template", "list")])
def test_a_reader_that_goes_away_is_no_error(shell: Shell, words: tuple[str, ...]) -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    try:
        done = shelled(shell, words, stdout=theirs)
    finally:
        os.close(theirs)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
@pytest.mark.parametrize("words", [("help",), ("memories",), ("status", "--json"), ("export",)])
def test_output_that_can_not_be_written_is_an_error_in_one_line(shell: Shell, words: tuple[str, ...]) -> None:
    with open("/dev/full", "wb") as full:
        done = shelled(shell, words, stdout=full)
    assert (done.returncode, done.stderr) == (1, b"error: the output can't be written: No space left on device\n")


@pytest.mark.parametrize("words", ["status", "remember -", "remember --batch -", "recall --queries -", "mcp", "lsp"])
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_stream_that_is_closed_is_an_empty_one(shell: Shell, words: str, closed: str) -> None:
    command = f"{shlex.join(COMMAND)} {words} {'' if '<' in closed else '</dev/null'} {closed}"
    done = shelled(shell, ("-c", command), program=("sh",))
    assert done.returncode == (2 if words.startswith("remember") else 0)
    assert b"Traceback" not in done.stderr


def shelled(
    shell: Shell, words: tuple[str, ...], program: Sequence[str] = tuple(COMMAND), stdout: IO[bytes] | int = -1
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*program, *words],
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        cwd=shell.repo,
        env=shell.environ,
        timeout=PATIENCE,
        check=False,
    )


@pytest.mark.parametrize(
    ("prefix", "command"),
    [
        ("/home/a/.local/share/uv/tools/muninn-memory", "uv tool install 'muninn-memory[watch]'"),
        ("/home/a/.local/share/pipx/venvs/muninn-memory", "pipx install --force 'muninn-memory[watch]'"),
        ("/home/a/project/.venv", "pip install 'muninn-memory[watch]'"),
    ],
)
def test_an_extra_is_installed_by_the_tool_that_installed_the_package(
    prefix: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.prefix", prefix)
    assert install_command("watch") == command
