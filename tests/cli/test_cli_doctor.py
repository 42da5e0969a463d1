from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from muninn_shell import Shell


def verdicts(shell: Shell, *, code: int = 0) -> dict[str, dict[str, Any]]:
    done = shell.run("doctor", "--json")
    assert done.returncode == code, done.stdout
    return {check["name"]: check for check in json.loads(done.stdout)["checks"]}


def test_a_sound_repository_has_nothing_to_mend(shell: Shell) -> None:
    found = verdicts(shell)
    assert {"python", "git", "runtime", "config", "daemon", "index", "memory", "hooks", "claude"} <= set(found)
    assert {check["verdict"] for check in found.values()} == {"ok"}


def test_each_check_is_a_line_for_people(shell: Shell) -> None:
    lines = shell.run("doctor").stdout.splitlines()
    assert [line.split()[0] for line in lines if not line.startswith(" ")] == ["ok"] * 9


@pytest.fixture(scope="module")
def ailing(new_shell: Callable[[], Shell]) -> Shell:
    """A repository in which everything that a person can break is broken."""
    made = new_shell()
    made.json("init")
    made.json("remember", "The pier is closed in winter.")
    made.json("seal")
    muninn = made.repo / ".muninn"
    (muninn / "config.yaml").write_text("index:\n  modle: x\n")
    (segment,) = (muninn / "memory" / "sessions").glob("*.jsonl")
    (muninn / "memory" / "sessions" / "broken-1.jsonl").write_text(segment.read_text() + "{half a li\n")
    (muninn / "local" / "hooks.log").write_text(
        '{"ts": "2026-01-02T03:04:05Z", "event": "session-start", "error": "no answer within 2 s"}\nnot json\n'
    )
    (made.repo / ".claude").mkdir()
    (made.repo / ".claude" / "settings.json").write_text("{broken")
    made.run("daemon", "stop")
    return made


@pytest.mark.parametrize(
    ("name", "verdict", "said"),
    [
        ("config", "fail", "config.yaml:2: "),
        ("memory", "warn", "1 malformed line"),
        ("hooks", "warn", "2 failures"),
        ("claude", "fail", "settings.json"),
    ],
)
def test_what_is_broken_is_named_with_a_hint(ailing: Shell, name: str, verdict: str, said: str) -> None:
    check = verdicts(ailing, code=1)[name]
    assert check["verdict"] == verdict
    assert said in check["message"]
    assert check["hint"]


def test_a_failing_hook_is_told_with_its_words(ailing: Shell) -> None:
    told = verdicts(ailing, code=1)["hooks"]["message"]
    assert "2026-01-02T03:04:05Z session-start: no answer within 2 s" in told
    assert "not json" in told


@pytest.mark.parametrize(
    "handler",
    [
        {"type": "command", "command": "muninn", "args": ["hook", "session-start"]},
        {"type": "command", "command": "/opt/bin/muninn hook session-start"},
    ],
)
def test_hooks_are_found_in_the_settings_of_claude_code(
    new_shell: Callable[[], Shell], handler: dict[str, Any]
) -> None:
    shell = new_shell()
    (shell.repo / ".claude").mkdir()
    settings = {"hooks": {"SessionStart": [{"hooks": [handler]}]}}
    (shell.repo / ".claude" / "settings.json").write_text(json.dumps(settings))
    assert "hooks are in" in verdicts(shell)["claude"]["message"]


def test_a_folder_without_git_is_a_warning(shell: Shell, tmp_path_factory: pytest.TempPathFactory) -> None:
    plain = Shell(tmp_path_factory.mktemp("plain"), shell.environ)
    found = verdicts(plain)
    plain.run("daemon", "stop")
    assert found["git"]["verdict"] == "warn"
    assert found["config"]["verdict"] == "warn"
