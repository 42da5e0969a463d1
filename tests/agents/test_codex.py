"""A real Codex CLI, installed into a scratch repository by `muninn install codex`, with a scripted model.

Nothing leaves the machine: the model is on loopback, the home folder is the test's own.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
from bench.agent_models.responses import Call, Request, ResponsesModel, Turn
from repositories import PATIENCE, daemon_pid, git, stop_daemon
from workbench import Connected, installed

from muninn_hooks.hook_log import log_path

NAME = "Codex"
DECIDED = "We decided to keep `users.py` small because it is read on every request."

CONFIG = """\
model = "gpt-5.5"
model_provider = "scripted"
model_auto_compact_token_limit = 90000

[model_providers.scripted]
name = "scripted"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
"""
TRUST = """
[projects."{place}"]
trust_level = "trusted"
"""
WAITS = ("-c", "mcp_servers.muninn.required=true", "-c", f"mcp_servers.muninn.startup_timeout_sec={PATIENCE:.0f}")
"""Codex connects servers in the background. These settings make it wait, so that tests do not depend on timing."""

pytestmark = [pytest.mark.client(NAME), pytest.mark.slow]


@dataclass(frozen=True)
class Run:
    """One run of Codex: the requests that its model got, and the session's id."""

    session: str
    requests: list[Request]


class Codex(Connected):
    """Codex with Muninn's hooks and server."""

    def __init__(self, program: Path, repo: Path, home: Path, environ: dict[str, str]) -> None:
        super().__init__("codex", repo, home, environ)
        self.program = program
        (home / ".codex").mkdir()
        (home / ".codex" / "config.toml").write_text(CONFIG)
        self.trust(repo)

    def trust(self, place: Path) -> None:
        """Make Codex trust the `.codex` folder of a work tree."""
        with (self.home / ".codex" / "config.toml").open("a") as config:
            config.write(TRUST.format(place=place))

    def work(
        self,
        script: Sequence[Turn],
        *words: str,
        input_tokens: Callable[[Request], int] = lambda _request: 1000,
        waits: bool = True,
        at: Path | None = None,
    ) -> Run:
        """Let Codex work on a prompt (the last of the words), in the repository or `at` another work tree."""
        place = at or self.repo
        options = ["--json", "--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox"]
        with ResponsesModel(script, input_tokens) as model:
            options += ["-c", f'model_providers.scripted.base_url="{model.url}/v1"']
            if waits and (place / ".codex").exists():
                options += WAITS
            events = self.run(self.program, "exec", *words[:-1], *options, words[-1], at=place, SCRIPTED_KEY="none")
        (session,) = (event["thread_id"] for event in events if event["type"] == "thread.started")
        return Run(session, model.requests)


@pytest.fixture(scope="session")
def program() -> Path:
    """The pinned Codex."""
    return installed(NAME, "codex")


@pytest.fixture
def codex(program: Path, repo: Path, tmp_path: Path, environ: dict[str, str]) -> Codex:
    """Codex in a repository that remembers one decision."""
    return Codex(program, repo, tmp_path / "home", environ)


def test_a_session_gets_the_brief_commits_recalls_and_leaves_what_was_decided(codex: Codex) -> None:
    subject = "Introduce quotas: a token bucket instead of a counter"
    command = f"echo '# bucket' >> src/users.py && git commit -qam '{subject}'"
    script = [
        [Call("exec_command", {"cmd": command})],
        [Call("recall", {"query": "where do sessions live"}, space="mcp__muninn")],
        [Call("remember", {"text": "Quotas are counted for each tenant."}, space="mcp__muninn")],
        [DECIDED],
    ]
    run = codex.work(script, "Please commit.")
    first, second, third, fourth = run.requests
    assert "Sessions live in Postgres, not in Redis." in first.said_by("developer")
    assert f"Remembered: {subject}" in second.said_by("developer")
    assert "memory decision" in third.text
    assert "Remembered as 0" in fourth.text  # by the daemon that the hooks talk to: another one could only read
    kept = {
        memory["text"].splitlines()[0]: memory for memory in codex.call("memories", session=run.session)["memories"]
    }
    assert set(kept) >= {subject, DECIDED}
    commit = kept[subject]
    assert (commit["type"], commit["trust"], commit["files"]) == ("decision", "commit", ["src/users.py"])
    assert commit["agent"].startswith("codex")
    assert all(memory["sealed"] for memory in kept.values())
    (summary,) = codex.call("memories", session=run.session, type="session_summary")["memories"]
    assert subject in summary["text"]
    assert summary["agent"].startswith("codex/")
    (turn,) = codex.turns(run.session)
    keys = {each.body["prompt_cache_key"] for each in run.requests}
    assert keys == {run.session}  # by which the gateway knows the session that hooks record
    assert (turn[0], turn[-2:], turn.count("tool_call"), turn.count("usage")) == ("prompt", ["answer", "usage"], 3, 4)
    assert codex.failures() == []


def test_decisions_return_after_compaction_and_in_a_resumed_session(codex: Codex) -> None:
    def fills_up(request: Request) -> int:
        results = sum("output" in item for item in request.body["input"])
        return 98_000 if results >= 2 and not request.is_summary else 20_000

    steps: list[Turn] = [[Call("exec_command", {"cmd": f"echo step {number}"})] for number in range(4)]
    script = [[DECIDED, *steps[0]], *steps[1:], ["Done."]]
    run = codex.work(script, "Go.", input_tokens=fills_up)
    (at,) = (number for number, request in enumerate(run.requests) if request.is_summary)
    after = run.requests[at + 1]
    assert "step 0" not in after.text
    assert DECIDED in after.said_by("developer")
    (memory,) = codex.call("memories", session=run.session, type="decision")["memories"]
    assert (memory["text"], memory["trust"]) == (DECIDED, "agent")
    then = codex.work([["On."]], "resume", run.session, "Go on.")
    assert then.session == run.session
    assert DECIDED in then.requests[0].said_by("developer")
    assert codex.failures() == []


