from __future__ import annotations

import json
import os
import subprocess

import pytest
from muninn_shell import COMMAND

from muninn_cli.outcome import settle
from muninn_core.errors import StorageError


def interrupted(_argv: list[str]) -> int:
    raise KeyboardInterrupt


def full_disk(_argv: list[str]) -> int:
    raise StorageError("no space left \x1b[31m", hint="Make room.")


def test_an_interrupt_is_told_in_one_word(capsys: pytest.CaptureFixture[str]) -> None:
    assert settle(interrupted, []) == 130
    assert capsys.readouterr() == ("", "interrupted\n")


def test_an_interrupt_is_an_error_to_a_program(capsys: pytest.CaptureFixture[str]) -> None:
    assert settle(interrupted, ["--json"]) == 130
    assert json.loads(capsys.readouterr().out)["error"]["data"]["kind"] == "cancelled"


def test_an_error_and_its_hint_go_to_stderr_without_escape_sequences(capsys: pytest.CaptureFixture[str]) -> None:
    assert settle(full_disk, []) == 5
    assert capsys.readouterr() == ("", "error: no space left \N{REPLACEMENT CHARACTER}[31m\nMake room.\n")


def test_an_error_for_programs_is_one_line_on_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    assert settle(full_disk, ["--json"]) == 5
    captured = capsys.readouterr()
    error = json.loads(captured.out)["error"]
    assert error["data"] == {"kind": "storage", "hint": "Make room."}
    assert captured.err == ""


def test_a_reader_that_goes_away_is_no_error() -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    try:
        done = subprocess.run([*COMMAND, "completion", "zsh"], stdout=theirs, stderr=subprocess.PIPE, check=False)
    finally:
        os.close(theirs)
    assert (done.returncode, done.stderr) == (0, b"")
