"""Whole sessions of a real Claude Code: requests to the model, contents of `.muninn`, and failing daemons."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest
from bench.agent_models.messages import Call, Request
from claude_code import NAME, ClaudeCode
from repositories import PATIENCE, daemon_pid, git

pytestmark = [pytest.mark.client(NAME), pytest.mark.slow]

QUOTA = "#!/bin/sh\ngrep -q bucket src/users.py || { echo 'error: the quota has no bucket' >&2; exit 3; }\n"
SUBJECT = "Introduce quotas: a token bucket instead of a counter"


def full(request: Request) -> int:
    """Seem full once the model has answered five times, so that the conversation is compacted."""
    answers = sum(message["role"] == "assistant" for message in request.body["messages"])
    return 98_000 if request.kind == "turn" and answers >= 5 else 30_000


def test_a_session_that_fails_commits_compacts_and_resumes(claude: ClaudeCode) -> None:
    (claude.repo / "check.sh").write_text(QUOTA)
    users = str(claude.repo / "src" / "users.py")
    edit = {"file_path": users, "old_string": "USERS = {}", "new_string": "USERS = {}  # bucket"}
    steps = [
        ["We decided to keep quotas in `users.py` because every request reads it.", Call("Read", {"file_path": users})],
        [Call("Bash", {"command": "sh check.sh"})],
        [Call("Edit", edit)],
        [Call("Bash", {"command": "sh check.sh"})],
        [Call("Bash", {"command": f"git add -A && git commit -qm '{SUBJECT}'"})],
        [Call("Bash", {"command": "echo on"})],
        ["Next steps: tell the tenants about their quotas"],
    ]
    prompt = "Sessions live in Redis now, don't they? Add quotas."
    run = claude.run(steps, prompt, "--autocompact", "100000", input_tokens=full)
    first, *_ = run.model.of("turn")
    assert "# Memory of" in first.text
    assert first.text.count("Sessions live in Postgres, not in Redis.") == 1  # in the brief, so not once more
    (asked,) = run.model.of("summary")
    after = next(one for one in run.model.requests[run.model.requests.index(asked) :] if one.kind == "turn")
    assert "We decided to keep quotas in `users.py`" in after.text

    memories = {
        each["type"]: each for each in claude.call("memories", limit=50)["memories"] if each["session"] == run.session
    }
    attempt, summary = memories["attempt"], memories["session_summary"]
    assert attempt["details"] == {"command": "sh check.sh", "exit_status": 3, "error": "error: the quota has no bucket"}
    assert attempt["files"] == ["src/users.py"]
    assert "Changed src/users.py" in summary["text"]
    assert SUBJECT in summary["text"]
    assert memories["decision"]["text"].startswith(("We decided to keep quotas", SUBJECT))
    sealed = "".join(
        path.read_text() for path in (claude.repo / ".muninn/memory/sessions").glob(f"{run.session}*.jsonl")
    )
    assert SUBJECT in sealed
    assert "tell the tenants" not in sealed  # what is open is of interest here and now

    again = [["Again.", Call("Bash", {"command": "git checkout -q HEAD~1 -- src && sh check.sh"})], ["Fine."]]
    later = claude.run(again, "Go on.", "--resume", run.session)
    assert SUBJECT in later.model.of("turn")[0].text
    then = claude.run([["I see."]], "Is all well?")
    (opening,) = then.model.of("turn")
    assert "Left open: tell the tenants about their quotas." in opening.text
    assert "`sh check.sh` failed: error: the quota has no bucket" in opening.text
    assert "It passed once src/users.py had been changed." in opening.text
    assert claude.failures() == []


def test_a_prompt_is_answered_with_what_is_remembered_once_and_else_with_nothing(claude: ClaudeCode) -> None:
    filler = [{"text": f"Module {number} was written on day {number}.", "importance": 8} for number in range(60)]
    claude.call(
        "remember", text="Exports are written by a worker, never in the request.", type="constraint", importance=2
    )
    claude.call("remember", batch=filler)
    prompt = "Write the exports in the request, not in a worker."
    first = claude.run([["Fine."]], prompt)
    (asked,) = first.model.of("turn")
    assert asked.text.count("Exports are written by a worker, never in the request.") == 1
    assert "# Remembered about this (Muninn)" in asked.text
    again = claude.run([["Fine."]], prompt, "--resume", first.session)
    assert again.model.of("turn")[0].text.count("# Remembered about this (Muninn)") == 1  # the one in its history
    other = claude.run([["Fine."]], "Thanks, looks good.")
    assert "# Remembered about this (Muninn)" not in other.model.of("turn")[0].text
    assert claude.failures() == []


def test_the_plugin_does_the_same_from_an_installation_by_our_command(bare: ClaudeCode) -> None:
    assert "installed the plugin" in bare.muninn("install", "claude-code", "--plugin")
    bare.warm_up()
    command = f"echo '# bucket' >> src/users.py && git commit -qam '{SUBJECT}'"
    recall = Call("mcp__plugin_muninn_muninn__recall", {"query": "where do sessions live"})
    run = bare.run([[recall, Call("Bash", {"command": command})], ["Done."]], "Please commit.")
    first, second = run.model.of("turn")
    assert "Sessions live in Postgres, not in Redis." in first.text
    assert "muninn:recall" in json.dumps(first.body)
    assert f"Remembered: {SUBJECT}" in second.text
    (memory,) = bare.call("memories", tag="commit")["memories"]
    assert (memory["session"], memory["sealed"]) == (run.session, True)
    assert {entry["event"] for entry in bare.events()} >= {"session-start", "user-prompt", "post-commit", "stop"}
    assert bare.failures() == []
    bare.muninn("uninstall", "claude-code", "--plugin")
    assert not (bare.repo / ".claude").exists()
    after = bare.run([["I don't know."]], "Where do sessions live?")
    assert "Postgres" not in after.model.of("turn")[0].text


def test_both_plugins_pass_the_strict_validation(program: Path, tmp_path: Path) -> None:
    from muninn_hooks.plugin import folder

    for plugin in (Path(folder()), Path(folder()) / "lsp"):
        done = subprocess.run(
            [str(program), "plugin", "validate", "--strict", str(plugin)],
            env={**os.environ, "HOME": str(tmp_path), "DISABLE_AUTOUPDATER": "1", "DISABLE_TELEMETRY": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_a_daemon_that_is_killed_or_was_never_there_is_started_by_the_session(claude: ClaudeCode) -> None:
    pid = daemon_pid(claude.repo, claude.muninn_env)
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    psutil.Process(pid).wait(PATIENCE) if psutil.pid_exists(pid) else None
    run = claude.run([["Good."]], "Where do sessions live?")
    assert "Sessions live in Postgres, not in Redis." in run.model.of("turn")[0].text
    assert daemon_pid(claude.repo, claude.muninn_env) not in (None, pid)


def test_a_session_goes_on_while_the_daemon_hangs_and_is_summed_up_once_it_is_back(claude: ClaudeCode) -> None:
    pid = daemon_pid(claude.repo, claude.muninn_env)
    assert pid is not None
    claude.env["MUNINN_HOOK_SECONDS"] = "1"
    os.kill(pid, signal.SIGSTOP)
    try:
        command = f"echo '# bucket' >> src/users.py && git commit -qam '{SUBJECT}'"
        run = claude.run([["I commit.", Call("Bash", {"command": command})], ["Done."]], "Please commit.")
    finally:
        os.kill(pid, signal.SIGCONT)
    assert git(claude.repo, "log", "-1", "--format=%s").strip() == SUBJECT
    assert {entry["error"] for entry in claude.failures()} == {"no answer within 1 s"}
    assert {entry["event"] for entry in claude.failures()} >= {"session-start", "user-prompt", "session-end"}
    claude.call("brief", session="the-next", source="startup")
    summary = next(each for each in claude.call("memories")["memories"] if each["type"] == "session_summary")
    assert summary["session"] == run.session
    assert SUBJECT in json.dumps(claude.call("memories", tag="commit"))


def test_two_sessions_at_once_in_two_work_trees_keep_to_themselves(claude: ClaudeCode, tmp_path: Path) -> None:
    git(claude.repo, "add", "-A")
    git(claude.repo, "commit", "-qm", "Connect Claude Code")
    other = tmp_path / "other"
    git(claude.repo, "worktree", "add", "-q", "-b", "other", str(other))
    settings = claude.repo / ".claude" / "settings.local.json"
    (other / ".claude").mkdir(exist_ok=True)
    (other / ".claude" / "settings.local.json").write_bytes(settings.read_bytes())

    def work(place: Path, subject: str) -> str:
        command = f"echo '# more' >> src/users.py && git commit -qam '{subject}'"
        run = claude.run([["I commit.", Call("Bash", {"command": command})], ["Done."]], "Please commit.", at=place)
        assert f"Remembered: {subject}" in run.model.of("turn")[1].text
        return run.session

    subjects = {claude.repo: "Migrate sessions to Postgres", other: "Introduce an event log instead of a queue table"}
    with ThreadPoolExecutor(2) as both:
        sessions = dict(zip(subjects, both.map(work, subjects, subjects.values()), strict=True))
    for place, subject in subjects.items():
        claude.assert_remembers(subject, sessions[place], place)
