"""A real Copilot CLI, installed into a scratch repository by `muninn install copilot`, with a scripted model.

Nothing leaves the machine: the model is on loopback, Copilot is told that it is offline, and the home folder is the
test's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from bench.agent_models.messages import Call, Request, ScriptedModel, Turn
from workbench import Connected, installed

NAME = "Copilot CLI"
DECIDED = "We decided to keep `users.py` small because it is read on every request."

pytestmark = [pytest.mark.client(NAME), pytest.mark.slow]


class Copilot(Connected):
    """Copilot CLI with Muninn's hooks and server."""

    def __init__(self, program: Path, repo: Path, home: Path, environ: dict[str, str]) -> None:
        super().__init__("copilot", repo, home, environ)
        self.program = program

    def work(self, script: Sequence[Turn], prompt: str) -> list[Request]:
        """Let Copilot work on a prompt, and return what its model was asked."""
        with ScriptedModel(script) as model:
            provider = {"TYPE": "anthropic", "BASE_URL": model.url, "API_KEY": "none"}
            env = {f"COPILOT_PROVIDER_{name}": value for name, value in provider.items()}
            env |= {"COPILOT_MODEL": "claude-sonnet-4", "COPILOT_OFFLINE": "true", "COPILOT_AUTO_UPDATE": "false"}
            self.run(self.program, "-p", prompt, "--output-format", "json", **env, COPILOT_ALLOW_ALL="true")
        return model.of("turn")


@pytest.fixture(scope="session")
def program() -> Path:
    """The pinned Copilot CLI."""
    return installed(NAME, "copilot")


@pytest.fixture
def copilot(program: Path, repo: Path, tmp_path: Path, environ: dict[str, str]) -> Copilot:
    """Copilot CLI in a repository that remembers one decision."""
    return Copilot(program, repo, tmp_path / "home", environ)


def bash(command: str) -> Call:
    return Call("bash", {"command": command, "description": "a step"})


def test_a_session_gets_the_brief_commits_fails_recalls_and_is_summed_up(copilot: Copilot) -> None:
    subject = "Introduce quotas: a token bucket instead of a counter"
    check = "sh -c 'test -f src/quota.txt || { echo error: no quota is set; exit 3; }'"
    script: list[Turn] = [
        [bash(f"echo '# bucket' >> src/users.py && git commit -qam '{subject}'")],
        [bash("make nothing")],
        [Call("muninn-recall", {"query": "where do sessions live"})],
        [bash(check)],
        [Call("create", {"path": str(copilot.repo / "src/quota.txt"), "file_text": "3\n"})],
        [bash(check)],
        [Call("task", {"agent_type": "explore", "name": "look", "description": "look", "prompt": "Look at users.py"})],
        ["There is nothing in it."],
        [DECIDED],
    ]
    first, second, third, fourth, *_ = copilot.work(script, "Sessions: do they live in Redis? Then commit.")
    assert first.text.count("Sessions live in Postgres, not in Redis.") >= 1
    assert "muninn-recall" in first.tools
    assert f"Remembered: {subject}" in second.text
    assert "make: ***" in third.text
    assert "memory decision" in fourth.text
    (memory,) = copilot.call("memories", tag="commit")["memories"]
    assert (memory["title"], memory["agent"], memory["sealed"]) == (subject, "copilot", True)
    (turn,) = copilot.turns(memory["session"])
    assert (turn[0], turn[-1], turn.count("tool_call"), turn.count("usage")) == ("prompt", "answer", 7, 8)
    (found,) = copilot.call("candidate.list")["candidates"]
    assert found["text"].startswith(f"`{check}` failed: error: no quota is set\n")
    assert (found["kind"], found["files"], found["agent"]) == ("fixed", ["src/quota.txt"], "copilot")
    fired = [entry["event"] for entry in copilot.events()]
    assert [fired.count(event) for event in ("session-start", "post-failure", "stop", "session-end")] == [1, 2, 1, 1]
    assert copilot.failures() == []


def test_before_it_stops_the_model_is_asked_once_to_remember_what_was_decided(copilot: Copilot) -> None:
    copilot.muninn("config", "set", "memory.ask_agent", "true")
    stored = "src/users.py is kept small: every request reads it."
    remember = Call("muninn-remember", {"text": stored, "type": "decision"})
    first, asked, last = copilot.work([[DECIDED], [remember], ["Stored."]], "Please look at the users.")
    assert "Muninn asks once" not in first.text
    assert f"decision (assistant): {DECIDED}" in asked.text
    assert "Remembered as 0" in last.text
    kept = {memory["text"] for memory in copilot.call("memories")["memories"]}
    assert stored in kept
    assert DECIDED not in kept
    assert copilot.failures() == []


def test_after_uninstalling_copilot_the_model_gets_no_memory(copilot: Copilot) -> None:
    copilot.muninn("uninstall", "copilot")
    assert not (copilot.repo / ".github").exists()
    (first,) = copilot.work([["I don't know."]], "Where do sessions live?")
    assert "Postgres" not in first.text
    assert not any("muninn" in name for name in first.tools)
