"""`muninn hook EVENT` as an agent runs it: a process with JSON on stdin. It never fails, and never waits for long."""

from __future__ import annotations

import importlib
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from repositories import MUNINN, PATIENCE, kill_daemon
from transcripts import Transcript

from muninn_core.client import connect
from muninn_core.launch.lock import FileLock
from muninn_core.launch.repository_location import locate
from muninn_core.launch.runtime import Address
from muninn_core.protocol.catalogue import METHODS
from muninn_hooks import hook_log
from muninn_hooks.main import EVENTS
from muninn_hooks.payload import CURSOR, Payload

PROGRAM = [sys.executable, "-I", "-c", "import sys; from muninn_hooks.main import main; sys.exit(main(sys.argv[1:]))"]


class Agent:
    """A repository, and an agent that fires events at it."""

    def __init__(self, root: Path, environ: dict[str, str]) -> None:
        self.root = root
        self.env = {"MUNINN_HOOK_SECONDS": "30", **environ}  # a busy machine is no reason to fail

    def fire(self, event: str, **fields: Any) -> subprocess.CompletedProcess[str]:
        """Send an event with the usual fields."""
        payload = {"session_id": "s-1", "cwd": str(self.root), "transcript_path": "", **fields}
        return self.send(event, json.dumps(payload))

    def send(
        self, event: str, stdin: str, options: tuple[str, ...] = (), **env: str
    ) -> subprocess.CompletedProcess[str]:
        """Send an event unchanged."""
        return subprocess.run(
            [*PROGRAM, event, *options],
            input=stdin,
            env={**self.env, **env},
            cwd="/",
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )

    def commit(self, subject: str) -> None:
        """Change a file and commit it."""
        with (self.root / "src" / "users.py").open("a") as file:
            file.write("# more\n")
        author = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
        subprocess.run(["git", *author, "commit", "-qam", subject], cwd=self.root, check=True, capture_output=True)

    def call(self, verb: str, **params: Any) -> dict[str, Any]:
        """Call the daemon as any other client does."""
        with connect(str(self.root), self.env) as client:
            return client.call(verb, params)

    def stop_daemon(self) -> None:
        """Stop it and wait until it hangs up."""
        with connect(str(self.root), self.env, start=False) as client:
            client.call("shutdown")
            _, stream = client.detach()
            assert stream.read() == b""

    def runs(self) -> list[dict[str, Any]]:
        """Return the entries of the hooks' log."""
        path = Path(hook_log.log_path(str(self.root)))
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []

    def log(self) -> list[dict[str, Any]]:
        """Return those of events that failed."""
        return [entry for entry in self.runs() if "error" in entry]


@pytest.fixture
def agent(plain_repo: Path, environ: dict[str, str]) -> Agent:
    """An agent in a repository with an empty memory folder; no daemon runs."""
    (plain_repo / ".muninn").mkdir()
    return Agent(plain_repo, environ)


@pytest.fixture
def remembering(repo: Path, environ: dict[str, str]) -> Agent:
    """An agent in a repository that remembers one decision; its daemon is warm."""
    agent = Agent(repo, environ)
    agent.call("remember", text="Sessions live in Postgres.", type="decision", importance=9)
    return agent


