from __future__ import annotations

import json
import signal
import subprocess
from typing import Any

from interrupts import interruptible
from muninn_shell import COMMAND, Shell
from repositories import PATIENCE

from muninn_core import __version__
from muninn_core.protocol import wire


def speak(shell: Shell, protocol: str, data: bytes, **environ: str) -> subprocess.CompletedProcess[bytes]:
    """Run a proxy, say everything at once, hang up, and return all that was answered."""
    return subprocess.run(
        [*COMMAND, protocol],
        input=data,
        capture_output=True,
        cwd=shell.repo,
        env={**shell.environ, **environ},
        timeout=PATIENCE,
        check=False,
    )


def initialize(number: int) -> dict[str, Any]:
    client = {"name": "test", "version": __version__}
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
    return {"jsonrpc": "2.0", "id": number, "method": "initialize", "params": params}


def test_an_editor_reaches_its_face_through_the_pump(shell: Shell) -> None:
    params = {"processId": None, "rootUri": shell.repo.as_uri(), "capabilities": {}}
    talk = wire.request(1, "initialize", params) + wire.request(2, "shutdown", {})
    with subprocess.Popen(
        [*COMMAND, "lsp", "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=shell.repo, env=shell.environ
    ) as editor:
        assert editor.stdin is not None
        assert editor.stdout is not None
        editor.stdin.write(talk)
        editor.stdin.flush()
        answers = {}
        while not {1, 2} <= set(answers):
            message = wire.read(editor.stdout.readline, editor.stdout.read)
            assert message is not None
            answers[message.get("id")] = message
        editor.stdin.write(wire.frame({"jsonrpc": "2.0", "method": "exit"}))
        editor.stdin.close()
        assert editor.wait(PATIENCE) == 0
    assert "capabilities" in answers[1]["result"]


def test_an_agent_reaches_its_face_and_what_was_asked_before_hanging_up_is_answered(shell: Shell) -> None:
    done = speak(shell, "mcp", json.dumps(initialize(7)).encode() + b"\n")
    assert done.returncode == 0, done.stderr
    (answer,) = (json.loads(line) for line in done.stdout.splitlines())
    assert answer["id"] == 7
    assert answer["result"]["serverInfo"]["name"] == "muninn"


def test_an_agents_project_is_the_repository(shell: Shell, tmp_path: object) -> None:
    elsewhere = Shell(shell.repo.parent, shell.environ)
    talk = json.dumps(initialize(1)).encode() + b"\n"
    done = speak(elsewhere, "mcp", talk, CLAUDE_PROJECT_DIR=str(shell.repo))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["id"] == 1


def test_without_a_daemon_the_pump_says_why_on_stderr(shell: Shell) -> None:
    done = speak(shell, "mcp", b"", CLAUDE_PROJECT_DIR=str(shell.repo / "gone"))
    assert done.returncode == 4
    assert done.stdout == b""
    assert b"does not exist" in done.stderr


def test_an_interrupt_ends_the_pump_without_a_traceback(shell: Shell) -> None:
    with interruptible():
        agent = subprocess.Popen(
            [*COMMAND, "mcp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=shell.repo,
            env=shell.environ,
        )
    with agent:
        assert agent.stdin is not None
        assert agent.stdout is not None
        assert agent.stderr is not None
        agent.stdin.write(json.dumps(initialize(1)).encode() + b"\n")
        agent.stdin.flush()
        assert json.loads(agent.stdout.readline())["id"] == 1
        agent.send_signal(signal.SIGINT)
        assert agent.wait(PATIENCE) == 130
        assert agent.stderr.read() == b"interrupted\n"
