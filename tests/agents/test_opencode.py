"""A real OpenCode, installed into a scratch repository by `muninn install opencode`, with a scripted model.

Nothing leaves the machine: the model is on loopback, the home folder is the test's own, and npm is told that it is
offline (OpenCode would fetch the types of its plugins).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from bench.agent_models.messages import Call, Request, ScriptedModel, Turn
from workbench import Connected, installed

NAME = "OpenCode"
DECIDED = "We decided to keep `users.py` small because it is read on every request."

OFFLINE = {
    "npm_config_offline": "true",
    **dict.fromkeys(("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "SHARE", "DEFAULT_PLUGINS"), "1"),
}

pytestmark = [pytest.mark.client(NAME), pytest.mark.slow]


@dataclass(frozen=True)
class Run:
    """One run of OpenCode: what its model was asked, and the session's id."""

    session: str
    model: ScriptedModel


class OpenCode(Connected):
    """OpenCode with Muninn's plugin and server."""

    def __init__(self, program: Path, repo: Path, home: Path, environ: dict[str, str]) -> None:
        super().__init__("opencode", repo, home, environ)
        self.program = program
        self.config = home / ".config" / "opencode" / "opencode.json"
        self.config.parent.mkdir(parents=True)

    def work(self, script: Sequence[Turn], *words: str, input_tokens: Callable[[Request], int] | None = None) -> Run:
        """Let OpenCode work on a prompt (the last of the words), and return when it has left."""
        env = {name if name.islower() else f"OPENCODE_DISABLE_{name}": value for name, value in OFFLINE.items()}
        with ScriptedModel(script, input_tokens) as model:
            options = {"baseURL": f"{model.url}/v1", "apiKey": "none"}
            models = {"one": {"name": "one", "limit": {"context": 100_000, "output": 4_000}}}
            provider = {"npm": "@ai-sdk/anthropic", "name": "scripted", "options": options, "models": models}
            names = {"model": "scripted/one", "small_model": "scripted/one", "permission": "allow"}
            self.config.write_text(json.dumps({**names, "provider": {"scripted": provider}}))
            events = self.run(self.program, "run", "--format", "json", *words, **env)
        return Run(events[0]["sessionID"], model)


@pytest.fixture(scope="session")
def program() -> Path:
    """The pinned OpenCode."""
    return installed(NAME, "opencode")


@pytest.fixture
def opencode(program: Path, repo: Path, tmp_path: Path, environ: dict[str, str]) -> OpenCode:
    """OpenCode in a repository that remembers one decision."""
    return OpenCode(program, repo, tmp_path / "home", environ)


def bash(command: str) -> Call:
    return Call("bash", {"command": command, "description": "a step"})


def test_a_session_gets_the_brief_commits_fails_recalls_and_is_summed_up(opencode: OpenCode) -> None:
    subject = "Introduce quotas: a token bucket instead of a counter"
    script = [
        [bash(f"echo '# bucket' >> src/users.py && git commit -qam '{subject}'")],
        [bash("make nothing")],
        [Call("muninn_recall", {"query": "where do sessions live"})],
        [DECIDED],
    ]
    run = opencode.work(script, "Please commit.")
    first, second, _, fourth = run.model.of("turn")
    assert "Sessions live in Postgres, not in Redis." in first.text
    assert f"Remembered: {subject}" in second.text
    assert "memory decision" in fourth.text
    kept = {memory["title"] or memory["text"]: memory for memory in opencode.call("memories", tag="commit")["memories"]}
    assert kept[subject]["agent"] == "opencode"
    assert kept[subject]["session"] == run.session
    (summary,) = opencode.call("memories", session=run.session, type="session_summary")["memories"]
    assert "`make nothing`" in summary["text"]
    (turn,) = opencode.turns(run.session)
    assert (turn[0], turn[-1], turn.count("tool_call"), turn.count("usage")) == ("prompt", "answer", 3, 4)
    assert opencode.failures() == []
    fired = [entry["event"] for entry in opencode.events()]
    assert sorted(fired) == [
        "post-commit", "post-failure", "session-end", "session-start", "stop", "user-prompt"
    ]  # fmt: skip


def test_decisions_return_after_compaction_and_in_a_resumed_session(opencode: OpenCode) -> None:
    def fills_up(request: Request) -> int:
        answers = sum(message["role"] == "assistant" for message in request.body["messages"])
        return 98_000 if request.kind == "turn" and answers >= 2 else 20_000

    script = [[DECIDED, bash("echo step 0")], *([bash(f"echo step {number}")] for number in (1, 2)), ["Done."]]
    run = opencode.work(script, "Go.", input_tokens=fills_up)
    (asked,) = (request for request in run.model.requests if "Keep in the summary: decisions" in request.text)
    assert "Muninn stored 1 statement" in asked.text
    after = next(one for one in run.model.requests[run.model.requests.index(asked) + 1 :] if one.kind == "turn")
    assert "step 0" not in after.text
    assert DECIDED in after.text
    then = opencode.work([["On."]], "--session", run.session, "Go on.")
    assert DECIDED in then.model.of("turn")[0].text
    assert opencode.failures() == []


def test_after_uninstalling_opencode_the_model_gets_no_memory(opencode: OpenCode) -> None:
    opencode.muninn("uninstall", "opencode")
    assert not (opencode.repo / "opencode.json").exists()
    run = opencode.work([["I don't know."]], "Where do sessions live?")
    (first,) = run.model.of("turn")
    assert "Postgres" not in first.text
    assert not any(name.startswith("muninn") for name in first.tools)