def silent(done: subprocess.CompletedProcess[str]) -> bool:
    return (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_session_starts_with_the_brief_and_without_a_warm_daemon(remembering: Agent) -> None:
    remembering.stop_daemon()
    done = remembering.fire("session-start", source="startup")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Sessions live in Postgres." in done.stdout
    assert len(done.stdout) <= 4001
    assert not done.stdout.startswith("{")
    assert remembering.log() == []


def test_the_brief_names_a_program_that_the_session_can_run(remembering: Agent) -> None:
    payload = json.dumps({"session_id": "s-1", "cwd": str(remembering.root), "source": "startup"})
    found = {}
    for path in (f"{Path(MUNINN).parent}:/usr/bin:/bin", "/usr/bin:/bin"):
        done = subprocess.run(
            [MUNINN, "hook", "session-start"],
            input=payload,
            env={**remembering.env, "PATH": path},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=True,
        )
        found[path] = done.stdout.rpartition("More: `")[2].partition(" recall")[0]
    assert list(found.values()) == ["muninn", str(MUNINN)]


def test_hooks_that_are_switched_off_print_and_record_nothing(remembering: Agent) -> None:
    payload = json.dumps({"session_id": "s-off", "cwd": str(remembering.root), "source": "startup"})
    done = remembering.send("session-start", payload, MUNINN_HOOKS="off")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    log = remembering.root / ".muninn" / "local" / "hooks.log"
    assert not log.exists() or "session-start" not in log.read_text()


def test_a_significant_commit_is_remembered_once_and_told_as_context(remembering: Agent) -> None:
    remembering.fire("session-start", source="startup")
    remembering.commit("Migrate sessions to Postgres instead of Redis")
    done = remembering.fire("post-commit", tool_name="Bash", tool_input={"command": "git commit"})
    assert remembering.log() == []
    output = json.loads(done.stdout)["hookSpecificOutput"]
    assert output["hookEventName"] == "PostToolUse"
    assert "Migrate sessions to Postgres" in output["additionalContext"]
    (memory,) = remembering.call("memories", tag="commit")["memories"]
    assert (memory["type"], memory["session"], memory["files"]) == ("decision", "s-1", ["src/users.py"])
    assert silent(remembering.fire("post-commit", tool_name="Bash"))
    assert remembering.call("memories", tag="commit")["total"] == 1


def test_a_commit_that_does_not_matter_is_passed_over_in_silence(remembering: Agent) -> None:
    remembering.fire("session-start", source="startup")
    remembering.commit("Fix typo")
    assert silent(remembering.fire("post-commit", tool_name="Bash"))
    assert remembering.call("memories", tag="commit")["total"] == 0


def test_decisions_are_captured_before_compaction_and_given_back_after_it(remembering: Agent, tmp_path: Path) -> None:
    said = {"role": "user", "content": "Never log the e-mail addresses of customers."}
    transcript = tmp_path / "session.jsonl"
    transcript.write_text(json.dumps({"type": "user", "message": said}) + "\n")
    done = remembering.fire("pre-compact", trigger="auto", transcript_path=str(transcript))
    assert done.returncode == 0
    assert 1 <= len(done.stdout.splitlines()) <= 3
    assert "stored 1 statement" in done.stdout
    (memory,) = remembering.call("memories", tag="session")["memories"]
    assert (memory["type"], memory["actor"], memory["trust"]) == ("constraint", "user", "user")
    brief = remembering.fire("session-start", source="compact").stdout
    assert "Never log the e-mail addresses" in brief
    again = remembering.fire("pre-compact", trigger="auto", transcript_path=str(transcript))
    assert "stored" not in again.stdout
    assert remembering.call("memories", tag="session")["total"] == 1


def test_a_session_that_ends_is_sealed(remembering: Agent) -> None:
    remembering.call("remember", text="Quotas are a token bucket a tenant.", session="s-1")
    assert silent(remembering.fire("session-end", reason="other"))
    segments = list((remembering.root / ".muninn/memory/sessions").glob("s-1*.jsonl"))
    assert len(segments) == 1
    assert "token bucket" in segments[0].read_text("utf-8")
    assert remembering.log() == []


def test_an_error_of_the_daemon_goes_to_the_log_and_not_to_the_agent(remembering: Agent) -> None:
    assert silent(remembering.fire("pre-compact", transcript_path="/missing/session.jsonl"))
    (entry,) = remembering.log()
    assert entry["event"] == "pre-compact"
    assert "/missing/session.jsonl can't be read" in entry["error"]
    assert entry["ts"].endswith("Z")


def test_a_daemon_that_never_answers_is_left_alone_when_the_budget_is_spent(agent: Agent) -> None:
    address = Address(agent.env["MUNINN_RUNTIME_DIR"], locate(str(agent.root)).identity)
    with socket.socket(socket.AF_UNIX) as deaf:
        deaf.bind(address.socket)
        deaf.listen()
        start = time.monotonic()
        agent.env["MUNINN_HOOK_SECONDS"] = "none"
        assert silent(agent.fire("session-end", reason="other"))
        assert time.monotonic() - start < 30  # starting a daemon may take 60
    assert [entry["error"] for entry in agent.log()] == ["no answer within 1.2 s"]


def test_a_daemon_that_does_not_get_to_start_is_left_alone_when_the_budget_is_spent(agent: Agent) -> None:
    address = Address(agent.env["MUNINN_RUNTIME_DIR"], locate(str(agent.root)).identity)
    lock = FileLock(address.lock)
    assert lock.acquire()
    try:
        start = time.monotonic()
        agent.env["MUNINN_HOOK_SECONDS"] = "2"
        assert silent(agent.fire("session-end", reason="other"))
        assert time.monotonic() - start < 30  # the client goes on to start daemons for 60
    finally:
        lock.release()
    assert [entry["error"] for entry in agent.log()] == ["no answer within 2 s"]
    assert Path(address.log).exists(), "no daemon was started"
    assert len(os.listdir(agent.root / ".muninn/local/inbox")) == 1


def test_an_agent_that_never_closes_stdin_does_not_hold_the_hook(agent: Agent) -> None:
    process = subprocess.Popen(
        [*PROGRAM, "session-end"],
        env={**agent.env, "CLAUDE_PROJECT_DIR": str(agent.root), "MUNINN_HOOK_SECONDS": ""},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin
    try:
        assert process.wait(timeout=PATIENCE) == 0
        process.stdin.close()
        assert process.stdout
        assert process.stderr
        assert process.stdout.read() + process.stderr.read() == b""
    finally:
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream:
                stream.close()


def test_a_pipe_instead_of_a_transcript_does_not_block(remembering: Agent, tmp_path: Path) -> None:
    pipe = tmp_path / "session.jsonl"
    os.mkfifo(pipe)
    for event in ("pre-compact", "stop", "session-end"):
        assert silent(remembering.fire(event, transcript_path=str(pipe)))
    (entry,) = remembering.log()
    assert entry["error"].endswith("it is not a regular file. The agent names it in its hook's payload.")
    remembering.call("remember", text="Others can still store.")


def test_a_transcript_of_random_bytes_brings_nothing(remembering: Agent, tmp_path: Path) -> None:
    transcript = tmp_path / "session.jsonl"
    transcript.write_bytes(random.Random(7).randbytes(200_000))
    before = remembering.call("memories")["total"]
    for event in ("pre-compact", "stop", "session-end"):
        assert remembering.fire(event, transcript_path=str(transcript)).returncode == 0
    assert remembering.log() == []
    assert remembering.call("memories")["total"] == before


@pytest.mark.parametrize("odd", [b"\xff\xfe", b"\\ud83d", b"\\u0000"])
def test_signs_that_are_none_do_not_hide_the_prompt(remembering: Agent, odd: bytes) -> None:
    remembering.call("recall", query="sessions")  # it waits until what was stored is searchable
    cwd = json.dumps(str(remembering.root)).encode()
    raw = b'{"session_id": "s-1", "cwd": %s, "prompt": "Do sessions live in Postgres? %s"}' % (cwd, odd)
    done = subprocess.run([*PROGRAM, "user-prompt"], input=raw, env=remembering.env, capture_output=True, check=True)
    assert b"Sessions live in Postgres." in done.stdout
    assert remembering.log() == []


def test_paths_of_windows_in_an_event_are_no_obstacle(remembering: Agent) -> None:
    remembering.call("recall", query="sessions")
    place = {"cwd": r"C:\work\repo", "transcript_path": r"C:\Users\ada\s.jsonl", "session_id": "s-9"}
    env = {"CLAUDE_PROJECT_DIR": str(remembering.root)}
    prompt = json.dumps({**place, "prompt": "Do sessions live in Postgres?"})
    assert "Sessions live in Postgres." in remembering.send("user-prompt", prompt, **env).stdout
    for event in ("stop", "session-end"):
        assert silent(remembering.send(event, json.dumps(place), **env))
    assert remembering.log() == []


@pytest.mark.parametrize("raw", ["", "not json", "[1]", '{"cwd": '])
def test_an_invalid_payload_is_logged_in_the_agents_project(agent: Agent, raw: str) -> None:
    assert silent(agent.send("session-start", raw, CLAUDE_PROJECT_DIR=str(agent.root)))
    (entry,) = agent.log()
    assert "JSON can't be read" in entry["error"]


def test_the_repository_is_found_from_the_payload_else_from_the_agents_project(remembering: Agent) -> None:
    inner = remembering.root / "a" / "b"
    inner.mkdir(parents=True)
    assert "Sessions live in Postgres." in remembering.fire("session-start", cwd=str(inner)).stdout
    odd: list[dict[str, Any]] = [{"cwd": 7, "session_id": ["x"]}, {"cwd": "/missing", "session_id": "../x"}, {}]
    for payload in odd:
        done = remembering.send("session-start", json.dumps(payload), CLAUDE_PROJECT_DIR=str(inner))
        assert "Sessions live in Postgres." in done.stdout, payload
    assert remembering.log() == []


@pytest.mark.parametrize("event", list(EVENTS))
def test_a_repository_without_memory_is_left_alone(agent: Agent, event: str) -> None:
    (agent.root / ".muninn").rmdir()
    assert silent(agent.fire(event))
    assert silent(agent.send(event, "not json", CLAUDE_PROJECT_DIR=str(agent.root)))
    assert os.listdir(agent.env["MUNINN_RUNTIME_DIR"]) == []
    assert not (agent.root / ".muninn").exists()


def test_the_shape_that_codex_sends_is_taken_too(remembering: Agent) -> None:
    remembering.fire("session-start", source="startup", turn_id="t1", model="m")
    remembering.commit("Introduce an event log instead of a queue table")
    remembering.fire("post-commit", turn_id="t1", tool_name="Bash", tool_response="[main 1234567] …")
    assert [one["agent"] for one in remembering.call("memories", tag="commit")["memories"]] == ["codex"]


def test_the_command_names_the_agent(remembering: Agent) -> None:
    payload = {"session_id": "s-1", "cwd": str(remembering.root), "timestamp": "2026-01-01T00:00:00Z"}
    done = remembering.send("session-start", json.dumps(payload), options=("--agent", "claude-code"))
    assert "Sessions live in Postgres." in done.stdout
    assert not done.stdout.startswith("{")
    done = remembering.send("session-start", json.dumps(payload), options=("--agent", "cursor"))
    assert "Sessions live in Postgres." in json.loads(done.stdout)["additional_context"]


@pytest.mark.parametrize("options", [("--agent", "parrot"), ("--agent",), ("codex",), ("--agent", "codex", "x")])
def test_an_agent_that_does_not_exist_is_told_and_blocks_no_agent(agent: Agent, options: tuple[str, ...]) -> None:
    done = agent.send("session-start", "{}", options=options)
    assert (done.returncode, done.stdout) == (1, "")
    assert "AGENT is one of\n  claude-code, codex," in done.stderr


@pytest.mark.parametrize("event", EVENTS)
def test_an_event_calls_a_verb_that_may_be_sent_again(event: str) -> None:
    fields = {
        "session_id": "s-1",
        "transcript_path": "/transcript.jsonl",
        "prompt": "Move the sessions to Redis.",
        "tool_input": {"command": "git commit -m x"},
        "error": "Exit code 1",
        "generation_id": "g-1",
    }
    request = importlib.import_module(f"muninn_hooks.{EVENTS[event]}").request(Payload(fields, CURSOR))
    assert METHODS[request[0]].repeatable


def test_an_event_that_does_not_exist_is_told_and_blocks_no_agent(agent: Agent) -> None:
    done = agent.fire("session-begin")
    assert done.returncode == 1  # agents take 2 as "block this"
    assert "session-start" in done.stderr


def test_the_hook_loads_nothing_heavy(remembering: Agent) -> None:
    watch = (
        "import sys; from muninn_hooks.main import main; main(['session-start']);"
        "print(*sorted(sys.modules), sep='\\n', file=sys.stderr)"
    )
    payload = json.dumps({"cwd": str(remembering.root), "source": "startup"})
    done = subprocess.run(
        [sys.executable, "-I", "-c", watch],
        input=payload,
        env=remembering.env,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Sessions live in Postgres." in done.stdout
    heavy = {"argparse", "msgspec", "rich", "pathlib", "dataclasses", "subprocess", "asyncio", "logging", "typing"}
    # A development installation's path hook loads pathlib and typing before we begin.
    already = subprocess.run(
        [sys.executable, "-I", "-c", "import sys; print(*sys.modules)"], capture_output=True, text=True, check=True
    )
    assert heavy & set(done.stderr.split()) - set(already.stdout.split()) == set()


def test_the_log_keeps_its_newer_half_when_it_grows_too_long(tmp_path: Path) -> None:
    for number in range(200):
        hook_log.append(str(tmp_path), "session-start", f"{number} " + "x" * 1990)
    path = Path(hook_log.log_path(str(tmp_path)))
    assert path.stat().st_size <= hook_log.MAX_BYTES
    entries = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    numbers = [int(entry["error"].split()[0]) for entry in entries]
    assert numbers == list(range(numbers[0], 200))
    assert len(numbers) > 60


def test_an_unwritable_log_does_not_fail_the_hook(tmp_path: Path) -> None:
    (tmp_path / ".muninn").write_text("a file where the folder should be")
    hook_log.append(str(tmp_path), "session-start", "any")
    assert (tmp_path / ".muninn").read_text() == "a file where the folder should be"


CURSOR_FIELDS = {"conversation_id": "c-1", "generation_id": "g-1", "model": "m", "cursor_version": "2.4.0"}
SHELL = {"tool_name": "Shell", "tool_use_id": "u-1"}


def from_cursor(agent: Agent, event: str, name: str, **fields: Any) -> bool:
    payload = {**CURSOR_FIELDS, "hook_event_name": name, "workspace_roots": [str(agent.root)], **fields}
    return silent(agent.send(event, json.dumps(payload), options=("--agent", CURSOR)))


def turn(agent: Agent) -> None:
    """A turn: a prompt, a command that fails, one that passes, an answer."""
    assert from_cursor(agent, "record", "beforeSubmitPrompt", prompt="Run the checks.", attachments=[])
    from_cursor(
        agent,
        "post-failure",
        "postToolUseFailure",
        **SHELL,
        tool_input={"command": "make"},
        error_message="Exit code 2",
    )
    output = json.dumps({"stdout": "ok", "exitCode": 0})
    passed = {**SHELL, "tool_use_id": "u-2", "tool_input": {"command": "make"}, "tool_output": output}
    assert from_cursor(agent, "post-commit", "postToolUse", **passed)
    assert from_cursor(agent, "record", "afterAgentResponse", text="They pass.")


def recorded(agent: Agent) -> list[tuple[str, str, dict[str, Any]]]:
    hits = agent.call("event.query", session_id="c-1")["hits"]
    events = [hit["event"] for hit in reversed(hits) if not hit["event"]["event_type"].startswith("muninn.")]
    return [(event["event_type"], event["turn_id"], event["payload"]) for event in events]


def waiting_messages(agent: Agent) -> list[Path]:
    return sorted((agent.root / ".muninn/local/inbox").glob("*.json"))


def test_a_turn_is_recorded_from_the_events_and_each_of_them_once(remembering: Agent, tmp_path: Path) -> None:
    turn(remembering)
    (waiting,) = waiting_messages(remembering)  # the answer: the prompt was taken in with the failure
    shutil.copy2(waiting, tmp_path / "again.json")
    from_cursor(remembering, "stop", "stop", status="completed")
    shutil.copy2(tmp_path / "again.json", waiting)  # a crash before the file was deleted
    from_cursor(remembering, "session-end", "sessionEnd", session_id="c-1", reason="completed")
    found = recorded(remembering)
    assert [(kind, where) for kind, where, _ in found] == [
        ("prompt", "g-1"), ("tool_call", "g-1"), ("tool_call", "g-1"), ("answer", "g-1"),
    ]  # fmt: skip
    assert [about.get("text", about.get("exit_status")) for *_, about in found] == [
        "Run the checks.",
        2,
        0,
        "They pass.",
    ]
    (span,) = remembering.call("span.list", kind="turn")["spans"]
    assert (span["turn_id"], span["status"], span["session_id"]) == ("g-1", "closed", "c-1")
    assert waiting_messages(remembering) == []
    assert remembering.log() == []


def test_without_a_daemon_the_messages_wait_and_are_recorded_with_their_time(remembering: Agent) -> None:
    remembering.stop_daemon()
    assert from_cursor(remembering, "record", "beforeSubmitPrompt", prompt="Run the checks.")
    assert [entry["event"] for entry in remembering.runs()] == ["record"]
    (waiting,) = waiting_messages(remembering)
    assert waiting.stat().st_mode & 0o777 == 0o600
    sent = json.loads(waiting.read_text())["params"]["time"]
    remembering.fire("session-start", session_id="c-1", source="startup")
    (event,) = (hit["event"] for hit in remembering.call("event.query", event_type="prompt")["hits"])
    assert (event["occurred_at"][:19], event["turn_id"]) == (sent[:19], "g-1")


@pytest.mark.parametrize("missing", ["conversation_id", "generation_id"])
def test_a_message_without_session_or_turn_is_passed_over(remembering: Agent, missing: str) -> None:
    payload = {**CURSOR_FIELDS, "workspace_roots": [str(remembering.root)], "prompt": "Hello."}
    del payload[missing]
    assert silent(remembering.send("record", json.dumps(payload), options=("--agent", CURSOR)))
    assert waiting_messages(remembering) == []


@pytest.mark.parametrize("rounds", [3])
def test_a_daemon_that_is_killed_after_a_turn_loses_and_repeats_none_of_it(
    remembering: Agent, tmp_path: Path, rounds: int
) -> None:
    talk, path = Transcript(remembering.root, "s-1"), tmp_path / "talk.jsonl"
    for number in range(rounds):
        talk.said("user", f"Do step {number}.").ran(f"make step-{number}", "ok").said("assistant", f"Did {number}.")
        talk.save(path)
        remembering.fire("stop", transcript_path=str(path), last_assistant_message=f"Did {number}.")
        kill_daemon(remembering.root, remembering.env)
    remembering.fire("session-end", transcript_path=str(path))
    hits = remembering.call("event.query", session_id="s-1", limit=100)["hits"]
    events = [hit["event"] for hit in reversed(hits) if not hit["event"]["event_type"].startswith("muninn.")]
    kinds = [event["event_type"] for event in events if event["event_type"] != "given"]
    assert kinds == ["prompt", "tool_call", "answer"] * rounds
    assert [span["status"] for span in remembering.call("span.list", kind="turn")["spans"]] == ["closed"] * rounds
    assert remembering.call("audit.verify")["ok"]
