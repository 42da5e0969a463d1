"""The daemon exits when idle or stopped and leaves nothing behind; the next request starts it again."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path

import psutil
import pytest
from repositories import PATIENCE, address_of, daemon_process, stop_daemon

from muninn_core import client
from muninn_core.errors import DaemonError, MuninnError


def test_the_daemon_exits_after_the_idle_time_and_removes_its_files(repo: Path, environ: dict[str, str]) -> None:
    process = daemon_process(repo, environ)
    with client.connect(str(repo), environ) as muninn:
        muninn.call("index")
        (repo / ".muninn" / "config.yaml").write_text("daemon:\n  idle_seconds: 0.3\n")
        muninn.call("index")
        children = process.children(recursive=True)
    process.wait(PATIENCE)
    assert psutil.wait_procs(children, PATIENCE)[1] == []
    left = sorted(path.suffix for path in Path(environ["MUNINN_RUNTIME_DIR"]).iterdir())
    assert ".sock" not in left
    assert ".json" not in left


def test_the_daemon_stays_while_a_client_is_connected(repo: Path, environ: dict[str, str]) -> None:
    process = daemon_process(repo, environ)
    (repo / ".muninn" / "config.yaml").write_text("daemon:\n  idle_seconds: 0.1\n")
    with client.connect(str(repo), environ) as muninn:
        muninn.call("index")
        with pytest.raises(psutil.TimeoutExpired):
            process.wait(1.0)
        assert muninn.call("status")["pid"] == process.pid


def test_sigterm_ends_it_cleanly_and_seals_what_was_stored(repo: Path, environ: dict[str, str]) -> None:
    process = daemon_process(repo, environ)
    with client.connect(str(repo), environ) as muninn:
        muninn.call("remember", {"text": "Sealed at the end."})
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE)
    sealed = list((repo / ".muninn" / "memory" / "sessions").glob("*.jsonl"))
    assert len(sealed) == 1
    assert "Sealed at the end." in sealed[0].read_text()
    assert not Path(address_of(repo, environ).socket).exists()


HASTY = """
import os, sys, muninn_server.runtime_files as files, muninn_server.daemon as daemon
daemon.LEAVE_SECONDS = 0.5
write = files.write_info
files.write_info = lambda *given: (write(*given), print("listening", flush=True))
daemon.run(sys.argv[1], -1, os.environ)
"""
HANGING = """#!/bin/sh
case " $* " in *" log "*) echo >{told}; read -r nothing <{pipe} ;; esac
exec {git} "$@"
"""


def _ask_in_vain(muninn: client.Client) -> None:
    with pytest.raises(MuninnError):
        muninn.call("capture", {"source": "commit"})


def test_the_daemon_exits_although_a_task_does_not_end(
    plain_repo: Path, environ: dict[str, str], tmp_path: Path
) -> None:
    (plain_repo / ".muninn").mkdir()
    told, pipe = tmp_path / "told", tmp_path / "pipe"
    os.mkfifo(told)
    os.mkfifo(pipe)
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text(HANGING.format(told=told, pipe=pipe, git=shutil.which("git")))
    program.chmod(0o755)
    env = {**environ, "PATH": f"{program.parent}:{os.environ['PATH']}"}
    command = [sys.executable, "-c", HASTY, str(plain_repo)]
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "listening\n"
        with client.connect(str(plain_repo), environ, start=False) as muninn:
            asking = threading.Thread(target=_ask_in_vain, args=(muninn,))
            asking.start()
            with told.open() as begun:
                begun.read()
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE) == 1
            asking.join()
    with pipe.open("w"):
        pass  # the hanging one goes on
    with client.connect(str(plain_repo), environ) as muninn:
        assert muninn.call("status")["mode"] == "read-write"
    stop_daemon(plain_repo, environ)


def test_a_stale_socket_is_replaced(repo: Path, environ: dict[str, str]) -> None:
    process = daemon_process(repo, environ)
    process.send_signal(signal.SIGKILL)
    process.wait(PATIENCE)
    path = Path(address_of(repo, environ).socket)
    assert path.exists(), "a killed daemon leaves its socket"
    with client.connect(str(repo), environ) as muninn:
        assert muninn.call("status")["pid"] != process.pid


def test_a_left_over_lock_file_with_a_foreign_pid_means_nothing(repo: Path, environ: dict[str, str]) -> None:
    process = daemon_process(repo, environ)
    process.send_signal(signal.SIGKILL)
    process.wait(PATIENCE)
    Path(address_of(repo, environ).lock).write_text("1\n")
    Path(address_of(repo, environ).start_lock).write_text("1\n")
    with client.connect(str(repo), environ) as muninn:
        assert muninn.call("remember", {"text": "The lock was stale."})["ids"]


def test_only_the_user_can_reach_the_socket_and_read_the_log(repo: Path, environ: dict[str, str]) -> None:
    address = address_of(repo, environ)
    for path in (address.socket, address.info, address.log):
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600, path


def test_a_runtime_directory_that_others_can_enter_is_refused(repo: Path, environ: dict[str, str]) -> None:
    open_to_all = Path(environ["MUNINN_RUNTIME_DIR"]) / "open"
    open_to_all.mkdir(mode=0o755)
    with pytest.raises(DaemonError, match="can be entered by others"):
        client.connect(str(repo), {**environ, "MUNINN_RUNTIME_DIR": str(open_to_all)}, start=False)


def test_without_a_runtime_directory_a_private_daemon_answers_and_leaves(
    plain_repo: Path, environ: dict[str, str], tmp_path: Path
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    alone = {**environ, "MUNINN_RUNTIME_DIR": str(blocked)}
    with client.connect(str(plain_repo), alone) as muninn:
        process = psutil.Process(muninn.daemon["pid"])
        muninn.call("init")
        muninn.call("remember", {"text": "Stored by a private daemon."})
        hits = muninn.call("recall", {"query": "private daemon", "kind": "memory"})["hits"]
        assert hits[0]["text"] == "Stored by a private daemon."
    process.wait(PATIENCE)


def test_a_daemon_that_does_not_start_says_why(plain_repo: Path, environ: dict[str, str]) -> None:
    address = address_of(plain_repo, environ)
    Path(address.socket + ".x").touch()
    long_runtime = Path(environ["MUNINN_RUNTIME_DIR"]) / ("long" * 30)
    long_runtime.mkdir(mode=0o700)
    with pytest.raises(DaemonError, match=r"did not start: .*longer than 100 bytes"):
        client.connect(str(plain_repo), {**environ, "MUNINN_RUNTIME_DIR": str(long_runtime)})


def test_a_connection_that_is_not_ours_is_refused_with_a_reason(repo: Path, environ: dict[str, str]) -> None:
    with socket.socket(socket.AF_UNIX) as sock:
        sock.connect(address_of(repo, environ).socket)
        sock.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        answer = sock.recv(4096)
    assert b"without Content-Length" in answer
