"""A real Qwen Code, installed into a scratch repository by `muninn install qwen`, with a scripted model.

Nothing leaves the machine: the model is on loopback, the home folder is the test's own.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from bench.agent_models.messages import Call, Request, ScriptedModel, Turn
from workbench import Connected, installed

NAME = "Qwen Code"
DECIDED = "We decided to keep `users.py` small because it is read on every request."
SETTINGS = {
    "security": {"auth": {"selectedType": "anthropic"}},
    "general": {"disableAutoUpdate": True, "disableUpdateNag": True},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
}

pytestmark = [pytest.mark.client(NAME), pytest.mark.slow]


class Qwen(Connected):
    """Qwen Code with Muninn's hooks and server."""

    def __init__(self, program: Path, repo: Path, home: Path, environ: dict[str, str]) -> None:
        super().__init__("qwen", repo, home, environ)
        self.program = program
        (home / ".qwen").mkdir()
        (home / ".qwen" / "settings.json").write_text(json.dumps(SETTINGS))
        (home / ".qwen" / "trustedFolders.json").write_text(json.dumps({str(repo): "TRUST_FOLDER"}))

    def work(self, script: Sequence[Turn], prompt: str) -> list[Request]:
        """Let Qwen Code work on a prompt, and return what its model was asked."""
        node = shutil.which("node")
        assert node
        with ScriptedModel(script) as model:
            env = {"ANTHROPIC_API_KEY": "none", "ANTHROPIC_BASE_URL": model.url, "NO_BROWSER": "1"}
            words = ("--auth-type", "anthropic", "--model", "claude-sonnet-4", "--yolo", "-p", prompt)
            self.run(Path(node), str(self.program), *words, **env)
        return model.of("turn")


@pytest.fixture(scope="session")
def program() -> Path:
    """The pinned Qwen Code."""
    return installed(NAME, "qwen")


@pytest.fixture
def qwen(program: Path, repo: Path, tmp_path: Path, environ: dict[str, str]) -> Qwen:
    """Qwen Code in a repository that remembers one decision."""
    return Qwen(program, repo, tmp_path / "home", environ)


def shell(command: str) -> Call:
    return Call("run_shell_command", {"command": command, "is_background": False})


def test_a_session_gets_the_brief_commits_fails_recalls_and_is_recorded(qwen: Qwen) -> None:
    subject = "Introduce quotas: a token bucket instead of a counter"
    script: list[Turn] = [
        [shell(f"echo '# bucket' >> src/users.py && git commit -qam '{subject}'")],
        [shell("make nothing")],
        [Call("write_file", {"file_path": str(qwen.repo / "src/quota.txt"), "content": "3\n"})],
        [DECIDED],
    ]
    first, second, third, _ = qwen.work(script, "Sessions: do they live in Redis? Then commit.")
    assert "Sessions live in Postgres, not in Redis." in first.text
    assert f"Remembered: {subject}" in second.text
    assert "Exit Code: 2" in third.text  # its terminal may lose the output
    (memory,) = qwen.call("memories", tag="commit")["memories"]
    assert (memory["title"], memory["agent"]) == (subject, "qwen")
    (turn,) = qwen.turns(memory["session"])
    assert (turn[0], turn[-2:], turn.count("tool_call"), turn.count("usage")) == ("prompt", ["answer", "usage"], 3, 4)
    fired = [entry["event"] for entry in qwen.events()]
    assert [fired.count(event) for event in ("session-start", "post-failure", "stop")] == [1, 1, 1]
    assert qwen.failures() == []


def test_before_it_stops_the_model_is_asked_once_to_remember_what_was_decided(qwen: Qwen) -> None:
    qwen.muninn("config", "set", "memory.ask_agent", "true")
    first, asked, *_ = qwen.work([[DECIDED], ["Nothing to add."]], "Please look at the users.")
    assert "Muninn asks once" not in first.text
    assert f"decision (assistant): {DECIDED}" in asked.text
    assert qwen.failures() == []


def test_after_uninstalling_qwen_the_model_gets_no_memory(qwen: Qwen) -> None:
    qwen.muninn("uninstall", "qwen")
    first, *_ = qwen.work([["I don't know."]], "Where do sessions live?")
    assert "Postgres" not in first.text
