"""A real Codex CLI, installed into a scratch repository by `muninn install codex`, with a scripted model.

Nothing leaves the machine: the model is on loopback, the home folder is the test's own.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import clients
import pytest
from repositories import MUNINN
from responses_model import Call, Request, ResponsesModel, Turn

from muninn_core.client import connect

NAME = "Codex"
ROOT = Path(__file__).resolve().parents[2]
DECIDED = "We decided to keep `users.py` small because it is read on every request."

CONFIG = """\
model = "gpt-5.5"
model_provider = "scripted"
model_auto_compact_token_limit = 90000

[model_providers.scripted]
name = "scripted"
base_url = "{url}"
env_key = "SCRIPTED_KEY"
wire_api = "responses"

[projects."{repo}"]
trust_level = "trusted"
"""
WAITS = "\n[mcp_servers.muninn]\nrequired = true\n"
"""Codex connects servers in the background; with this it waits, so that a test does not depend on who is faster."""

pytestmark = [pytest.mark.client(NAME), pytest.mark.slow, pytest.mark.timeout(900)]


@dataclass(frozen=True)
class Run:
    """One run of Codex: the requests that its model got, and the session's id."""

    session: str
    requests: list[Request]


class Codex:
    """Codex in a repository, with a home folder of its own."""

    def __init__(self, program: Path, repo: Path, home: Path, environ: dict[str, str]) -> None:
        self.program = program
        self.repo = repo
        self.muninn_env = environ
        self.home = home / ".codex"
        self.home.mkdir(parents=True)
        (home / ".gitconfig").write_text("[user]\n\tname = Ada\n\temail = ada@example.org\n")
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "LANG": "C.UTF-8",
            "MUNINN_RUNTIME_DIR": environ["MUNINN_RUNTIME_DIR"],
            "XDG_DATA_HOME": environ["XDG_DATA_HOME"],
            "SCRIPTED_KEY": "none",
            "NO_PROXY": "127.0.0.1,localhost",
        }

    def run(
        self, script: Sequence[Turn], *words: str, input_tokens: Callable[[Request], int] = lambda _request: 1000
    ) -> Run:
        """Let Codex work on a prompt (the last of the words), and return when it has left."""
        options = ["--json", "--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox"]
        with ResponsesModel(script, input_tokens) as model:
            waits = WAITS if (self.repo / ".codex").exists() else ""
            (self.home / "config.toml").write_text(CONFIG.format(url=model.url, repo=self.repo) + waits)
            done = subprocess.run(
                [str(self.program), "exec", *words[:-1], *options, words[-1]],
                cwd=self.repo,
                env=self.env,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=180,
                check=False,
            )
        assert done.returncode == 0, done.stdout + done.stderr
        events = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        (session,) = (event["thread_id"] for event in events if event["type"] == "thread.started")
        return Run(session, model.requests)

    def call(self, verb: str, **params: Any) -> dict[str, Any]:
        """Ask the repository's daemon."""
        with connect(str(self.repo), self.muninn_env) as muninn:
            return muninn.call(verb, params)

    def failures(self) -> list[dict[str, Any]]:
        """Return the events in the hooks' log that failed."""
        log = self.repo / ".muninn" / "local" / "hooks.log"
        entries = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
        return [entry for entry in entries if "error" in entry]

    def warm_up(self) -> None:
        """Let the daemon answer one MCP client, so that it has loaded what that takes."""
        about = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        hello = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about}) + "\n"
        command = [MUNINN, "mcp", "--repo", str(self.repo)]
        with subprocess.Popen(command, env=self.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as pump:
            assert pump.stdin
            assert pump.stdout
            pump.stdin.write(hello)
            pump.stdin.flush()
            assert "serverInfo" in pump.stdout.readline()


@pytest.fixture(scope="session")
def program() -> Path:
    """The pinned Codex; installed when it is not here."""
    done = subprocess.run(
        [str(ROOT / "scripts" / "install-codex.sh")],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    if done.returncode != 0:
        clients.missing(NAME, (done.stderr.strip().splitlines() or ["it can't be installed"])[-1])
    return ROOT / ".tools" / "codex" / "bin" / "codex"


@pytest.fixture
def codex(program: Path, repo: Path, tmp_path: Path, environ: dict[str, str]) -> Codex:
    """Codex with Muninn's hooks and server, in a repository that remembers one decision; the daemon is warm."""
    codex = Codex(program, repo, tmp_path / "home", environ)
    codex.call("remember", text="Sessions live in Postgres, not in Redis.", type="decision", importance=9)
    subprocess.run([MUNINN, "install", "codex", "--repo", str(repo)], env=codex.env, check=True)
    codex.warm_up()
    return codex


def test_a_session_gets_the_brief_commits_recalls_and_leaves_what_was_decided(codex: Codex) -> None:
    subject = "Introduce quotas: a token bucket instead of a counter"
    command = f"echo '# bucket' >> src/users.py && git commit -qam '{subject}'"
    script = [
        [Call("exec_command", {"cmd": command})],
        [Call("recall", {"query": "where do sessions live"}, space="mcp__muninn")],
        [DECIDED],
    ]
    run = codex.run(script, "Please commit.")
    first, second, third = run.requests
    assert "Sessions live in Postgres, not in Redis." in first.said_by("developer")
    assert f"Remembered: {subject}" in second.said_by("developer")
    assert "memory decision" in third.text
    kept = {
        memory["text"].splitlines()[0]: memory for memory in codex.call("memories", session=run.session)["memories"]
    }
    assert set(kept) >= {subject, DECIDED}
    commit = kept[subject]
    assert (commit["type"], commit["trust"], commit["files"]) == ("decision", "commit", ["src/users.py"])
    assert commit["agent"].startswith("codex")
    assert all(memory["sealed"] for memory in kept.values())
    assert codex.failures() == []


def test_what_was_decided_comes_back_after_compaction_and_in_the_session_that_goes_on(codex: Codex) -> None:
    def fills_up(request: Request) -> int:
        results = sum("output" in item for item in request.body["input"])
        return 98_000 if results >= 2 and not request.is_summary else 20_000

    steps: list[Turn] = [[Call("exec_command", {"cmd": f"echo step {number}"})] for number in range(4)]
    script = [[DECIDED, *steps[0]], *steps[1:], ["Done."]]
    run = codex.run(script, "Go.", input_tokens=fills_up)
    (at,) = (number for number, request in enumerate(run.requests) if request.is_summary)
    after = run.requests[at + 1]
    assert "step 0" not in after.text
    assert DECIDED in after.said_by("developer")
    (memory,) = codex.call("memories", session=run.session, type="decision")["memories"]
    assert (memory["text"], memory["trust"]) == (DECIDED, "agent")
    then = codex.run([["On."]], "resume", run.session, "Go on.")
    assert then.session == run.session
    assert DECIDED in then.requests[0].said_by("developer")
    assert codex.failures() == []


def test_a_daemon_that_was_killed_holds_no_session_up(codex: Codex) -> None:
    os.kill(codex.call("status")["pid"], 9)
    run = codex.run([["Good."]], "Where do sessions live?")
    assert "Sessions live in Postgres, not in Redis." in run.requests[0].said_by("developer")


def test_after_uninstalling_codex_knows_nothing_of_it(codex: Codex) -> None:
    subprocess.run([MUNINN, "uninstall", "codex", "--repo", str(codex.repo)], env=codex.env, check=True)
    assert not (codex.repo / ".codex").exists()
    run = codex.run([["I don't know."]], "Where do sessions live?")
    assert "Postgres" not in run.requests[0].text
    assert "mcp__muninn" not in run.requests[0].text
