"""Compares the terminal output of commands with the transcripts in `snapshots`.

A transcript has lines `$ muninn …`, each followed by the command's output and, if it fails, `[exit CODE]`. The
commands run one after the other in one small repository.

`pytest tests/cli/test_cli_output.py --update-snapshots` writes what is printed now into the files, and `git diff` shows
the change. To add a case, add its line to a transcript and update.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from repositories import git

from muninn_cli import main as command
from muninn_cli.verbs import command as verbs
from muninn_core.launch.repository_location import locate
from muninn_core.model.value import encode_json
from muninn_core.protocol.catalogue import decode_params
from muninn_core.protocol.method import Method
from muninn_core.worktree.call_context import CallContext

if TYPE_CHECKING:
    from engines import Muninn

pytest_plugins = ["engines"]

FOLDER = Path(__file__).parent / "snapshots"
TRANSCRIPTS = sorted(FOLDER.glob("*.txt"))

VARYING = {r"\d+\.\d s\b": "SECONDS", r"\bc-[0-9a-f]{16}\b": "CONTEXT", r" · the index lags by .*": ""}
"""Text that differs between runs, and its replacement in a transcript."""


@pytest.fixture
def run(
    plain_repo: Path,
    start: Callable[..., Muninn],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Callable[[str], str]:
    """A function that runs a command line in the repository and returns its output.

    The engine answers in this process, with a clock and ids that are the same in every run.
    """
    muninn = start(plain_repo)
    commit = git(plain_repo, "rev-parse", "HEAD")
    keys = map(str, range(1_000_000))

    def call(method: Method, _given: object, params: dict[str, Any]) -> Any:
        result = muninn.engine.call(
            method.verb, decode_params(method, params), CallContext(location=locate(str(plain_repo)))
        )
        return json.loads(encode_json(result))

    def run_command(line: str) -> str:
        code = command.run(shlex.split(line)[1:])
        printed = capsys.readouterr()
        text = printed.out + printed.err + (f"[exit {code}]\n" if code else "")
        text = text.replace(str(plain_repo), "REPO")
        for pattern, name in {**VARYING, commit[:8] + "[0-9a-f]*": "COMMIT"}.items():
            text = re.sub(pattern, name, text)
        return text

    monkeypatch.setattr(verbs, "_call", call)
    monkeypatch.setattr(verbs, "new_key", lambda: next(keys))
    monkeypatch.chdir(plain_repo)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("CLAUDECODE", raising=False)
    return run_command


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda path: path.stem)
def test_commands_print_what_their_transcript_shows(
    transcript: Path, run: Callable[[str], str], request: pytest.FixtureRequest
) -> None:
    expected = transcript.read_text("utf-8")
    lines = [line[2:] for line in expected.splitlines() if line.startswith("$ ")]
    printed = "\n".join(f"$ {line}\n{run(line)}" for line in lines)
    if request.config.getoption("--update-snapshots"):
        transcript.write_text(printed, "utf-8")
    else:
        assert printed == expected, "if the new output is right, run pytest with --update-snapshots"
    assert lines


def test_there_is_a_transcript_of_each_family_of_output() -> None:
    assert {path.stem for path in TRANSCRIPTS} >= {"memory", "recall", "code", "context", "files", "errors"}
