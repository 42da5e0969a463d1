from __future__ import annotations

import json
import subprocess
import sys

import pytest
from muninn_shell import Shell

COMMAND = [sys.executable, "-I", "-X", "importtime", "-c", "from muninn_cli.main import main; main()"]

HEAVY = {"argparse", "msgspec", "rich", "pathlib", "dataclasses", "subprocess", "asyncio", "muninn_core.model.value"}


def imported(shell: Shell, *words: str) -> set[str]:
    """Run the command and return the names of all modules that it imported; a hook gets an event to answer."""
    payload = {"session_id": "s1", "cwd": str(shell.repo), "hook_event_name": "SessionStart", "source": "startup"}
    event = json.dumps(payload) if words[0] == "hook" else ""
    done = subprocess.run(
        [*COMMAND, *words], input=event, capture_output=True, text=True, cwd=shell.repo, env=shell.environ, check=False
    )
    assert done.returncode == 0, done.stderr
    rows = [row for row in done.stderr.splitlines() if row.startswith("import time:")]
    return {row.rpartition("|")[2].strip() for row in rows}


@pytest.mark.parametrize("words", [("lsp",), ("mcp",), ("mcp", "--tools", "core"), ("hook", "session-start")])
def test_pumps_and_hooks_start_without_what_people_need(shell: Shell, words: tuple[str, ...]) -> None:
    found = imported(shell, *words)
    assert "muninn_core.client" in found
    assert found & HEAVY == set()


def test_a_verb_for_programs_starts_without_a_terminal(shell: Shell) -> None:
    found = imported(shell, "status", "--json")
    assert "argparse" in found
    assert found & {"rich", "shtab", "muninn_hooks", "muninn_server"} == set()