def test_a_daemon_that_was_never_there_is_started_by_the_session(codex: Codex) -> None:
    stop_daemon(codex.repo, codex.muninn_env)
    assert daemon_pid(codex.repo, codex.muninn_env) is None
    shutil.rmtree(codex.muninn_env["MUNINN_RUNTIME_DIR"])  # nothing is left of it: no socket, no lock
    subject = "Introduce quotas: a token bucket instead of a counter"
    commit = Call("exec_command", {"cmd": f"echo '# bucket' >> src/users.py && git commit -qam '{subject}'"})
    recall = Call("recall", {"query": "where do sessions live"}, space="mcp__muninn")
    run = codex.work([[commit], [recall], ["Done."]], "Please commit.")
    first, second, third = run.requests
    assert "Sessions live in Postgres, not in Redis." in first.said_by("developer")
    assert f"Remembered: {subject}" in second.said_by("developer")
    assert "memory decision" in third.text
    assert daemon_pid(codex.repo, codex.muninn_env) is not None
    assert codex.failures() == []


def test_two_sessions_at_once_in_two_work_trees_keep_to_themselves(codex: Codex, tmp_path: Path) -> None:
    git(codex.repo, "add", "-Af")
    git(codex.repo, "commit", "-qm", "Connect Codex")
    other = tmp_path / "other"
    git(codex.repo, "worktree", "add", "-q", "-b", "other", str(other))
    codex.trust(other)

    def work(place: Path, subject: str) -> str:
        commit = Call("exec_command", {"cmd": f"echo '# more' >> src/users.py && git commit -qam '{subject}'"})
        run = codex.work([["I commit.", commit], ["Done."]], "Please commit.", at=place)
        assert f"Remembered: {subject}" in run.requests[1].said_by("developer")
        return run.session

    subjects = {codex.repo: "Migrate sessions to Postgres", other: "Introduce an event log instead of a queue table"}
    with ThreadPoolExecutor(2) as both:
        sessions = dict(zip(subjects, both.map(work, subjects, subjects.values()), strict=True))
    for place, subject in subjects.items():
        codex.assert_remembers(subject, sessions[place], place)


def test_hooks_that_are_installed_in_a_linked_work_tree_run_there(codex: Codex, tmp_path: Path) -> None:
    codex.muninn("uninstall", "codex")
    linked = tmp_path / "linked"
    git(codex.repo, "worktree", "add", "-q", "-b", "linked", str(linked))
    codex.muninn("install", "codex", at=linked)
    codex.trust(linked)
    codex.work([["Good."]], "Where do sessions live?", at=linked)
    runs = Path(log_path(str(linked))).read_text().splitlines()
    assert [json.loads(run)["event"] for run in runs][:2] == ["session-start", "user-prompt"]


def test_a_daemon_that_was_killed_holds_no_session_up(codex: Codex) -> None:
    os.kill(codex.call("status")["pid"], 9)
    run = codex.work([["Good."]], "Where do sessions live?")
    assert "Sessions live in Postgres, not in Redis." in run.requests[0].said_by("developer")


def test_a_daemon_that_hangs_delays_no_session_and_gets_the_event_later(codex: Codex) -> None:
    pid = codex.call("status")["pid"]
    codex.env["MUNINN_HOOK_SECONDS"] = "1"
    subject = "Introduce quotas: a token bucket instead of a counter"
    command = f"echo '# bucket' >> src/users.py && git commit -qam '{subject}'"
    os.kill(pid, signal.SIGSTOP)
    try:
        run = codex.work([[Call("exec_command", {"cmd": command})], ["Done."]], "Please commit.", waits=False)
    finally:
        os.kill(pid, signal.SIGCONT)
    assert git(codex.repo, "log", "-1", "--format=%s").strip() == subject
    assert {entry["error"] for entry in codex.failures()} == {"no answer within 1 s"}
    codex.call("brief", session="the-next", source="startup")
    kept = codex.call("memories", session=run.session)["memories"]
    assert any(subject in memory["text"] for memory in kept)


def test_after_uninstalling_codex_the_model_gets_no_memory(codex: Codex) -> None:
    codex.muninn("uninstall", "codex")
    assert not (codex.repo / ".codex").exists()
    run = codex.work([["I don't know."]], "Where do sessions live?")
    assert "Postgres" not in run.requests[0].text
    assert "mcp__muninn" not in run.requests[0].text


def test_before_it_stops_the_model_is_asked_once_to_remember_what_was_decided(codex: Codex) -> None:
    codex.muninn("config", "set", "memory.ask_agent", "true")
    stored = "src/users.py is kept small: every request reads it."
    remember = Call("remember", {"text": stored, "type": "decision"}, space="mcp__muninn")
    run = codex.work([[DECIDED], [remember], ["Stored."]], "Please look at the users.")
    first, asked, last = run.requests
    assert "Muninn asks once" not in first.text
    assert f"decision (assistant): {DECIDED}" in asked.said_by("user")
    assert "Remembered as 0" in last.text
    kept = {memory["text"] for memory in codex.call("memories")["memories"]}
    assert stored in kept
    assert DECIDED not in kept
    assert codex.failures() == []
