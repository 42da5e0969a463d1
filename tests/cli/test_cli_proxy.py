from __future__ import annotations

import json
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
import time
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import psutil
import pytest
from interrupts import interruptible
from muninn_shell import COMMAND, Shell
from repositories import PATIENCE, daemon_pid

from muninn_cli.proxies.mcp import McpProxy
from muninn_core import __version__
from muninn_core.errors import Stopping
from muninn_core.protocol import wire
from muninn_server.mcp.tool_handlers import failure


def speak(shell: Shell, protocol: str, data: bytes, **environ: str) -> subprocess.CompletedProcess[bytes]:
    """Run a proxy with all input at once, close its input, and return what it answered."""
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


def test_an_editor_reaches_the_language_server_through_the_proxy(shell: Shell) -> None:
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


def test_an_agent_reaches_the_mcp_server_and_requests_before_the_end_of_input_are_answered(shell: Shell) -> None:
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


def test_without_a_daemon_the_proxy_states_the_reason_on_stderr(shell: Shell) -> None:
    done = speak(shell, "mcp", b"", CLAUDE_PROJECT_DIR=str(shell.repo / "gone"))
    assert done.returncode == 4
    assert done.stdout == b""
    assert b"does not exist" in done.stderr


def test_an_interrupt_ends_the_proxy_without_a_traceback(shell: Shell) -> None:
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


class Agent:
    """Exchanges messages with one `muninn mcp`, whose daemon may be killed meanwhile."""

    def __init__(self, shell: Shell) -> None:
        self.modern = False
        self.notified: list[dict[str, Any]] = []
        self.process = subprocess.Popen(
            [*COMMAND, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=shell.repo, env=shell.environ
        )

    def send(self, **message: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def next(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the server has ended"
        message: dict[str, Any] = json.loads(line)
        return message

    def read(self, number: int) -> dict[str, Any]:
        """Return the next answer, which must be that of a request, and keep the notifications before it."""
        while "method" in (message := self.next()):
            self.notified.append(message)
        assert message["id"] == number
        return message

    def wait_until_sent(self) -> None:
        """Return when the proxy has read all messages and waits for more: its threads sleep, and its input is empty."""
        import fcntl
        import termios

        assert self.process.stdin is not None
        tasks = Path(f"/proc/{self.process.pid}/task")
        waiting = array("i", [1])
        while waiting[0] or any(
            state.read_text().rsplit(")", 1)[1].split()[0] != "S" for state in tasks.glob("*/stat")
        ):
            time.sleep(0.01)
            fcntl.ioctl(self.process.stdin, termios.FIONREAD, waiting)

    def wait_for(self, notification: dict[str, Any]) -> None:
        """Return when a notification has arrived."""
        while notification not in self.notified:
            self.notified.append(self.next())

    def use(self, number: int, tool: str, **arguments: Any) -> None:
        meta = {"_meta": MODERN} if self.modern else {}
        self.send(id=number, method="tools/call", params={"name": tool, "arguments": arguments, **meta})

    def result(self, number: int) -> tuple[bool, str]:
        """Return whether a call failed, and its text."""
        result = self.read(number)["result"]
        assert ("resultType" in result) == self.modern
        return result.get("isError", False), result["content"][0]["text"]


MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


@pytest.fixture
def agent(shell: Shell) -> Iterator[Agent]:
    """An agent on the module's repository."""
    agent = Agent(shell)
    yield agent
    agent.process.communicate(timeout=PATIENCE)
    assert agent.process.returncode == 0


def end_daemon(shell: Shell) -> psutil.Process:
    """Kill the daemon and wait until it is gone."""
    pid = daemon_pid(shell.repo, shell.environ)
    assert pid is not None
    process = psutil.Process(pid)
    process.kill()
    process.wait(PATIENCE)
    return process


def test_an_agent_whose_daemon_is_killed_goes_on_with_another(shell: Shell, agent: Agent) -> None:
    agent.send(**initialize(1))
    agent.read(1)
    agent.send(method="notifications/initialized")
    agent.send(id=2, method="resources/subscribe", params={"uri": "muninn://status"})
    agent.read(2)
    end_daemon(shell)
    agent.use(3, "remember", text="Ships pay for each hour at a berth.")
    assert not agent.result(3)[0]
    uri = {"uri": "muninn://status"}  # the subscription is repeated
    agent.wait_for({"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": uri})


@pytest.mark.skipif(sys.platform != "linux", reason="stops a process with a signal, and reads /proc")
@pytest.mark.parametrize("modern", [False, True])
def test_a_call_that_loses_its_daemon_is_answered_and_the_next_one_works(
    shell: Shell, agent: Agent, *, modern: bool
) -> None:
    agent.modern = modern
    if not modern:
        agent.send(**initialize(1))
        agent.read(1)
        agent.send(method="notifications/initialized")
    agent.send(id=2, method="tools/list", params={"_meta": MODERN} if modern else {})
    agent.read(2)
    pid = daemon_pid(shell.repo, shell.environ)
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    agent.use(3, "remember", text="Ships wait outside when all berths are taken.")
    agent.use(4, "memories", text="wait outside")
    agent.wait_until_sent()
    end_daemon(shell)
    failed, text = agent.result(3)
    assert failed
    assert "Call again" in text
    assert agent.result(4) == (False, "No memory matches."), "a tool that changes nothing is called again"


def test_a_call_that_a_stopping_daemon_refuses_is_sent_to_the_next_one() -> None:
    agent, source = os.pipe()
    target, answers = os.pipe()
    daemons: queue.Queue[socket.socket] = queue.Queue()

    def connect(_again: bool) -> tuple[socket.socket, BinaryIO]:
        ours, theirs = socket.socketpair()
        daemons.put(theirs)
        return ours, ours.makefile("rb")

    def ask(request: dict[str, Any]) -> None:
        os.write(source, json.dumps(request).encode() + b"\n")

    running = threading.Thread(target=McpProxy(connect, agent, answers).run)
    running.start()
    listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "recall"}}
    listed = {"tools": [{"name": "recall", "annotations": {"readOnlyHint": True}}]}
    refused = failure(Stopping("the daemon is leaving"), {}).model_dump(mode="json", by_alias=True, exclude_none=True)
    with os.fdopen(target, "rb") as answered:
        with daemons.get(timeout=PATIENCE) as daemon, daemon.makefile("rb") as lines:
            for request, result in ((listing, listed), (call, refused)):
                ask(request)
                assert json.loads(lines.readline()) == request
                daemon.sendall(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}).encode() + b"\n")
                if result is listed:
                    assert json.loads(answered.readline())["result"] == listed
        with daemons.get(timeout=PATIENCE) as daemon, daemon.makefile("rb") as lines:
            assert json.loads(lines.readline()) == call
            daemon.sendall(b'{"jsonrpc": "2.0", "id": 2, "result": {"content": []}}\n')
            assert json.loads(answered.readline())["result"] == {"content": []}
            os.close(source)
        running.join(PATIENCE)
        assert not running.is_alive()
    os.close(answers)
    os.close(agent)
