from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from interrupts import interruptible
from muninn_shell import COMMAND, Shell
from repositories import PATIENCE

from muninn_cli.commands.process import end, is_daemon, wait_until_gone


@pytest.fixture
def alone(new_shell: Callable[[], Shell]) -> Shell:
    """A shell in a repository with a daemon that no other test uses."""
    made = new_shell()
    made.json("init")
    return made


def test_start_status_and_stop_report_the_same_process(alone: Shell) -> None:
    pid = alone.json("daemon", "start")["pid"]
    status = alone.json("daemon", "status")
    assert status["running"] is True
    assert status["pid"] == pid
    assert {"version", "uptime_seconds", "clients", "rss_bytes", "socket"} <= set(status)
    assert Path(status["socket"]).is_socket()
    assert alone.json("daemon", "stop") == {"schema_version": 1, "stopped": pid, "how": "has left"}
    assert not is_daemon(pid)
    assert not Path(status["socket"]).exists()


def test_status_without_a_daemon_starts_none(alone: Shell) -> None:
    alone.json("daemon", "stop")
    done = alone.run("daemon", "status", "--json")
    assert done.returncode == 6
    assert json.loads(done.stdout)["running"] is False
    assert alone.json("daemon", "stop")["stopped"] is None


IMPATIENT = """
import sys
from muninn_cli.commands import daemon
daemon.STOP_SECONDS, daemon.GRACE_SECONDS = 0.2, 1.0
sys.exit(daemon.main(["stop"]))
"""


def test_a_daemon_that_hangs_is_ended(alone: Shell) -> None:
    pid = alone.json("daemon", "start")["pid"]
    os.kill(pid, signal.SIGSTOP)
    done = subprocess.run(
        [sys.executable, "-I", "-c", IMPATIENT],
        cwd=alone.repo,
        env=alone.environ,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, f"The daemon (pid {pid}) was ended with SIGKILL.\n"), done.stderr
    assert not is_daemon(pid)


def test_a_foreign_process_is_never_signalled() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        assert not is_daemon(other.pid)
        assert end(other.pid, 0.1) == "was gone already"
        assert wait_until_gone(other.pid, 0.1)
        assert other.poll() is None
        assert other.stdin is not None
        other.stdin.close()


def test_logs_shows_the_last_lines(alone: Shell) -> None:
    pid = alone.json("daemon", "start")["pid"]
    alone.json("status")
    done = alone.run("daemon", "logs", "-n", "5")
    assert done.returncode == 0
    assert 0 < len(done.stdout.splitlines()) <= 5
    assert str(pid) in alone.run("daemon", "logs", "-n", "1000").stdout


def test_logs_are_lines_to_a_program(alone: Shell) -> None:
    alone.json("status")
    shown = alone.json("daemon", "logs", "-n", "2")
    assert len(shown["lines"]) == 2
    assert Path(shown["log"]).read_text("utf-8").splitlines()[-2:] == shown["lines"]
    assert alone.failure("daemon", "logs", "-f")[0] == 2


def test_logs_without_a_daemon_explain_their_absence(new_shell: Callable[[], Shell]) -> None:
    assert new_shell().failure("daemon", "logs")[0] == 3


def test_logs_follows_until_it_is_interrupted(alone: Shell) -> None:
    alone.json("daemon", "start")
    with interruptible():
        follower = subprocess.Popen(
            [*COMMAND, "daemon", "logs", "-f"], stdout=subprocess.PIPE, text=True, cwd=alone.repo, env=alone.environ
        )
    with follower:
        guard = threading.Timer(PATIENCE, follower.kill)
        guard.start()
        assert follower.stdout is not None
        assert "serving" in follower.stdout.readline()
        alone.json("daemon", "stop")
        assert any("left" in line for line in follower.stdout)
        follower.send_signal(signal.SIGINT)
        assert follower.wait(PATIENCE) == 130
        guard.cancel()
